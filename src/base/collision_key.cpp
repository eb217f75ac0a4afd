// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "base/unicode.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace truewheel {
namespace {

struct Folding {
  char32_t from;
  std::uint16_t start;
  std::uint8_t length;
};
struct Marks {
  char32_t first, last;
};

#include "base/unicode_folding.inc"

bool is_mark(char32_t c) {
  const auto* run = std::ranges::upper_bound(kMarks, c, {}, &Marks::first);
  return run != std::begin(kMarks) && c <= std::prev(run)->last;
}

// Hangul syllables decompose by arithmetic (Unicode standard, 3.12).
void append_hangul(std::u32string& out, char32_t syllable) {
  const char32_t index = syllable - 0xAC00;
  out.push_back(0x1100 + index / 588);
  out.push_back(0x1161 + index % 588 / 28);
  if (index % 28 != 0) out.push_back(0x11A7 + index % 28);
}

void append_folded(std::u32string& out, char32_t c) {
  if (c >= 0xAC00 && c <= 0xD7A3) return append_hangul(out, c);
  const auto* found = std::ranges::lower_bound(kFoldings, c, {}, &Folding::from);
  if (found == std::end(kFoldings) || found->from != c) {
    out.push_back(c);
  } else {
    out.append(kFoldedText + found->start, found->length);
  }
}

}  // namespace

std::string collision_key(std::string_view name) {
  if (is_ascii(name)) return ascii_lower(name);
  std::u32string folded;
  while (!name.empty()) {
    const auto byte = static_cast<unsigned char>(name.front());
    const auto code_point = take_code_point(name);
    if (!code_point) {
      folded.push_back(0xDC00 + byte);
    } else if (*code_point < 0x80) {
      folded.push_back(*code_point >= 'A' && *code_point <= 'Z' ? *code_point + 0x20 : *code_point);
    } else {
      append_folded(folded, *code_point);
    }
  }
  // Canonical order sorts a run of marks by class; code point order makes at least the same runs
  // equal, which is what a key for collisions needs.
  for (auto at = folded.begin(); at != folded.end();) {
    const auto run_end = std::find_if_not(at, folded.end(), is_mark);
    std::sort(at, run_end);
    at = run_end == folded.end() ? run_end : std::next(run_end);
  }
  std::string key;
  for (const char32_t c : folded) append_utf8(key, c);
  return key;
}

}  // namespace truewheel
