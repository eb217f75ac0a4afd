// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include <truewheel/wheel.hpp>

#include <algorithm>
#include <set>

namespace truewheel::wheel {

std::vector<std::string> required_distributions(std::string_view metadata) {
  std::set<std::string> names;
  while (!metadata.empty()) {
    const auto line = take_piece(metadata, '\n');
    if (line.empty() || line == "\r") break;  // the description follows
    constexpr std::string_view kField = "requires-dist:";
    const bool is_field =
        line.size() > kField.size() &&
        std::equal(kField.begin(), kField.end(), line.begin(),
                   [](char wanted, char found) { return wanted == ascii_lower(found); });
    if (!is_field) continue;
    auto rest = line.substr(kField.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    names.insert(normalized_distribution(rest.substr(0, rest.find_first_of(" \t[(;<>=!~@,\r"))));
  }
  return {names.begin(), names.end()};
}

}  // namespace truewheel::wheel
