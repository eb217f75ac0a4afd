// SPDX-License-Identifier: Apache-2.0
#include "deps/loaders.hpp"

#include <set>

namespace truewheel::deps {

std::vector<std::size_t> Loaders::above(std::size_t file) {
  if (loaders_.size() != files_.size()) find_all();
  std::vector<std::size_t> found;
  std::set<std::size_t> seen = {file};
  const auto add_loaders_of = [&](std::size_t loaded) {
    for (const std::size_t loader : loaders_[loaded]) {
      if (seen.insert(loader).second) found.push_back(loader);
    }
  };
  add_loaders_of(file);
  for (std::size_t at = 0; at < found.size(); ++at) add_loaders_of(found[at]);
  return found;
}

void Loaders::find_all() {
  loaders_.assign(files_.size(), {});
  for (std::size_t i = 0; i < files_.size(); ++i) {
    std::set<std::size_t> loaded;
    for (const auto& needed : files_[i].facts->needed) {
      const auto siblings = index_.siblings(i, needed);
      if (!siblings.empty()) loaded.insert(siblings.front());
    }
    for (const std::size_t target : loaded) loaders_[target].push_back(i);
  }
}

}  // namespace truewheel::deps
