// SPDX-License-Identifier: Apache-2.0
#include "repair/unfound_edges.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace truewheel::repair {

std::vector<UnfoundEdge> find_unfound_edges(const std::vector<deps::WheelFile>& layout,
                                            const std::vector<std::vector<PlannedEdge>>& edges,
                                            deps::Libc libc) {
  // Whatever the wheel does not have counts as provided: the question is only whether the wheel's
  // own is found.
  const auto provided = [](const std::string&) { return true; };
  std::vector<UnfoundEdge> unfound;
  std::set<std::pair<std::size_t, std::string>> reported;
  deps::simulate_loads(layout, libc, provided,
                       [&](std::size_t, const std::vector<deps::LoadStep>& steps) {
                         for (const auto& step : steps) {
                           if (step.found) continue;
                           for (const auto& edge : edges[step.needing]) {
                             if (edge.needed != step.needed ||
                                 !reported.insert({step.needing, step.needed}).second) {
                               continue;
                             }
                             unfound.push_back({step.needing, edge.target, step.needed});
                           }
                         }
                       });
  return unfound;
}

std::set<UnmeantEdge> find_unmeant_edges(const std::vector<deps::WheelFile>& layout,
                                         const std::vector<std::vector<PlannedEdge>>& edges,
                                         deps::Libc libc, const deps::OutsideFiles& outside) {
  const auto provided = [](const std::string&) { return true; };
  const auto is_meant = [&](const deps::LoadStep& step) {
    if (step.needing >= layout.size()) return false;
    const auto& planned = edges[step.needing];
    return std::any_of(planned.begin(), planned.end(),
                       [&](const auto& edge) { return edge.needed == step.needed; });
  };
  std::set<UnmeantEdge> unmeant;
  const auto look = [&](std::size_t, const std::vector<deps::LoadStep>& steps) {
    for (const auto& step : steps) {
      if (!step.found || *step.found >= layout.size() || is_meant(step)) continue;
      const bool is_lent = step.via == deps::Via::inherited_rpath;
      unmeant.insert(
          {step.needing, step.needed, *step.found, is_lent ? step.entry_owner : std::nullopt});
    }
  };
  deps::simulate_loads(layout, libc, provided, look, outside);
  return unmeant;
}

}  // namespace truewheel::repair
