// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace truewheel::cli {
namespace {

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= right.size(); ++k) {
      const auto above = row[k];
      row[k] = std::min({above + 1, row[k - 1] + 1,
                         diagonal + static_cast<std::size_t>(left[i - 1] != right[k - 1])});
      diagonal = above;
    }
  }
  return row[right.size()];
}

}  // namespace

std::string nearest_of(const std::set<std::string>& names, std::string_view word,
                       std::size_t wrong) {
  std::string nearest;
  std::size_t least = wrong + 1;
  for (const auto& name : names) {
    const auto distance = edit_distance(name, word);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace truewheel::cli
