// SPDX-License-Identifier: Apache-2.0
#include "elf/rooms.hpp"

#include "base/checked_math.hpp"
#include "elf/format.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace truewheel::elf {

namespace {

constexpr std::uint64_t kPhase = 16;
constexpr std::uint64_t kLargestTableAlign = 64;
/// Padding beyond this is not looked at, so that a file of many GiB is planned without being read.
constexpr std::uint64_t kLargestPadding = std::uint64_t{16} << 20;

std::uint64_t machine_alignment(std::uint16_t machine) {
  switch (machine) {
    case em::kAarch64:
    case em::kPpc:
    case em::kPpc64:
    case em::kMips:
    case em::kLoongArch:
    case em::kAlpha:
    case em::kIa64:
      return 0x10000;
    case em::kSparc:
    case em::kSparc32Plus:
    case em::kSparcV9:
      return 0x2000;
    default:
      return 0x1000;
  }
}

std::uint64_t largest_load_alignment(const ElfImage& image) {
  std::uint64_t largest = 1;
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kLoad) largest = std::max(largest, segment.align);
  }
  return largest;
}

/// The address up to which a LOAD may grow: the next LOAD's page must stay its own (I3).
std::uint64_t address_limit(const ElfImage& image, const Segment& load, std::uint64_t alignment) {
  std::uint64_t limit = image.is_64() ? std::numeric_limits<std::uint64_t>::max() - alignment
                                      : (std::uint64_t{1} << 32) - alignment;
  for (const Segment& other : image.segments()) {
    if (other.type == pt::kLoad && other.vaddr > load.vaddr)
      limit = std::min(limit, align_down(other.vaddr, alignment));
  }
  return limit;
}

/// True when every section of a LOAD is one of the movable tables: no code and no data of the
/// program.
bool holds_only_tables(const ElfImage& image, const Segment& load,
                       const std::vector<Table>& tables) {
  return std::all_of(image.sections().begin(), image.sections().end(), [&](const Section& section) {
    const bool counts = (section.flags & shf::kAlloc) != 0 && section.size != 0 &&
                        section.addr >= load.vaddr && section.addr < load.vaddr + load.memsz;
    return !counts || std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
      return section.offset >= table.offset && section.offset + section.size <= table.end();
    });
  });
}

bool has_table(const Segment& load, const std::vector<Table>& tables) {
  return std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
    return table.vaddr >= load.vaddr && table.vaddr < load.vaddr + load.memsz;
  });
}

/// True for a LOAD that an edit made, and no linker: it is not the first one, and holds nothing but
/// tables, .dynstr or .dynamic at its end.
bool is_made_by_edit(const ElfImage& image, const Segment& load, const std::vector<Table>& tables) {
  const std::uint64_t end = load.offset + load.filesz;
  const bool ends_with_table = std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
    return (table.kind == TableKind::strings || table.kind == TableKind::dynamic) &&
           table.end() == end;
  });
  const Segment* first = image.find_segment(pt::kLoad);
  const bool holds_headers = image.header().phoff >= load.offset && image.header().phoff < end;
  return ends_with_table && first != nullptr && first->vaddr != load.vaddr && !holds_headers &&
         holds_only_tables(image, load, tables);
}

/// File offset behind the last thing in a LOAD. Old patchelf fills its LOADs up to a page, so that
/// zeros follow.
std::uint64_t end_of_content(const ElfImage& image, const FileMap& map,
                             const std::vector<Table>& tables, const Segment& load) {
  const std::uint64_t load_end = load.offset + load.filesz;
  std::uint64_t end = load.offset;
  const auto add = [&](std::uint64_t begin, std::uint64_t size) {
    if (begin < load_end && begin + size > load.offset)
      end = std::max(end, std::min(load_end, begin + size));
  };
  const Sizes& sizes = sizes_of(image.header().bits);
  add(0, sizes.header);
  add(image.header().phoff, image.header().phnum * sizes.segment);
  add(image.header().shoff, image.sections().size() * sizes.section);
  for (const Table& table : tables) add(table.offset, table.size);
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kLoad || segment.type == pt::kNull || segment.memsz == 0) continue;
    // PT_GNU_RELRO may be rounded up to its page; what it covers is listed by sections.
    if (segment.type != pt::kGnuRelro) add(segment.offset, segment.filesz);
  }
  for (const Section& section : image.sections()) {
    const bool is_loaded = (section.flags & shf::kAlloc) != 0;
    if (is_unloaded(section)) add(section.offset, section.size);
    if (!is_loaded || section.addr < load.vaddr) continue;
    const bool is_tls_zero = section.type == sht::kNobits && (section.flags & shf::kTls) != 0;
    if (!is_tls_zero) add(load.offset + (section.addr - load.vaddr), section.size);
  }
  return map.is_zero(end, load_end) ? end : load_end;
}

