// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace truewheel::deps {

/// Which files of the wheel a loader comes to by which names as the wheel stands, by a simulation
/// of all loads that runs at the first question.
class Bindings {
 public:
  Bindings(const std::vector<WheelFile>& files, Libc libc) : files_(files), libc_(libc) {}

  /// True if `file` is what some load binds `needed` of `needing` to.
  [[nodiscard]] bool has(std::size_t needing, const std::string& needed, std::size_t file);
  /// True if `file` is what some load binds that name of any file to.
  [[nodiscard]] bool has(const std::string& needed, std::size_t file);

 private:
  void simulate();

  const std::vector<WheelFile>& files_;
  Libc libc_;
  bool is_simulated_ = false;
  std::set<std::tuple<std::size_t, std::string, std::size_t>> by_file_;
  std::set<std::pair<std::string, std::size_t>> by_name_;
};

}  // namespace truewheel::deps
