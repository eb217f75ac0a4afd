// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/sibling.hpp"
#include <truewheel/deps.hpp>

#include <vector>

namespace truewheel::deps {

/// Which files of the wheel load which, by the names that they need; found out at the first
/// question.
class Loaders {
 public:
  Loaders(const std::vector<WheelFile>& files, const LayoutIndex& index)
      : files_(files), index_(index) {}

  /// All files that load `file`, directly or through others, nearest first; without itself.
  [[nodiscard]] std::vector<std::size_t> above(std::size_t file);

 private:
  void find_all();

  const std::vector<WheelFile>& files_;
  const LayoutIndex& index_;
  std::vector<std::vector<std::size_t>> loaders_;  ///< by file, ascending
};

}  // namespace truewheel::deps
