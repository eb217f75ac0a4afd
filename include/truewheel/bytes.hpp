// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace truewheel {

/// Bytes that somebody else owns: a mapped file, an inflated member, a test's array.
using Bytes = std::span<const std::uint8_t>;

/// Bytes that the holder owns.
using Buffer = std::vector<std::uint8_t>;

}  // namespace truewheel
