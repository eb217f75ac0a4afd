// SPDX-License-Identifier: Apache-2.0
#include "wheel/zip_end_records.hpp"

#include "base/byte_reader.hpp"
#include "wheel/zip_fault.hpp"
#include "wheel/zip_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace truewheel::wheel {
namespace {

constexpr std::uint64_t kMaxComment = 0xFFFF;

struct EndRecord {
  std::uint64_t position = 0;
  std::uint16_t disk = 0;
  std::uint16_t directory_disk = 0;
  std::uint16_t entries_here = 0;
  std::uint16_t entries = 0;
  std::uint32_t directory_size = 0;
  std::uint32_t directory_offset = 0;
  Bytes comment;
};

// The length of the archive without the NUL bytes at its end, which may belong to the end record or
// follow it.
std::uint64_t length_without_nuls(Bytes archive) {
  std::size_t length = archive.size();
  while (length != 0 && archive[length - 1] == 0) --length;
  return length;
}

// The end record is the one whose comment reaches the end of the file. Readers search it from the
// back, some of them taking the first signature they meet, so a second record that reaches the end
// as well could show them another archive.
std::uint64_t find_end_record(const ByteReader& reader, std::uint64_t content_end) {
  std::optional<std::uint64_t> found;
  bool saw_signature = false;
  const std::uint64_t size = reader.size();
  if (size >= kEndSize && content_end >= 4) {
    const std::uint64_t last = std::min(size - kEndSize, content_end - 4);
    const std::uint64_t reach = kEndSize + kMaxComment;
    const std::uint64_t first = content_end > reach ? content_end - reach : 0;
    for (std::uint64_t at = last + 1; at-- > first;) {
      if (reader.u8(at) != 'P' || reader.u32(at) != kEndSignature) continue;
      saw_signature = true;
      const std::uint64_t end = at + kEndSize + reader.u16(at + 20);
      if (end > size || end < content_end) continue;
      if (found) refuse(ZipFault::second_end_record, "two end records reach the end of the file");
      found = at;
    }
  }
  if (found) return *found;
  if (saw_signature) {
    refuse(ZipFault::trailing_data, "the end record does not reach the end of the file");
  }
  refuse(ZipFault::no_end_record, "no end record: not a zip file, or one that is cut short");
}

EndRecord read_end_record(const ByteReader& reader, std::uint64_t at) {
  // Readers that take the last signature of the file would start inside the record (CPython's
  // zipfile, where a comment follows).
  for (std::uint64_t inside = at + 1; inside <= at + kEndSize - 4; ++inside) {
    if (reader.u32(inside) == kEndSignature) {
      refuse(ZipFault::second_end_record, "the end record holds the signature of another one");
    }
  }
  EndRecord record;
  record.position = at;
  record.disk = reader.u16(at + 4);
  record.directory_disk = reader.u16(at + 6);
  record.entries_here = reader.u16(at + 8);
  record.entries = reader.u16(at + 10);
  record.directory_size = reader.u32(at + 12);
  record.directory_offset = reader.u32(at + 16);
  record.comment = reader.slice(at + kEndSize, reader.u16(at + 20));
  return record;
}

void check_comment(Bytes comment) {
  const bool has_control =
      std::ranges::any_of(comment, [](auto byte) { return byte >= 1 && byte <= 8; });
  if (has_control || as_text(comment).find("PK") != std::string_view::npos) {
    refuse(ZipFault::comment, "the archive comment could be read as zip records");
  }
}

bool has_zip64_locator(const ByteReader& reader, std::uint64_t end_position) {
  return end_position >= kZip64LocatorSize &&
         reader.u32(end_position - kZip64LocatorSize) == kZip64LocatorSignature;
}

// The position of the ZIP64 end record: right before its locator, and nowhere else.
std::uint64_t locate_zip64(const ByteReader& reader, std::uint64_t end_position) {
  const std::uint64_t locator = end_position - kZip64LocatorSize;
  const std::uint64_t target = reader.u64(locator + 8);
  if (reader.u32(locator + 4) != 0 || reader.u32(locator + 16) != 1) {
    refuse(ZipFault::multi_disk, "the ZIP64 locator speaks of several disks");
  }
  if (locator < kZip64EndSize || target > locator) {
    refuse(ZipFault::zip64_locator, "the ZIP64 locator points past itself");
  }
  if (reader.u32(target) != kZip64EndSignature) {
    refuse(ZipFault::zip64_end_record, "no ZIP64 end record where its locator points");
  }
  if (reader.u64(target + 4) != kZip64EndSize - 12) {
    refuse(ZipFault::zip64_end_record, "the ZIP64 end record has a size other than 44");
  }
  if (target + kZip64EndSize != locator) {
    refuse(ZipFault::zip64_locator, "the ZIP64 end record does not touch its locator");
  }
  return target;
}

template <class Small, class Large>
void hold_together(Small small, Small sentinel, Large large, std::string_view what) {
  if (small != sentinel && small != large) {
    refuse(ZipFault::zip64_values,
           fmt::format("the end record gives {} as {}, the ZIP64 end record as {}", what, small,
                       large));
  }
}

EndRecords read_zip64(const ByteReader& reader, std::uint64_t at, const EndRecord& end) {
  const std::uint32_t disk = reader.u32(at + 16);
  const std::uint32_t directory_disk = reader.u32(at + 20);
  const std::uint64_t entries_here = reader.u64(at + 24);
  EndRecords records;
  records.entry_count = reader.u64(at + 32);
  records.directory_offset = reader.u64(at + 48);
  records.directory_size = reader.u64(at + 40);
  if (disk != 0 || directory_disk != 0 || entries_here != records.entry_count) {
    refuse(ZipFault::multi_disk, "the ZIP64 end record speaks of several disks");
  }
  hold_together<std::uint16_t>(end.disk, kSentinel16, disk, "the disk");
  hold_together<std::uint16_t>(end.directory_disk, kSentinel16, directory_disk,
                               "the directory's disk");
  hold_together<std::uint16_t>(end.entries_here, kSentinel16, entries_here,
                               "the number of entries");
  hold_together<std::uint16_t>(end.entries, kSentinel16, records.entry_count,
                               "the number of entries");
  hold_together<std::uint32_t>(end.directory_size, kSentinel32, records.directory_size,
                               "the directory's size");
  hold_together<std::uint32_t>(end.directory_offset, kSentinel32, records.directory_offset,
                               "the directory's offset");
  return records;
}

EndRecords read_classic(const ByteReader& reader, const EndRecord& end) {
  if (end.position >= kZip64EndSize &&
      reader.u32(end.position - kZip64EndSize) == kZip64EndSignature) {
    refuse(ZipFault::zip64_locator, "a ZIP64 end record without its locator");
  }
  if (end.disk != 0 || end.directory_disk != 0 || end.entries_here != end.entries) {
    refuse(ZipFault::multi_disk, "the end record speaks of several disks");
  }
  EndRecords records;
  records.entry_count = end.entries;
  records.directory_offset = end.directory_offset;
  records.directory_size = end.directory_size;
  return records;
}

}  // namespace

EndRecords read_end_records(Bytes archive) {
  const ByteReader reader(archive, ByteOrder::little, "end records");
  const std::uint64_t content_end = length_without_nuls(archive);
  const EndRecord end = read_end_record(reader, find_end_record(reader, content_end));
  check_comment(end.comment);

  std::uint64_t directory_end = end.position;
  EndRecords records;
  if (has_zip64_locator(reader, end.position)) {
    directory_end = locate_zip64(reader, end.position);
    records = read_zip64(reader, directory_end, end);
  } else {
    records = read_classic(reader, end);
  }
  // Compared without a sum, since both numbers may be near 2^64 (Z29).
  if (records.directory_size > directory_end ||
      records.directory_offset != directory_end - records.directory_size) {
    refuse(ZipFault::directory_position,
           fmt::format("the directory is said to be {} bytes at {}, but ends at {}",
                       records.directory_size, records.directory_offset, directory_end));
  }

  records.has_comment = !end.comment.empty();
  records.has_nul_tail = end.position + kEndSize + end.comment.size() != reader.size();
  return records;
}

}  // namespace truewheel::wheel
