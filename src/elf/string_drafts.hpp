// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/draft.hpp"
#include "elf/ground.hpp"

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// All ways to get the string table to its new size, .dynamic not considered: rungs S4 (growing in
/// place, a copy), S4b-slide and S4b of docs/elf-rewriting.md, and the retreats. Empty when there
/// is none.
[[nodiscard]] std::vector<Draft> draft_strings(const Ground& ground, std::uint64_t size);

}  // namespace truewheel::elf
