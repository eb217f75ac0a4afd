// SPDX-License-Identifier: Apache-2.0
#include "elf/header_slots.hpp"

#include "base/checked_math.hpp"
#include "elf/emptied_load.hpp"
#include "elf/format.hpp"
#include "elf/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace truewheel::elf {

namespace {

/// Zeros between two tables of a file without section headers that can only be alignment.
constexpr std::uint64_t kLargestAlignmentGap = 16;

/// The table whose bytes cover an offset.
std::optional<std::size_t> table_at(const std::vector<Table>& tables, std::uint64_t offset) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (offset >= tables[i].offset && offset < tables[i].end()) return i;
  }
  return std::nullopt;
}

/// Collects what stands between the table's end and its new end. Everything there must be a movable
/// table, the section header table, or alignment.
class GrowthPlanner {
 public:
  GrowthPlanner(const ElfImage& image, const FileMap& map, const std::vector<Table>& tables,
                DynamicMoves dynamic_moves, std::uint64_t entries, std::uint64_t spare)
      : image_(image), map_(map), tables_(tables), dynamic_moves_(dynamic_moves), spare_(spare) {
    const std::uint64_t size = sizes_of(image.header().bits).segment;
    begin_ = image.header().phoff + image.header().phnum * size;
    end_ = begin_ + (entries + spare) * size;
  }

  std::optional<HeaderSlot> plan(std::string& reason) {
    HeaderSlot slot;
    slot.spare = spare_;
    if (!is_loaded()) {
      reason = "the program headers are not followed by bytes of their LOAD";
      return std::nullopt;
    }
    const bool trusts_sections = sections_agree(image_);
    std::uint64_t at = begin_;
    while (at < end_) {
      if (const auto index = table_at(tables_, at)) {
        const Table& table = tables_[*index];
        // .dynamic is RELRO data, and ld.so and static PIE programs reach it from code.
        if (!table.movable || table.shared || is_in_unloaded_section(table) ||
            (table.kind == TableKind::dynamic && dynamic_moves_ == DynamicMoves::no)) {
          reason = fmt::format("{} stands behind the program headers and cannot move",
                               table_name(table.kind));
          return std::nullopt;
        }
        slot.evicted.push_back(*index);
        at = table.end();
        continue;
      }
      const std::uint64_t headers = image_.header().shoff;
      if (!image_.sections().empty() && at >= headers && at < map_.section_headers_end()) {
        slot.displaces_section_headers = true;
        at = map_.section_headers_end();
        continue;
      }
      const std::uint64_t next = next_known(at);
      const std::uint64_t gap_end = std::min(next, end_);
      // Sections that contradict the tables may have data of the program where these end.
      const bool is_alignment =
          trusts_sections || (next - at < kLargestAlignmentGap && !image_.distrusts_sections());
      // Bytes of no section are what moved away in an earlier edit, if nothing refers to them.
      const bool is_vacant =
          map_.is_zero(at, gap_end) ||
          (trusts_sections && is_unowned(at, gap_end) && is_unreferenced(at, gap_end));
      if (next == at || !is_alignment || !is_vacant || !is_unowned(at, gap_end)) {
        reason = fmt::format("the bytes at {:#x}, behind the program headers, cannot move", at);
        return std::nullopt;
      }
      at = gap_end;
    }
    if (!slot.evicted.empty()) {
      const Table& first = tables_[slot.evicted.front()];
      const Table& last = tables_[slot.evicted.back()];
      if (const auto found = find_reference(image_, first.vaddr, last.vaddr + last.size)) {
        reason = fmt::format("what stands behind the program headers cannot move: {}", *found);
        return std::nullopt;
      }
    }
    slot.step = describe(slot);
    return slot;
  }

