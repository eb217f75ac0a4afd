// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace truewheel {

/// Takes one code point off the front of `text`. nullopt on broken UTF-8 (overlong forms,
/// surrogates and values past U+10FFFF included); one byte is taken off then, so that a caller can
/// go on.
[[nodiscard]] std::optional<char32_t> take_code_point(std::string_view& text);

[[nodiscard]] bool is_valid_utf8(std::string_view text);
[[nodiscard]] bool is_ascii(std::string_view text);

/// General categories Cc and Cf, and the two separators U+2028 and U+2029 that end a line: what can
/// make a message look like something else on a terminal.
[[nodiscard]] bool is_control_or_format(char32_t code_point);

/// Two names with the same key are one name on some file system: case folded (Unicode's default
/// folding) and decomposed (NFKD). Bytes that are not UTF-8 stand for themselves.
[[nodiscard]] std::string collision_key(std::string_view name);

/// Appends the UTF-8 form of a code point.
void append_utf8(std::string& out, char32_t code_point);

}  // namespace truewheel