/// patchelf before 0.15 moves the header of .bss where it moves sections with bytes. The variables
/// stay at the end of a writable LOAD with sections of the program, and strip then makes that end
/// at the bytes in front of them, and the header's place a LOAD without bytes. Linkers that make
/// such a LOAD lose no more than a room.
bool misplaces_variables(const ElfImage& image) {
  return std::any_of(image.sections().begin(), image.sections().end(), [&](const Section& section) {
    const bool counts = section.type == sht::kNobits && (section.flags & shf::kAlloc) != 0 &&
                        (section.flags & shf::kTls) == 0 && section.size != 0;
    const bool is_alone =
        std::any_of(image.segments().begin(), image.segments().end(), [&](const Segment& load) {
          return load.type == pt::kLoad && load.filesz == 0 && section.addr >= load.vaddr &&
                 section.addr - load.vaddr < load.memsz;
        });
    return counts && (is_alone || image.offset_of(section.addr));
  });
}

}  // namespace

std::uint64_t place_at(std::uint64_t at, std::uint64_t align, std::optional<std::uint64_t> phase) {
  if (!phase) return align_up(at, align);
  return at + ((*phase - at) % kPhase + kPhase) % kPhase;
}

std::optional<std::uint64_t> Room::take(std::uint64_t size, std::uint64_t align,
                                        std::optional<std::uint64_t> phase, bool may_grow) {
  const std::uint64_t at = place_at(offset + used, align, phase);
  const std::uint64_t needed = checked_add(at - offset, size);
  if (needed > capacity && !(may_grow && grows)) return std::nullopt;
  used = needed;
  return at;
}

std::uint64_t load_alignment(const ElfImage& image, const EditOptions& options) {
  if (options.page_size != 0) {
    if (!is_power_of_two(options.page_size) || options.page_size < 0x1000 ||
        options.page_size > 0x40000000) {
      throw Error(ErrorKind::usage, "elf-page-size",
                  "the page size must be a power of two from 4096 to 2^30");
    }
    return std::max(options.page_size, std::uint64_t{0x1000});
  }
  const std::uint64_t largest = largest_load_alignment(image);
  return largest > 1 ? std::max(largest, std::uint64_t{0x1000})
                     : machine_alignment(image.header().machine);
}

std::vector<Room> find_rooms(const ElfImage& image, const FileMap& map,
                             const std::vector<Table>& tables, std::uint64_t alignment) {
  const Segment* relro = image.find_segment(pt::kGnuRelro);
  const Segment* last = nullptr;
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kLoad) last = &segment;
  }
  alignment = std::max(alignment, largest_load_alignment(image));
  const bool trusts_sections = sections_agree(image);
  const bool hides_variables = misplaces_variables(image);
  std::vector<std::pair<int, Room>> rooms;
  for (std::size_t i = 0; i < image.segments().size(); ++i) {
    const Segment& load = image.segments()[i];
    const bool executable = (load.flags & pf::kExecute) != 0;
    const bool writable = (load.flags & pf::kWrite) != 0;
    if (load.type != pt::kLoad || load.filesz == 0 || load.filesz != load.memsz) continue;
    if ((load.flags & pf::kRead) == 0 || (executable && writable)) continue;
    if (hides_variables && writable &&
        !(has_table(load, tables) && holds_only_tables(image, load, tables))) {
      continue;
    }
    if ((load.vaddr - load.offset) % kLargestTableAlign != 0)
      continue;  // alignment could not hold in both
    Room room;
    room.segment = i;
    room.load_end = load.offset + load.filesz;
    // Zeros at the end of the program's own writable LOAD may be variables.
    const bool has_padding_inside =
        trusts_sections && (!writable || holds_only_tables(image, load, tables));
    room.offset = has_padding_inside ? end_of_content(image, map, tables, load) : room.load_end;
    room.vaddr = load.vaddr + (room.offset - load.offset);
    if (relro != nullptr && room.vaddr > relro->vaddr && room.vaddr < relro->vaddr + relro->memsz)
      continue;
    const std::uint64_t end = load.vaddr + load.memsz;
    const std::uint64_t limit = address_limit(image, load, alignment);
    if (limit <= end) continue;
    const std::uint64_t used = map.next_used(room.load_end);
    std::uint64_t behind = std::min({used - room.load_end, limit - end, kLargestPadding});
    // Bytes behind everything that headers name belong to somebody else, even if they are zero
    // (A36, trailing data).
    if (used == image.file().size()) behind = 0;
    if (behind != 0 && !map.is_zero(room.load_end, std::min(used, room.load_end + kLargestPadding)))
      continue;
    room.capacity = room.load_end - room.offset + behind;
    room.grows = &load == last && map.movable_tail(room.load_end).has_value();
    if (room.capacity == 0 && !room.grows) continue;
    room.writable = writable;
    if (!writable && !executable && &load == last)
      room.makes_writable = is_made_by_edit(image, load, tables);
    const bool has_strings =
        image.dynstr_offset() >= load.offset && image.dynstr_offset() < room.load_end;
    rooms.emplace_back(has_strings ? 0 : executable ? 3 : writable ? 2 : 1, room);
  }
  std::stable_sort(rooms.begin(), rooms.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Room> result;
  for (const auto& [rank, room] : rooms) result.push_back(room);
  return result;
}

}  // namespace truewheel::elf
