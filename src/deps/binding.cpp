// SPDX-License-Identifier: Apache-2.0
#include "deps/binding.hpp"

namespace truewheel::deps {

bool Bindings::has(std::size_t needing, const std::string& needed, std::size_t file) {
  simulate();
  return by_file_.contains({needing, needed, file});
}

bool Bindings::has(const std::string& needed, std::size_t file) {
  simulate();
  return by_name_.contains({needed, file});
}

void Bindings::simulate() {
  if (is_simulated_) return;
  is_simulated_ = true;
  // What the wheel's own run paths do not lead to is somebody else's.
  const auto provided = [](const std::string&) { return true; };
  simulate_loads(files_, libc_, provided, [&](std::size_t, const std::vector<LoadStep>& steps) {
    for (const auto& step : steps) {
      if (!step.found) continue;
      by_file_.emplace(step.needing, step.needed, *step.found);
      by_name_.emplace(step.needed, *step.found);
    }
  });
}

}  // namespace truewheel::deps
