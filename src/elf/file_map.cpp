// SPDX-License-Identifier: Apache-2.0
#include "elf/file_map.hpp"

#include "base/checked_math.hpp"
#include "elf/format.hpp"

#include <algorithm>
#include <limits>

namespace truewheel::elf {

namespace {

/// A larger tail is left where it is, for it would have to be copied: payload is never rewritten.
constexpr std::uint64_t kLargestMovableTail = std::uint64_t{1} << 20;
/// Zeros between two unloaded parts that are alignment and nothing else.
constexpr std::uint64_t kLargestAlignmentGap = 64;
constexpr std::uint64_t kLargestEndPadding = 16;

/// The end of a range that is taken from a header; one that lies ends past every file, as it should
/// be taken.
std::uint64_t end_of(std::uint64_t begin, std::uint64_t size) {
  return size > std::numeric_limits<std::uint64_t>::max() - begin
             ? std::numeric_limits<std::uint64_t>::max()
             : begin + size;
}

}  // namespace

FileMap::FileMap(const ElfImage& image) : image_(image) {
  const Header& header = image.header();
  const Sizes& sizes = sizes_of(header.bits);
  ranges_.push_back({0, sizes.header, false, true});
  if (header.phnum != 0)
    ranges_.push_back({header.phoff, header.phoff + header.phnum * sizes.segment, false, true});
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kNull || segment.filesz == 0) continue;
    const bool is_load = segment.type == pt::kLoad || segment.type == pt::kGnuRelro;
    ranges_.push_back({segment.offset, end_of(segment.offset, segment.filesz), is_load, true});
  }
  for (const Section& section : image.sections()) {
    if (section.type == sht::kNull || section.type == sht::kNobits || section.size == 0) continue;
    ranges_.push_back({section.offset, end_of(section.offset, section.size), false,
                       (section.flags & shf::kAlloc) != 0});
  }
  if (!image.sections().empty()) {
    section_headers_end_ = header.shoff + image.sections().size() * sizes.section;
    ranges_.push_back({header.shoff, section_headers_end_, false, false});
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

std::uint64_t FileMap::next_used(std::uint64_t offset) const {
  std::uint64_t next = image_.file().size();
  for (const Range& range : ranges_) {
    if (range.end > offset) next = std::min(next, std::max(range.begin, offset));
  }
  return next;
}

bool is_zero(Bytes file, std::uint64_t begin, std::uint64_t end) {
  const auto bytes =
      file.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool FileMap::is_zero(std::uint64_t begin, std::uint64_t end) const {
  return begin <= end && end <= image_.file().size() && elf::is_zero(image_.file(), begin, end);
}

bool FileMap::is_free(std::uint64_t begin, std::uint64_t end) const {
  const bool owned = std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return !range.is_load && range.begin < end && begin < range.end;
  });
  return !owned && is_zero(begin, end);
}

bool FileMap::has_payload() const {
  if (image_.sections().empty()) return false;  // what is behind may be what they were
  std::uint64_t end = 0;
  for (const Range& range : ranges_) end = std::max(end, range.end);
  const std::uint64_t size = image_.file().size();
  return end < size && (size - end >= kLargestEndPadding || !is_zero(end, size));
}

std::optional<FileMap::Tail> FileMap::movable_tail(std::uint64_t begin) const {
  const std::uint64_t size = image_.file().size();
  Tail tail{next_used(begin), 8};
  if (tail.begin >= size) {
    // patchelf 0.19 ends its files with one zero byte behind the last LOAD; more than alignment is
    // somebody's data.
    if (size - begin >= kLargestEndPadding || !is_zero(begin, size)) return std::nullopt;
    return Tail{size, 1};
  }
  if (size - tail.begin > kLargestMovableTail) return std::nullopt;
  std::uint64_t covered = tail.begin;
  for (const Range& range : ranges_) {
    if (range.end <= begin) continue;
    if (range.loaded || range.begin < begin || range.end > size) return std::nullopt;
    if (range.begin > covered &&
        (range.begin - covered > kLargestAlignmentGap || !is_zero(covered, range.begin))) {
      return std::nullopt;
    }
    covered = std::max(covered, range.end);
  }
  if (covered != size) return std::nullopt;
  for (const Section& section : image_.sections()) {
    if (section.offset < tail.begin || section.size == 0 || section.type == sht::kNobits) continue;
    if (!is_power_of_two(section.addralign) || section.addralign > 4096) continue;
    tail.align = std::max(tail.align, section.addralign);
  }
  return tail;
}

bool FileMap::section_headers_are_loaded() const {
  if (image_.sections().empty()) return false;
  return std::any_of(image_.segments().begin(), image_.segments().end(),
                     [&](const Segment& segment) {
                       return segment.type == pt::kLoad &&
                              image_.header().shoff < segment.offset + segment.filesz &&
                              segment.offset < section_headers_end_;
                     });
}

}  // namespace truewheel::elf
