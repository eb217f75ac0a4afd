// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <string_view>

namespace truewheel::deps {

/// The pattern that `--exclude TEXT` means; "optional:GLOB" need not match anything.
[[nodiscard]] inline ExcludePattern exclude_option(std::string_view text) {
  constexpr std::string_view kOptional = "optional:";
  ExcludePattern pattern;
  pattern.origin = "--exclude";
  if (text.starts_with(kOptional)) {
    text.remove_prefix(kOptional.size());
    pattern.origin = "--exclude optional";
  }
  pattern.glob = text;
  return pattern;
}

}  // namespace truewheel::deps
