// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace truewheel::wheel {

/// A version in the one form that all equal versions share (PEP 440): normalised, numbers without
/// leading zeros, release without trailing ".0". For comparing only. `_` stands for `-` as in file
/// names. nullopt if it is not a version.
[[nodiscard]] std::optional<std::string> comparable_version(std::string_view version);

}  // namespace truewheel::wheel
