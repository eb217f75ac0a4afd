// SPDX-License-Identifier: Apache-2.0
#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/relocations.hpp"
#include "elf/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace truewheel::elf {

namespace {

struct Range {
  std::uint64_t begin, end;
};

/// True when a program header that pointed into a table still does, at the same offset.
bool is_pointed_at(const ElfImage& before, const ElfImage& after, const Table& table) {
  return std::any_of(
      before.segments().begin(), before.segments().end(), [&](const Segment& segment) {
        const bool is_own = segment.type == pt::kNote || segment.type == pt::kGnuProperty ||
                            segment.type == pt::kInterp;
        if (!is_own || segment.offset < table.offset || segment.offset >= table.end()) return false;
        return std::any_of(after.segments().begin(), after.segments().end(),
                           [&](const Segment& other) {
                             return other.type == segment.type && other.offset == segment.offset;
                           });
      });
}

/// The loaded bytes that an edit may change: header, program headers, the tables that may move or
/// grow, and zeros that belong to nobody.
std::vector<Range> changeable_ranges(const ElfImage& before, const ElfImage& after,
                                     const ElfEdit& edit) {
  const Sizes& sizes = sizes_of(before.header().bits);
  std::vector<Range> ranges;
  ranges.push_back({0, sizes.header});
  ranges.push_back(
      {after.header().phoff, after.header().phoff + after.header().phnum * sizes.segment});
  for (const Table& table : find_tables(before)) {
    // A table's bytes may give way only if the file says that the table is elsewhere now.
    const auto tag = address_tag(table.kind);
    const bool is_hash = table.kind == TableKind::hash || table.kind == TableKind::gnu_hash;
    const bool is_interpreter = table.kind == TableKind::interpreter;
    const bool fixed = (is_hash && edit.rename_symbols.empty() &&
                        before.dynamic_value(*tag) == after.dynamic_value(*tag)) ||
                       (table.kind == TableKind::notes && is_pointed_at(before, after, table)) ||
                       (is_interpreter && !edit.interpreter && is_pointed_at(before, after, table));
    if (fixed) continue;
    ranges.push_back({table.offset, table.end()});
  }
  if (edit.rename_symbols.empty()) return ranges;
  for (const RelocationTable& table : find_relocation_tables(before))
    ranges.push_back({table.offset, table.end()});
  return ranges;
}

bool is_loaded(const ElfImage& image, std::uint64_t offset) {
  return std::any_of(image.segments().begin(), image.segments().end(), [&](const Segment& load) {
    return load.type == pt::kLoad && offset >= load.offset && offset < load.offset + load.filesz;
  });
}

/// True when the bytes at [offset, offset+size) were nobody's, or of a table, or of the grown
/// program headers.
bool may_change(const ElfImage& before, const std::vector<Range>& ranges, std::uint64_t offset,
                std::uint64_t size) {
  for (std::uint64_t at = offset; at < offset + size; ++at) {
    if (!is_loaded(before, at)) continue;
    const bool listed = std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
      return at >= range.begin && at < range.end;
    });
    if (listed || before.reader().u8(at) == 0) continue;
    return false;
  }
  return true;
}

/// Zeros are free only where no section has them.
bool hits_section(const ElfImage& before, const std::vector<Range>& ranges, std::uint64_t offset,
                  std::uint64_t size) {
  return std::any_of(
      before.sections().begin(), before.sections().end(), [&](const Section& section) {
        const bool counts = (section.flags & shf::kAlloc) != 0 && section.type != sht::kNobits &&
                            section.type != sht::kNull;
        // A section that is not where a LOAD maps it lies about its extent (E08).
        if (!counts || before.offset_of(section.addr, section.size) != section.offset) return false;
        if (section.offset >= offset + size || offset >= section.offset + section.size)
          return false;
        const std::uint64_t begin = std::max(section.offset, offset);
        const std::uint64_t end = std::min(section.offset + section.size, offset + size);
        for (std::uint64_t at = begin; at < end; ++at) {
          if (std::none_of(ranges.begin(), ranges.end(), [&](const Range& range) {
                return at >= range.begin && at < range.end;
              })) {
            return true;
          }
        }
        return false;
      });
}

}  // namespace

void check_bytes_kept(const ElfImage& before, const ElfImage& after, const PatchList& patches,
                      const ElfEdit& edit, Unpatched unpatched, Complaints& complaints) {
  const Bytes a = before.file(), b = after.file();
  const std::uint64_t keep = patches.keep;
  if (keep > a.size() || keep > b.size()) {
    complaints.emplace_back("I14: the patch list keeps more than there is");
    return;
  }
  std::uint64_t at = 0;
  const auto compare_up_to = [&](std::uint64_t end) {
    if (unpatched == Unpatched::compared && end > at &&
        std::memcmp(a.data() + at, b.data() + at, static_cast<std::size_t>(end - at)) != 0) {
      complaints.push_back(
          fmt::format("I14: bytes between {:#x} and {:#x} changed without a patch", at, end));
    }
  };
  const std::vector<Range> ranges = changeable_ranges(before, after, edit);
  for (const Patch& patch : patches.patches) {
    if (patch.offset < at || patch.offset + patch.bytes.size() > keep) {
      complaints.emplace_back("I14: the patches are not ascending and disjoint");
      return;
    }
    compare_up_to(patch.offset);
    at = patch.offset + patch.bytes.size();
    if (!may_change(before, ranges, patch.offset, patch.bytes.size()) ||
        hits_section(before, ranges, patch.offset, patch.bytes.size())) {
      complaints.push_back(fmt::format(
          "I14: the patch at {:#x} changes bytes that are not the edit's", patch.offset));
    }
  }
  compare_up_to(keep);
  for (const Segment& load : before.segments()) {
    // In a file without a dynamic section nobody has asked yet whether they are there.
    const bool exists = load.offset <= a.size() && load.filesz <= a.size() - load.offset;
    if (load.type == pt::kLoad && exists && load.offset + load.filesz > keep) {
      complaints.emplace_back("I14: a LOAD's bytes are not kept in place");
    }
  }
}

}  // namespace truewheel::elf
