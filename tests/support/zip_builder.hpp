// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::test {

/// A header of a zip archive exactly as it is written; a length is that of its text unless it is
/// told to lie.
struct ZipHeader {
  std::uint32_t signature = 0;
  std::uint16_t made_by = 3 << 8 | 20;  ///< directory only, as is everything from disk on
  std::uint16_t version = 20;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint16_t time = 0;
  std::uint16_t date = 0x21;
  std::uint32_t crc = 0;
  std::uint32_t compressed_size = 0;
  std::uint32_t size = 0;
  std::string name;
  std::string extra;
  std::uint16_t disk = 0;
  std::uint32_t attributes = 0100644U << 16;
  std::optional<std::uint32_t> offset;  ///< where the local header lies, if not where it does
  std::string comment;
  std::optional<std::uint16_t> name_length, extra_length, comment_length;
};

/// A member: two headers and what stands around its data.
struct ZipItem {
  ZipHeader local, central;
  std::string before;      ///< in front of the local header
  std::string data;        ///< compressed
  std::string descriptor;  ///< behind the data
  bool has_local = true;
  bool is_listed = true;
};

struct Zip64End {
  std::uint64_t record_size = 44;
  std::uint32_t disk = 0, directory_disk = 0;
  std::optional<std::uint64_t> entries_here, entries, directory_size, directory_offset;
  std::string extensible;
  bool has_record = true, has_locator = true;
  std::uint32_t signature = 0x06064b50, locator_disk = 0, disks = 1;
  std::optional<std::uint64_t> locator_offset;
  std::string between;  ///< between record and locator
};

struct ZipBuilder {
  std::vector<ZipItem> items;
  std::string prefix;  ///< before everything; offsets do not know about it
  std::string before_directory;
  std::string after_directory;
  std::optional<Zip64End> zip64;
  bool has_end = true;
  std::uint16_t disk = 0, directory_disk = 0;
  std::optional<std::uint16_t> entries_here, entries, comment_length;
  std::optional<std::uint32_t> directory_size, directory_offset;
  std::string comment;
  std::string tail;

  [[nodiscard]] std::string build() const;
};

/// A member whose headers are true. Names that are not ASCII get flag bit 11.
[[nodiscard]] ZipItem stored_item(std::string name, std::string content);
[[nodiscard]] ZipItem deflated_item(std::string name, std::string_view content);
[[nodiscard]] ZipItem folder_item(std::string name);

/// Moves sizes and CRC of the local header into a data descriptor.
void use_descriptor(ZipItem& item);
/// Moves the local header's sizes into a ZIP64 field; with a descriptor call this first.
void use_local_zip64(ZipItem& item);

/// Little-endian bytes.
[[nodiscard]] std::string le16(std::uint64_t value);
[[nodiscard]] std::string le32(std::uint64_t value);
[[nodiscard]] std::string le64(std::uint64_t value);
[[nodiscard]] std::string extra_field(std::uint16_t id, std::string_view content);

/// An archive with three honest members: stored, deflated, RECORD.
[[nodiscard]] ZipBuilder small_archive();

}  // namespace truewheel::test
