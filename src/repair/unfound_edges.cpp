// SPDX-License-Identifier: Apache-2.0
#include "repair/unfound_edges.hpp"

#include <set>
#include <utility>

namespace truewheel::repair {

std::vector<UnfoundEdge> find_unfound_edges(const std::vector<deps::WheelFile>& layout,
                                            const std::vector<std::vector<PlannedEdge>>& edges,
                                            deps::Libc libc) {
  // Whatever the wheel does not have counts as provided: the question is only whether the wheel's
  // own is found.
  const auto provided = [](const std::string&) { return true; };
  const deps::LoadSimulator simulator(layout);
  std::vector<UnfoundEdge> unfound;
  std::set<std::pair<std::size_t, std::string>> reported;
  std::vector<bool> reached(layout.size(), false);
  const auto look = [&](std::size_t root) {
    reached[root] = true;
    for (const auto& step : simulator.load(root, libc, provided)) {
      if (step.found) reached[*step.found] = true;
      if (step.found) continue;
      for (const auto& edge : edges[step.needing]) {
        if (edge.needed != step.needed || !reported.insert({step.needing, step.needed}).second)
          continue;
        unfound.push_back({step.needing, edge.target, step.needed});
      }
    }
  };
  for (const auto root : deps::load_roots(layout)) look(root);
  // Cycles have no root, and what a broken edge leads to was not reached: each is a start of its
  // own.
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (!reached[i]) look(i);
  }
  return unfound;
}

}  // namespace truewheel::repair
