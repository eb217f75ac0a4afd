// SPDX-License-Identifier: Apache-2.0
// The strict scanner: an archive is a wheel's only if there is one way to read it
// (PyPI and uv refuse the others). libzip's own consistency check accepts gaps, overlaps and
// unlisted members (its regress/open_incons.test), so nothing else opens a file before this has
// passed it.
#include "base/byte_reader.hpp"
#include "base/deflate.hpp"
#include "base/text.hpp"
#include "wheel/zip_directory.hpp"
#include "wheel/zip_end_records.hpp"
#include "wheel/zip_fault.hpp"
#include "wheel/zip_local.hpp"
#include "wheel/zip_name.hpp"
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace truewheel::wheel {
namespace {

constexpr std::uint64_t kRatioFloor = 64ULL << 20;

void check_limits(const std::vector<DirectoryEntry>& entries, std::uint64_t archive_size,
                  const ScanLimits& limits) {
  std::uint64_t total = 0;
  for (const auto& entry : entries) {
    if (entry.size > limits.max_total || total > limits.max_total - entry.size) {
      refuse(ZipFault::total_size,
             fmt::format("the contents are larger than {} bytes", limits.max_total));
    }
    total += entry.size;
  }
  if (total > kRatioFloor &&
      static_cast<double>(total) > limits.max_ratio * static_cast<double>(archive_size)) {
    refuse(ZipFault::ratio,
           fmt::format("the contents are {} bytes, more than {} times the archive's {}", total,
                       limits.max_ratio, archive_size),
           "--max-ratio N");
  }
}

// Says what lies between two members, or before the first or behind the last one.
[[noreturn]] void refuse_gap(const ByteReader& reader, std::uint64_t start, std::uint64_t end) {
  const std::uint32_t signature = end - start >= 4 ? reader.u32(start) : 0;
  if (signature == kLocalSignature) {
    refuse(ZipFault::unlisted_data, fmt::format("the member at {} is not in the directory", start));
  }
  if (signature == kDescriptorSignature) {
    refuse(ZipFault::descriptor,
           fmt::format("a data descriptor at {} that no header announces", start));
  }
  if (start == 0)
    refuse(ZipFault::prefix, fmt::format("{} bytes stand before the first member", end));
  refuse(ZipFault::unlisted_data,
         fmt::format("{} bytes at {} belong to no member", end - start, start));
}

// A front-to-back reader knows the end of stored data only by meeting the descriptor. Data that
// holds something like one, for exactly the bytes before it, would end there for such a reader.
bool holds_descriptor(Bytes stored) {
  constexpr std::string_view kSignature = "PK\x07\x08";
  const std::string_view text = as_text(stored);
  const ByteReader reader(stored);
  for (auto at = text.find(kSignature); at != std::string_view::npos;
       at = text.find(kSignature, at + 1)) {
    if (stored.size() - at >= 12 && reader.u32(at + 8) == static_cast<std::uint32_t>(at))
      return true;
  }
  return false;
}

// The two cases in which data itself decides how the archive is read. Only after the tiling is
// known to hold, since the data of overlapping members would be read over and over.
void check_data(Bytes archive, const DirectoryEntry& entry, const LocalRange& range) {
  const Bytes data = archive.subspan(static_cast<std::size_t>(range.data_offset),
                                     static_cast<std::size_t>(entry.compressed_size));
  // A folder entry is dropped and never read again; some tools deflate even its nothing.
  if (entry.is_folder() && entry.method == kDeflate && inflate_exactly(data, {})) {
    refuse(ZipFault::folder_data, "the folder entry's data is not an empty deflate stream");
  }
  if (range.has_descriptor && entry.method == kStored && holds_descriptor(data)) {
    refuse(ZipFault::descriptor, "the stored data holds what could be its data descriptor");
  }
}

// The members' byte ranges, each read at the place where its entry says it is.
std::vector<LocalRange> read_ranges(Bytes archive, const std::vector<DirectoryEntry>& entries,
                                    std::uint64_t directory_offset) {
  std::vector<LocalRange> ranges;
  ranges.reserve(entries.size());
  for (const auto& entry : entries) {
    in_member(entry.name, [&] { ranges.push_back(read_local(archive, entry, directory_offset)); });
  }
  return ranges;
}

std::vector<std::size_t> file_order(const std::vector<DirectoryEntry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return entries[i].local_offset; });
  return order;
}