 private:
  /// The LOAD around the table holds the new entry, too (I7), and no segment but a table's or a
  /// LOAD begins there.
  [[nodiscard]] bool is_loaded() const {
    return std::any_of(
        image_.segments().begin(), image_.segments().end(), [&](const Segment& segment) {
          return segment.type == pt::kLoad && segment.offset <= image_.header().phoff &&
                 end_ <= segment.offset + segment.filesz;
        });
  }
  [[nodiscard]] std::uint64_t next_known(std::uint64_t at) const {
    std::uint64_t next = end_ + kLargestAlignmentGap;
    for (const Table& table : tables_) {
      if (table.offset > at) next = std::min(next, table.offset);
    }
    if (!image_.sections().empty() && image_.header().shoff > at)
      next = std::min(next, image_.header().shoff);
    return next;
  }
  /// A section without SHF_ALLOC stays where it is, and would have other bytes.
  [[nodiscard]] bool is_in_unloaded_section(const Table& table) const {
    return std::any_of(image_.sections().begin(), image_.sections().end(),
                       [&](const Section& section) {
                         return is_unloaded(section) && section.offset < table.end() &&
                                table.offset < section.offset + section.size;
                       });
  }
  /// No section and no segment other than a LOAD or the table's own has bytes in the range.
  [[nodiscard]] bool is_unowned(std::uint64_t begin, std::uint64_t end) const {
    const bool section =
        std::any_of(image_.sections().begin(), image_.sections().end(), [&](const Section& other) {
          return other.type != sht::kNull && other.type != sht::kNobits && other.offset < end &&
                 begin < other.offset + other.size;
        });
    const bool segment =
        std::any_of(image_.segments().begin(), image_.segments().end(), [&](const Segment& other) {
          return other.type != pt::kLoad && other.type != pt::kPhdr &&
                 other.type != pt::kGnuRelro && other.offset < end &&
                 begin < other.offset + other.filesz;
        });
    return !section && !segment;
  }
  [[nodiscard]] bool is_unreferenced(std::uint64_t begin, std::uint64_t end) const {
    return std::none_of(
        image_.segments().begin(), image_.segments().end(), [&](const Segment& load) {
          const bool holds =
              load.type == pt::kLoad && load.offset <= begin && end <= load.offset + load.filesz;
          return holds && find_reference(image_, load.vaddr + (begin - load.offset),
                                         load.vaddr + (end - load.offset));
        });
  }
  [[nodiscard]] std::string describe(const HeaderSlot& slot) const {
    std::string moved;
    for (const std::size_t index : slot.evicted) {
      moved += moved.empty() ? "" : ", ";
      moved += table_name(tables_[index].kind);
    }
    if (slot.displaces_section_headers)
      moved += moved.empty() ? "the section headers" : ", the section headers";
    if (moved.empty()) return "the program header table grows into the padding behind it, for ";
    return fmt::format("the program header table grows in place, {} give way{}, for ", moved,
                       slot.spare == 0 ? "" : " and leave room for another entry");
  }

  const ElfImage& image_;
  const FileMap& map_;
  const std::vector<Table>& tables_;
  DynamicMoves dynamic_moves_;
  std::uint64_t spare_;
  std::uint64_t begin_ = 0, end_ = 0;
};

/// LOADs of earlier edits that hold nothing but what may leave them.
std::vector<HeaderSlot> find_emptied_loads(const ElfImage& image, const FileMap& map,
                                           const std::vector<Table>& tables,
                                           DynamicMoves dynamic_moves) {
  std::vector<HeaderSlot> slots;
  for (std::size_t i = 0; i < image.segments().size(); ++i) {
    if (image.segments()[i].type != pt::kLoad) continue;
    std::vector<std::size_t> inside = tables_that_fill(image, map, tables, image.segments()[i]);
    const bool has_dynamic = std::any_of(inside.begin(), inside.end(), [&](std::size_t index) {
      return tables[index].kind == TableKind::dynamic;
    });
    if (inside.empty() || (has_dynamic && dynamic_moves == DynamicMoves::no)) continue;
    slots.push_back({HeaderSlot::Source::emptied_load, i, std::move(inside), false,
                     "the header of a LOAD that gets empty becomes that of "});
  }
  return slots;
}

}  // namespace

bool fits_kernel_limit(const ElfImage& image, std::uint64_t count) {
  return count * sizes_of(image.header().bits).segment <= 4096 && count < kPhnumExtended;
}

std::vector<HeaderSlot> find_header_slots(const ElfImage& image, const FileMap& map,
                                          const std::vector<Table>& tables,
                                          DynamicMoves dynamic_moves,
                                          std::vector<std::string>& reasons, std::uint64_t entries,
                                          std::uint64_t spare) {
  const auto& segments = image.segments();
  std::vector<HeaderSlot> slots = find_emptied_loads(image, map, tables, dynamic_moves);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].type != pt::kNull) continue;
    slots.push_back(
        {HeaderSlot::Source::null_entry, i, {}, false, "an unused program header becomes "});
    break;
  }
  // A shared object needs no PT_PHDR: glibc and musl find the table by e_phoff. A program needs it.
  const bool is_program =
      image.header().type != et::kDyn || image.find_segment(pt::kInterp) != nullptr;
  for (std::size_t i = 0; i < segments.size() && !is_program; ++i) {
    if (segments[i].type != pt::kPhdr) continue;
    slots.push_back({HeaderSlot::Source::phdr_entry,
                     i,
                     {},
                     false,
                     "PT_PHDR, which a shared object does not need, becomes "});
    break;
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].type != pt::kNote || segments[i].filesz != 0 || segments[i].memsz != 0)
      continue;
    slots.push_back({HeaderSlot::Source::empty_note, i, {}, false, "an empty PT_NOTE becomes "});
    break;
  }
  if (!fits_kernel_limit(image, segments.size() + entries)) {
    reasons.emplace_back(
        "one more program header would not fit into a page, and old kernels read no more");
    return slots;
  }
  std::string reason;
  if (auto growth = GrowthPlanner(image, map, tables, dynamic_moves, entries, spare).plan(reason)) {
    slots.push_back(std::move(*growth));
  } else {
    reasons.push_back(std::move(reason));
  }
  return slots;
}

std::optional<HeaderSlot> find_spare_room(const ElfImage& image, const FileMap& map,
                                          const std::vector<Table>& tables,
                                          DynamicMoves dynamic_moves, std::uint64_t spare) {
  std::string reason;
  return GrowthPlanner(image, map, tables, dynamic_moves, 0, spare).plan(reason);
}

}  // namespace truewheel::elf
