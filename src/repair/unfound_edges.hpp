// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <tuple>
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

/// A need that no file of the wheel is to answer, and that the loader brings to one which merely
/// has the name.
struct UnmeantEdge {
  std::size_t needing = 0;  ///< index into the layout, or behind it into the outside files
  std::string needed;
  std::size_t found = 0;
  std::optional<std::size_t> lender;  ///< whose DT_RPATH, inherited, led there

  friend bool operator<(const UnmeantEdge& a, const UnmeantEdge& b) {
    return std::tie(a.needing, a.needed, a.found, a.lender) <
           std::tie(b.needing, b.needed, b.found, b.lender);
  }
};
/// All of them, of the same loads, needs of what the user's machine provides among them. The input
/// may have it so on purpose.
[[nodiscard]] std::set<UnmeantEdge> find_unmeant_edges(
    const std::vector<deps::WheelFile>& layout, const std::vector<std::vector<PlannedEdge>>& edges,
    deps::Libc libc, const deps::OutsideFiles& outside);

}  // namespace truewheel::repair
