// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel {

/// The pieces of `text` between `separator`s; an empty text has one empty piece.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// Takes the piece before the first `separator` off the front, and the separator with it; all of
/// `text` if there is none. For long texts, whose pieces need not be held.
[[nodiscard]] std::string_view take_piece(std::string_view& text, char separator);

[[nodiscard]] std::string join(const std::vector<std::string>& pieces, std::string_view separator);
[[nodiscard]] bool contains(const std::vector<std::string>& texts, std::string_view text);

/// ASCII letters in lower case whatever the locale; other bytes stay as they are.
[[nodiscard]] constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string ascii_lower(std::string_view text);

/// fnmatch(3) without flags: `*`, `?`, `[...]`; a slash is an ordinary character, as Python's
/// fnmatch has it.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);

/// `text` with control bytes, broken UTF-8 and format characters (U+202E and its like) escaped, for
/// messages.
[[nodiscard]] std::string printable(std::string_view text);

/// True when `text` has a byte of the ASCII control characters.
[[nodiscard]] bool has_control_character(std::string_view text);

/// `text` without any of these characters at its two ends.
[[nodiscard]] std::string_view trimmed(std::string_view text, std::string_view characters);

/// The part behind the last slash.
[[nodiscard]] std::string_view base_name(std::string_view path);
/// The part before the last slash; empty if there is none.
[[nodiscard]] std::string_view folder_name(std::string_view path);

/// `a/b/../c/./d` as `a/c/d`, lexically; "" for the start itself. An absolute path stays absolute
/// (`/..` is `/`). nullopt if a `..` climbs above the start of a relative path.
[[nodiscard]] std::optional<std::string> normal_path(std::string_view path);

/// The way from folder `from` to folder `to`, both relative to one root: ("pkg/sub", "pkg.libs") is
/// "../../pkg.libs"; equal folders give "".
[[nodiscard]] std::string relative_path(std::string_view from, std::string_view to);

}  // namespace truewheel
