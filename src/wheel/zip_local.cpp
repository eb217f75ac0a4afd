// SPDX-License-Identifier: Apache-2.0
#include "wheel/zip_local.hpp"

#include "base/byte_reader.hpp"
#include "wheel/zip_extra.hpp"
#include "wheel/zip_fault.hpp"

#include <fmt/format.h>

namespace truewheel::wheel {
namespace {

struct LocalHeader {
  std::string_view name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  bool is_zip64 = false;
  std::uint64_t end = 0;
};

// APPNOTE 4.5.3 wants both sizes in a local ZIP64 field; some writers leave only the one to it that
// needs it, which every reader takes as well. Others (CPython's zipfile with force_zip64, before
// 3.11.4) put both there and their true values into the header, too: harmless as long as they
// agree.
void resolve_zip64(LocalHeader& header, std::optional<Bytes> field) {
  std::uint64_t wanted = 0;
  for (const std::uint64_t size : {header.size, header.compressed_size}) {
    wanted += size == kSentinel32 ? 8 : 0;
  }
  if (!field && wanted == 0) return;
  const bool repeats = wanted == 0 && field->size() == 16;
  if (!field || (!repeats && (wanted == 0 || field->size() != wanted))) {
    refuse(ZipFault::zip64_extra,
           "the local header's sizes and its ZIP64 field do not go together");
  }
  const ByteReader reader(*field);
  if (repeats && (reader.u64(0) != header.size || reader.u64(8) != header.compressed_size)) {
    refuse(ZipFault::zip64_extra, "the local header's ZIP64 field gives other sizes");
  }
  std::uint64_t at = 0;
  for (std::uint64_t* size : {&header.size, &header.compressed_size}) {
    if (*size != kSentinel32) continue;
    *size = reader.u64(at);
    at += 8;
  }
  header.is_zip64 = true;
}

LocalHeader read_header(const ByteReader& reader, std::uint64_t at, std::uint64_t limit) {
  if (at > limit || limit - at < kLocalSize || reader.u32(at) != kLocalSignature) {
    refuse(ZipFault::local_header, fmt::format("there is no local header at {}", at));
  }
  LocalHeader header;
  const std::uint64_t name_length = reader.u16(at + 26);
  const std::uint64_t extra_length = reader.u16(at + 28);
  header.end = at + kLocalSize + name_length + extra_length;
  if (header.end > limit)
    refuse(ZipFault::out_of_bounds, "the local header runs into the directory");
  header.flags = reader.u16(at + 6);
  header.method = reader.u16(at + 8);
  header.crc = reader.u32(at + 14);
  header.compressed_size = reader.u32(at + 18);
  header.size = reader.u32(at + 22);
  header.name = as_text(reader.slice(at + kLocalSize, name_length));
  resolve_zip64(
      header, zip64_field(reader.slice(at + kLocalSize + name_length, extra_length), header.name));
  return header;
}

void compare(const LocalHeader& local, const DirectoryEntry& entry) {
  if (local.name != entry.name) {
    refuse(ZipFault::name_mismatch, "the local header gives another name");
  }
  // The descriptor is announced to those who read from the front; the directory may pass over it.
  const std::uint16_t announced = entry.flags | (local.flags & kFlagDescriptor);
  if (((local.flags ^ announced) & ~kFlagDeflateLevel) != 0) {
    refuse(ZipFault::flags_mismatch,
           fmt::format("the local header has flags {:#06x}, the directory {:#06x}", local.flags,
                       entry.flags));
  }
  if (local.method != entry.method) {
    refuse(ZipFault::method_mismatch,
           fmt::format("the local header has method {}, the directory {}", local.method,
                       entry.method));
  }
  // With a data descriptor all three may be left to it. Info-ZIP's zip, writing to a pipe, knows
  // the size of a file on disk and says it beforehand.
  const bool left_to_descriptor = (local.flags & kFlagDescriptor) != 0 && local.crc == 0 &&
                                  local.compressed_size == 0 &&
                                  (local.size == 0 || local.size == entry.size);
  if (left_to_descriptor) return;
  if (local.compressed_size != entry.compressed_size || local.size != entry.size) {
    refuse(ZipFault::size_mismatch,
           fmt::format("the local header gives sizes {} and {}, the directory {} and {}",
                       local.compressed_size, local.size, entry.compressed_size, entry.size));
  }
  if (local.crc != entry.crc) refuse(ZipFault::crc_mismatch, "the local header gives another CRC");
}

std::uint64_t check_descriptor(const ByteReader& reader, const DirectoryEntry& entry,
                               const LocalHeader& local, std::uint64_t data_end,
                               std::uint64_t limit) {
  const std::uint64_t length = local.is_zip64 ? kZip64DescriptorSize : kDescriptorSize;
  if (limit - data_end < length || reader.u32(data_end) != kDescriptorSignature) {
    refuse(ZipFault::descriptor, "the announced data descriptor is missing or has no signature");
  }
  const std::uint64_t compressed_size =
      local.is_zip64 ? reader.u64(data_end + 8) : reader.u32(data_end + 8);
  const std::uint64_t size = local.is_zip64 ? reader.u64(data_end + 16) : reader.u32(data_end + 12);
  if (reader.u32(data_end + 4) != entry.crc || compressed_size != entry.compressed_size ||
      size != entry.size) {
    refuse(ZipFault::descriptor, "data descriptor and directory differ");
  }
  return data_end + length;
}

}  // namespace

LocalRange read_local(Bytes archive, const DirectoryEntry& entry, std::uint64_t limit) {
  const ByteReader reader(archive, ByteOrder::little, "local header");
  const LocalHeader local = read_header(reader, entry.local_offset, limit);
  compare(local, entry);
  if (entry.compressed_size > limit - local.end) {
    refuse(ZipFault::out_of_bounds, "the member's data runs into the directory");
  }
  const std::uint64_t data_end = local.end + entry.compressed_size;
  if ((local.flags & kFlagDescriptor) == 0) return {local.end, data_end, false};
  return {local.end, check_descriptor(reader, entry, local, data_end, limit), true};
}

}  // namespace truewheel::wheel
