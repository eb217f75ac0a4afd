// SPDX-License-Identifier: Apache-2.0
#include "wheel/zip_directory.hpp"

#include "base/byte_reader.hpp"
#include "wheel/zip_extra.hpp"
#include "wheel/zip_fault.hpp"
#include "wheel/zip_name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::wheel {
namespace {

constexpr std::uint32_t kTypeMask = 0170000;
constexpr std::uint32_t kRegular = 0100000;
constexpr std::uint32_t kFolder = 0040000;
constexpr std::uint32_t kSpecialBits = 07000;
constexpr std::uint32_t kDosFolder = 0x10;

// Fills in what the 32-bit fields leave to the ZIP64 field, which must hold these and nothing else
// (Z23).
void resolve_zip64(DirectoryEntry& entry, std::uint32_t& disk, std::optional<Bytes> field) {
  std::uint64_t wanted = 0;
  for (const std::uint64_t value : {entry.size, entry.compressed_size, entry.local_offset}) {
    wanted += value == kSentinel32 ? 8 : 0;
  }
  wanted += disk == kSentinel16 ? 4 : 0;
  if (!field && wanted == 0) return;
  const std::uint64_t length = field ? field->size() : 0;
  if (wanted == 0 || length != wanted) {
    refuse(ZipFault::zip64_extra,
           fmt::format("the ZIP64 field has {} bytes where {} are due", length, wanted));
  }
  const ByteReader reader(*field);
  std::uint64_t at = 0;
  for (std::uint64_t* value : {&entry.size, &entry.compressed_size, &entry.local_offset}) {
    if (*value != kSentinel32) continue;
    *value = reader.u64(at);
    at += 8;
  }
  if (disk == kSentinel16) disk = reader.u32(at);
}

void check_flags(std::uint16_t flags) {
  if ((flags & (kFlagEncrypted | kFlagStrongEncryption | kFlagMaskedHeader)) != 0) {
    refuse(ZipFault::encrypted, "the member is encrypted");
  }
  if ((flags & ~(kFlagDeflateLevel | kFlagDescriptor | kFlagUtf8)) != 0) {
    refuse(ZipFault::flags, fmt::format("the member has flags {:#06x}", flags));
  }
}

// Type bits count whatever system the archive says it was made on, since installers read them so.
// Bits of 0, as zip tools without Unix modes write them, go with a file and with a folder.
void check_type(const DirectoryEntry& entry) {
  const std::uint32_t type = (entry.attributes >> 16) & kTypeMask;
  if (type != 0 && type != kRegular && type != kFolder) {
    refuse(ZipFault::file_type, fmt::format("the member is a special file (type {:#o})", type));
  }
  const bool dos_folder = (entry.attributes & kDosFolder) != 0;
  if (entry.is_folder() ? type == kRegular : type == kFolder || dos_folder) {
    refuse(ZipFault::folder_mismatch, "name and attributes disagree about being a folder");
  }
}

void check_sizes(const DirectoryEntry& entry) {
  if (entry.method == kStored && entry.compressed_size != entry.size) {
    refuse(ZipFault::stored_size, fmt::format("the member is stored, but its sizes are {} and {}",
                                              entry.compressed_size, entry.size));
  }
  if (entry.is_folder() && (entry.size != 0 || entry.crc != 0)) {
    refuse(ZipFault::folder_data, "the folder entry has content");
  }
}

// Reads the entry at `at`, whose fixed part is inside the directory; returns where it ends.
std::uint64_t read_entry(const ByteReader& reader, std::uint64_t at, DirectoryEntry& entry,
                         Oddities& oddities) {
  const std::uint64_t name_length = reader.u16(at + 28);
  const std::uint64_t extra_length = reader.u16(at + 30);
  const std::uint64_t comment_length = reader.u16(at + 32);
  const std::uint64_t end = at + kEntrySize + name_length + extra_length + comment_length;
  if (end > reader.size()) refuse(ZipFault::directory, "a directory entry runs past the directory");
  entry.name = as_text(reader.slice(at + kEntrySize, name_length));
  entry.flags = reader.u16(at + 8);
  entry.method = reader.u16(at + 10);
  entry.crc = reader.u32(at + 16);
  entry.compressed_size = reader.u32(at + 20);
  entry.size = reader.u32(at + 24);
  entry.attributes = reader.u32(at + 38);
  entry.local_offset = reader.u32(at + 42);
  entry.has_comment = comment_length != 0;
  std::uint32_t disk = reader.u16(at + 34);

  in_member(entry.name, [&] {
    check_member_name(entry.name, entry.flags, oddities);
    const Bytes extra = reader.slice(at + kEntrySize + name_length, extra_length);
    resolve_zip64(entry, disk, zip64_field(extra, entry.name));
    if (disk != 0) refuse(ZipFault::multi_disk, "the member lies on another disk");
    check_flags(entry.flags);
    if (entry.method != kStored && entry.method != kDeflate) {
      refuse(ZipFault::method,
             fmt::format("compression method {} is neither stored nor deflate", entry.method));
    }
    check_type(entry);
    check_sizes(entry);
  });
  if (entry.has_comment) oddities.entry_comment.see(entry.name);
  if (((entry.attributes >> 16) & kSpecialBits) != 0) oddities.special_mode.see(entry.name);
  return end;
}

}  // namespace

std::vector<DirectoryEntry> read_directory(Bytes archive, const EndRecords& records,
                                           Oddities& oddities) {
  const ByteReader reader(archive.subspan(static_cast<std::size_t>(records.directory_offset),
                                          static_cast<std::size_t>(records.directory_size)),
                          ByteOrder::little, "directory");
  std::vector<DirectoryEntry> entries;
  // The count is a claim; the directory's size bounds what it can be.
  entries.reserve(
      static_cast<std::size_t>(std::min(records.entry_count, reader.size() / kEntrySize)));
  std::uint64_t at = 0;
  while (at != reader.size()) {
    if (entries.size() == records.entry_count) {
      refuse(ZipFault::entry_count,
             fmt::format("the directory goes on after {} entries", records.entry_count));
    }
    if (reader.size() - at < kEntrySize || reader.u32(at) != kEntrySignature) {
      refuse(ZipFault::directory, fmt::format("directory entry {} is malformed", entries.size()));
    }
    at = read_entry(reader, at, entries.emplace_back(), oddities);
  }
  if (entries.size() != records.entry_count) {
    refuse(ZipFault::entry_count, fmt::format("the directory holds {} entries, not {}",
                                              entries.size(), records.entry_count));
  }
  return entries;
}

}  // namespace truewheel::wheel
