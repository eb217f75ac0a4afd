// SPDX-License-Identifier: Apache-2.0
#include "base/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace truewheel {
namespace {

struct Range {
  char32_t first, last;
};

// Category Cf of Unicode 15, and U+2028/U+2029.
constexpr std::array<Range, 21> kFormatRanges{
    {{0x00AD, 0x00AD},   {0x0600, 0x0605},   {0x061C, 0x061C},   {0x06DD, 0x06DD},
     {0x070F, 0x070F},   {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x180E, 0x180E},
     {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x2064},   {0x2066, 0x206F},
     {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
     {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0001, 0xE0001},
     {0xE0020, 0xE007F}}};

constexpr std::uint8_t as_byte(char c) { return static_cast<std::uint8_t>(c); }

}  // namespace

std::optional<char32_t> take_code_point(std::string_view& text) {
  const std::uint8_t lead = as_byte(text.front());
  std::size_t length = 1;
  char32_t value = lead;
  char32_t smallest = 0;
  if (lead >= 0x80) {
    if (lead >= 0xF8 || lead < 0xC0) {
      text.remove_prefix(1);
      return std::nullopt;
    }
    length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    smallest = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
    value = lead & (0x7FU >> length);
  }
  bool valid = text.size() >= length;
  for (std::size_t i = 1; valid && i < length; ++i) {
    const std::uint8_t next = as_byte(text[i]);
    valid = (next & 0xC0) == 0x80;
    value = (value << 6) | (next & 0x3FU);
  }
  if (!valid || value < smallest || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    text.remove_prefix(1);
    return std::nullopt;
  }
  text.remove_prefix(length);
  return value;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    if (!take_code_point(text)) return false;
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return as_byte(c) < 0x80; });
}

bool is_control_or_format(char32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F)) return true;
  if (code_point < kFormatRanges.front().first) return false;
  const auto* range = std::ranges::upper_bound(kFormatRanges, code_point, {}, &Range::first);
  return code_point <= std::prev(range)->last;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace truewheel
