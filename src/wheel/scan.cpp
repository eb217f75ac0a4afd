// SPDX-License-Identifier: Apache-2.0
// The strict scanner: an archive is a wheel's only if there is one way to read it
// (zip-cases.md 2.1). libzip's own consistency check accepts gaps, overlaps and unlisted members
// (standards.md, finding 1), so nothing else opens a file before this has passed it.
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

// A folder entry is dropped and never read again, so its data, which some tools deflate, is looked
// at here.
void check_folder_data(Bytes archive, const DirectoryEntry& entry, const LocalRange& range) {
  const Bytes data = archive.subspan(range.data_offset, entry.compressed_size);
  if (entry.method == kDeflate && inflate_exactly(data, {})) {
    refuse(ZipFault::folder_data, "the folder entry's data is not an empty deflate stream");
  }
}

// Walks the members in the order of the file: each must start where the one before ended, and the
// last one end where the directory starts.
std::vector<Member> walk_members(Bytes archive, const std::vector<DirectoryEntry>& entries,
                                 std::uint64_t directory_offset, Oddities& oddities) {
  const ByteReader reader(archive, ByteOrder::little, "archive");
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return entries[i].local_offset; });

  std::vector<Member> members;
  members.reserve(entries.size());
  std::uint64_t cursor = 0;
  for (const std::size_t i : order) {
    const DirectoryEntry& entry = entries[i];
    with_context(printable(entry.name), [&] {
      if (entry.local_offset < cursor) {
        refuse(ZipFault::overlap, "the member overlaps the one before it");
      }
      // A wrong offset is reported as that, and only a right one behind a gap as a gap.
      const LocalRange range = read_local(archive, entry, directory_offset);
      if (entry.local_offset > cursor) refuse_gap(reader, cursor, entry.local_offset);
      cursor = range.end;
      if ((entry.flags & kFlagDescriptor) != 0) oddities.descriptor.see(entry.name);
      if (entry.is_folder()) return check_folder_data(archive, entry, range);
      members.push_back({std::string(entry.name), entry.method, entry.crc, entry.compressed_size,
                         entry.size, range.data_offset, ((entry.attributes >> 16) & 0111) != 0});
    });
  }
  if (cursor != directory_offset) refuse_gap(reader, cursor, directory_offset);
  return members;
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
  add(oddities.windows_name.sentence(
      "ends in a dot or a space in one of its components, which Windows drops",
      "end in a dot or a space in one of their components, which Windows drops"));
  add(
      oddities.name_collision.sentence("has the name of another member up to case or "
                                       "normalisation: some file systems hold only one of them",
                                       "have names of other members up to case or normalisation: "
                                       "some file systems hold only one of each"));
}

}  // namespace

Scan scan(Bytes archive, const ScanLimits& limits) {
  Scan result;
  Oddities oddities;
  const EndRecords records = read_end_records(archive, result.notes);
  const auto entries = read_directory(archive, records, oddities);
  check_collisions(entries, oddities);
  check_limits(entries, archive.size(), limits);
  result.members = walk_members(archive, entries, records.directory_offset, oddities);
  add_notes(oddities, result.notes);
  return result;
}

}  // namespace truewheel::wheel
