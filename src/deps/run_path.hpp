// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::deps {

/// The values that the tokens of a run path take; a token without one drops its entry.
struct TokenValues {
  std::string origin;
  std::optional<std::string> lib;
  std::optional<std::string> platform;
};

/// Replaces $ORIGIN, $LIB and $PLATFORM, plain or in braces, as glibc's _dl_dst_substitute does
/// (elf/dl-load.c): anywhere in the text, but a plain token must not go on as an identifier
/// ("$ORIGINAL" is literal text). nullopt when a token has no value.
[[nodiscard]] std::optional<std::string> expand_tokens(std::string_view text,
                                                       const TokenValues& values);

/// musl's and bionic's way: the token's letters count even when more letters follow.
[[nodiscard]] std::string replace_prefix_token(std::string_view text, std::string_view name,
                                               std::string_view value);

/// True if the text holds glibc's token $ORIGIN.
[[nodiscard]] bool uses_origin(std::string_view text);

/// The made-up folder that stands for the installation root in expanded texts. No path of a wheel
/// holds its byte, so a text that reaches a file of the layout begins with it.
inline constexpr std::string_view kLayoutRoot = "/\x01";

/// $ORIGIN of a file of the layout: its folder below kLayoutRoot.
[[nodiscard]] std::string layout_origin(std::string_view file_path);

/// The components of an expanded text behind kLayoutRoot, ".", "" left out and ".." kept; nullopt
/// for a text that does not begin there.
[[nodiscard]] std::optional<std::vector<std::string>> components_below_root(std::string_view text);

}  // namespace truewheel::deps