// Each member must start where the one before it ended, and the last one end where the directory
// starts.
void check_tiling(Bytes archive, const std::vector<DirectoryEntry>& entries,
                  const std::vector<LocalRange>& ranges, const std::vector<std::size_t>& order,
                  std::uint64_t directory_offset) {
  const ByteReader reader(archive, ByteOrder::little, "archive");
  std::uint64_t cursor = 0;
  for (const std::size_t i : order) {
    const std::uint64_t start = entries[i].local_offset;
    if (start < cursor) {
      refuse(ZipFault::overlap,
             fmt::format("'{}' overlaps the member before it", printable(entries[i].name)));
    }
    if (start > cursor) refuse_gap(reader, cursor, start);
    cursor = ranges[i].end;
  }
  if (cursor != directory_offset) refuse_gap(reader, cursor, directory_offset);
}

void add_notes(const Oddities& oddities, std::vector<std::string>& notes) {
  const auto add = [&notes](std::optional<std::string> sentence) {
    if (sentence) notes.push_back(std::move(*sentence));
  };
  add(oddities.descriptor.sentence("has a data descriptor; the output has none",
                                   "have data descriptors, which the output has not"));
  add(oddities.entry_comment.sentence("has a comment; the output has none",
                                      "have comments, which the output has not"));
  add(oddities.special_mode.sentence(
      "is setuid, setgid or sticky; in the output it is not",
      "are setuid, setgid or sticky, which they are not in the output"));
}

void add_name_notes(const Oddities& oddities, Scan& scan) {
  if (auto sentence = oddities.windows_name.sentence(
          "ends in a dot or a space in one of its components, which Windows drops",
          "end in a dot or a space in one of their components, which Windows drops")) {
    scan.name_notes.push_back(std::move(*sentence));
  }
  if (auto sentence = oddities.name_collision.sentence(
          "has the name of another member up to case or normalisation: some file systems hold only "
          "one of them",
          "have names of other members up to case or normalisation: some file systems hold only "
          "one of each")) {
    scan.collisions.push_back(std::move(*sentence));
  }
}

}  // namespace

Scan scan(Bytes archive, const ScanLimits& limits) {
  Scan result;
  Oddities oddities;
  const EndRecords records = read_end_records(archive);
  const auto entries = read_directory(archive, records, oddities);
  check_collisions(entries, oddities);
  check_limits(entries, archive.size(), limits);
  const auto ranges = read_ranges(archive, entries, records.directory_offset);
  const auto order = file_order(entries);
  check_tiling(archive, entries, ranges, order, records.directory_offset);

  if (records.has_comment) {
    result.notes.emplace_back("the archive has a comment; the output has none");
  }
  if (records.has_nul_tail) {
    result.warnings.emplace_back("NUL bytes follow the end of the archive; the output has none");
  }
  result.members.reserve(entries.size());
  for (const std::size_t i : order) {
    const DirectoryEntry& entry = entries[i];
    in_member(entry.name, [&] { check_data(archive, entry, ranges[i]); });
    if (ranges[i].has_descriptor) oddities.descriptor.see(entry.name);
    if (entry.is_folder()) continue;
    const bool executable = ((entry.attributes >> 16) & 0111) != 0;
    result.members.push_back({std::string(entry.name), entry.method, entry.crc,
                              entry.compressed_size, entry.size, ranges[i].data_offset,
                              executable});
  }
  add_notes(oddities, result.notes);
  add_name_notes(oddities, result);
  return result;
}

}  // namespace truewheel::wheel
