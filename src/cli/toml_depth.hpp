// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace truewheel::cli {

/// The first line of a TOML text on which keys and brackets nest deeper than `limit`; nullopt if
/// none does. toml++ goes down by recursion, which a key of 100,000 dots turns into a crash.
[[nodiscard]] std::optional<std::size_t> line_nested_deeper(std::string_view text,
                                                            std::size_t limit);

}  // namespace truewheel::cli
