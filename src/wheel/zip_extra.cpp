// SPDX-License-Identifier: Apache-2.0
#include "wheel/zip_extra.hpp"

#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include "wheel/zip_fault.hpp"
#include "wheel/zip_format.hpp"

namespace truewheel::wheel {
namespace {

// Info-ZIP's Unicode path (0x7075): version, CRC-32 of the name it replaces, new name. Readers that
// honour it and readers that do not must see the same name (Z25).
void check_unicode_path(Bytes field, std::string_view name) {
  const ByteReader reader(field);
  if (field.size() < 5 || reader.u8(0) != 1 || reader.u32(1) != crc32(0, as_bytes(name)) ||
      as_text(field.subspan(5)) != name) {
    refuse(ZipFault::unicode_path, "the Unicode path field does not repeat the name");
  }
}

}  // namespace

std::optional<Bytes> zip64_field(Bytes extra, std::string_view name) {
  std::optional<Bytes> zip64;
  bool has_unicode_path = false;
  while (!extra.empty()) {
    const ByteReader reader(extra);
    if (extra.size() < 4 || reader.u16(2) > extra.size() - 4) {
      refuse(ZipFault::extra_field, "an extra field runs past its block");
    }
    const std::uint16_t id = reader.u16(0);
    const std::size_t length = reader.u16(2);
    const Bytes content = extra.subspan(4, length);
    extra = extra.subspan(4 + length);
    if (id == kExtraZip64) {
      if (zip64) refuse(ZipFault::zip64_extra, "two ZIP64 extra fields");
      zip64 = content;
    } else if (id == kExtraUnicodePath) {
      if (has_unicode_path) refuse(ZipFault::unicode_path, "two Unicode path fields");
      has_unicode_path = true;
      check_unicode_path(content, name);
    }
  }
  return zip64;
}

}  // namespace truewheel::wheel
