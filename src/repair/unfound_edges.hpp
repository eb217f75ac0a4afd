// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace truewheel::repair {

/// A NEEDED entry that the loader does not find in the finished layout although a file of the wheel
/// answers it.
struct UnfoundEdge {
  std::size_t needing = 0;  ///< index into the layout
  std::size_t target = 0;
  std::string needed;
};
/// Simulates a load from every root (and from files that no root reaches) and returns the edges not
/// found.
[[nodiscard]] std::vector<UnfoundEdge> find_unfound_edges(
    const std::vector<deps::WheelFile>& layout, const std::vector<std::vector<PlannedEdge>>& edges,
    deps::Libc libc);

}  // namespace truewheel::repair
