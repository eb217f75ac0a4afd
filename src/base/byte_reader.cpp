// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"

#include <fmt/format.h>

namespace truewheel {

std::string_view ByteReader::c_string(std::uint64_t offset) const {
  require(offset, 1);
  const auto rest = as_text(bytes_.subspan(static_cast<std::size_t>(offset)));
  const auto end = rest.find('\0');
  if (end == std::string_view::npos) {
    throw Error(
        ErrorKind::refused, "truncated",
        fmt::format("{}{}string at {:#x} has no end", name_, name_.empty() ? "" : ": ", offset));
  }
  return rest.substr(0, end);
}

void ByteReader::fail(std::uint64_t offset, std::uint64_t length) const {
  throw Error(ErrorKind::refused, "truncated",
              fmt::format("{}{}{} bytes at {:#x} end past its size of {:#x}", name_,
                          name_.empty() ? "" : ": ", length, offset, bytes_.size()));
}

// Text and bytes are the same memory; char may alias anything, so this one cast is defined.
std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace truewheel
