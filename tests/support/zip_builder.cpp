// SPDX-License-Identifier: Apache-2.0
#include "support/zip_builder.hpp"

#include "base/byte_reader.hpp"
#include "base/deflate.hpp"
#include "base/hash.hpp"
#include "base/unicode.hpp"

#include <stdexcept>
#include <utility>

namespace truewheel::test {
namespace {

std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

std::string local_header(const ZipHeader& header) {
  return le32(header.signature) + le16(header.version) + le16(header.flags) + le16(header.method) +
         le16(header.time) + le16(header.date) + le32(header.crc) + le32(header.compressed_size) +
         le32(header.size) +
         le16(header.name_length.value_or(static_cast<std::uint16_t>(header.name.size()))) +
         le16(header.extra_length.value_or(static_cast<std::uint16_t>(header.extra.size()))) +
         header.name + header.extra;
}

std::string directory_entry(const ZipHeader& header, std::uint64_t offset) {
  return le32(header.signature) + le16(header.made_by) + le16(header.version) + le16(header.flags) +
         le16(header.method) + le16(header.time) + le16(header.date) + le32(header.crc) +
         le32(header.compressed_size) + le32(header.size) +
         le16(header.name_length.value_or(static_cast<std::uint16_t>(header.name.size()))) +
         le16(header.extra_length.value_or(static_cast<std::uint16_t>(header.extra.size()))) +
         le16(header.comment_length.value_or(static_cast<std::uint16_t>(header.comment.size()))) +
         le16(header.disk) + le16(0) + le32(header.attributes) +
         le32(header.offset.value_or(static_cast<std::uint32_t>(offset))) + header.name +
         header.extra + header.comment;
}

std::string zip64_end(const Zip64End& end, std::uint64_t entries, std::uint64_t size,
                      std::uint64_t offset, std::uint64_t position) {
  std::string out;
  if (end.has_record) {
    out += le32(end.signature) + le64(end.record_size) + le16(3 << 8 | 45) + le16(45) +
           le32(end.disk) + le32(end.directory_disk) +
           le64(end.entries_here.value_or(end.entries.value_or(entries))) +
           le64(end.entries.value_or(entries)) + le64(end.directory_size.value_or(size)) +
           le64(end.directory_offset.value_or(offset)) + end.extensible;
  }
  out += end.between;
  if (end.has_locator) {
    out += le32(0x07064b50) + le32(end.locator_disk) + le64(end.locator_offset.value_or(position)) +
           le32(end.disks);
  }
  return out;
}

}  // namespace

std::string le16(std::uint64_t value) { return little_endian(value, 2); }
std::string le32(std::uint64_t value) { return little_endian(value, 4); }
std::string le64(std::uint64_t value) { return little_endian(value, 8); }

std::string extra_field(std::uint16_t id, std::string_view content) {
  return le16(id) + le16(content.size()) + std::string(content);
}

std::string ZipBuilder::build() const {
  std::string out = prefix;
  std::string directory;
  std::uint64_t listed = 0;
  for (const auto& item : items) {
    out += item.before;
    const std::uint64_t offset = out.size() - prefix.size();
    if (item.has_local) out += local_header(item.local) + item.data + item.descriptor;
    if (!item.is_listed) continue;
    directory += directory_entry(item.central, offset);
    ++listed;
  }
  out += before_directory;
  const std::uint64_t offset = out.size() - prefix.size();
  out += directory + after_directory;
  if (zip64) out += zip64_end(*zip64, listed, directory.size(), offset, out.size() - prefix.size());
  if (has_end) {
    const auto count = static_cast<std::uint16_t>(listed);
    out += le32(0x06054b50) + le16(disk) + le16(directory_disk) +
           le16(entries_here.value_or(entries.value_or(count))) + le16(entries.value_or(count)) +
           le32(directory_size.value_or(static_cast<std::uint32_t>(directory.size()))) +
           le32(directory_offset.value_or(static_cast<std::uint32_t>(offset))) +
           le16(comment_length.value_or(static_cast<std::uint16_t>(comment.size()))) + comment;
  }
  return out + tail;
}

ZipItem stored_item(std::string name, std::string content) {
  ZipItem item;
  item.local.flags = is_ascii(name) ? 0 : 1 << 11;
  item.local.name = std::move(name);
  item.local.crc = crc32(0, as_bytes(content));
  item.local.size = item.local.compressed_size = static_cast<std::uint32_t>(content.size());
  item.data = std::move(content);
  item.central = item.local;
  item.local.signature = 0x04034b50;
  item.central.signature = 0x02014b50;
  return item;
}

ZipItem deflated_item(std::string name, std::string_view content) {
  const auto compressed = deflate_smaller(as_bytes(content), 6);
  if (!compressed) throw std::logic_error("a test's content must be compressible");
  ZipItem item = stored_item(std::move(name), std::string(content));
  item.data = std::string(as_text(*compressed));
  for (ZipHeader* header : {&item.local, &item.central}) {
    header->method = 8;
    header->compressed_size = static_cast<std::uint32_t>(item.data.size());
  }
  return item;
}

ZipItem folder_item(std::string name) {
  ZipItem item = stored_item(std::move(name), "");
  item.central.attributes = 0040755U << 16 | 0x10;
  return item;
}

void use_local_zip64(ZipItem& item) {
  item.local.extra += extra_field(1, le64(item.local.size) + le64(item.local.compressed_size));
  item.local.size = item.local.compressed_size = 0xFFFFFFFF;
}

void use_descriptor(ZipItem& item) {
  const bool is_zip64 = item.local.size == 0xFFFFFFFF;
  const auto wide = [&](std::uint64_t value) { return is_zip64 ? le64(value) : le32(value); };
  item.descriptor = le32(0x08074b50) + le32(item.central.crc) + wide(item.central.compressed_size) +
                    wide(item.central.size);
  item.local.flags |= 8;
  item.central.flags |= 8;
  item.local.crc = 0;
  if (is_zip64) {
    item.local.extra = extra_field(1, le64(0) + le64(0));
  } else {
    item.local.size = item.local.compressed_size = 0;
  }
}

ZipBuilder small_archive() {
  ZipBuilder zip;
  zip.items.push_back(stored_item("pkg/__init__.py", "x = 1\n"));
  zip.items.push_back(deflated_item("pkg/data.txt", std::string(400, 'a') + std::string(400, 'b')));
  zip.items.push_back(stored_item("p-1.dist-info/RECORD", "p-1.dist-info/RECORD,,\n"));
  return zip;
}

}  // namespace truewheel::test
