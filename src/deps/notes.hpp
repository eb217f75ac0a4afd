// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace truewheel::deps {

/// Remarks in the order they came up, each once: hundreds of files skip the same 32-bit library.
class Notes {
 public:
  void add(std::string note) {
    if (seen_.insert(note).second) list_.push_back(std::move(note));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
  std::unordered_set<std::string> seen_;
};

}  // namespace truewheel::deps
