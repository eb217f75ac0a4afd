// SPDX-License-Identifier: Apache-2.0
#include "check/requirements.hpp"

#include "base/text.hpp"
#include <truewheel/wheel.hpp>

#include <algorithm>
#include <cctype>
#include <set>

namespace truewheel::check {

std::vector<std::string> required_distributions(std::string_view metadata) {
  std::set<std::string> names;
  for (const auto& line : split(metadata, '\n')) {
    if (line.empty() || line == "\r") break;  // the description follows
    constexpr std::string_view kField = "requires-dist:";
    const bool is_field =
        line.size() > kField.size() &&
        std::equal(kField.begin(), kField.end(), line.begin(), [](char wanted, char found) {
          return wanted == static_cast<char>(std::tolower(static_cast<unsigned char>(found)));
        });
    if (!is_field) continue;
    auto rest = std::string_view(line).substr(kField.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    names.insert(
        wheel::normalized_distribution(rest.substr(0, rest.find_first_of(" \t[(;<>=!~@,\r"))));
  }
  return {names.begin(), names.end()};
}

std::string who_brings(const std::vector<std::string>& required, std::string_view folder) {
  auto top = wheel::normalized_distribution(folder.substr(0, folder.find('/')));
  while (top.starts_with('_')) top.erase(0, 1);
  const auto family = top.substr(0, top.find('_'));
  if (family.empty()) return {};
  const auto is_of_family = [&](const std::string& name) {
    return name == family || name.starts_with(family + "_");
  };
  const auto found = std::find_if(required.begin(), required.end(), is_of_family);
  return found == required.end() ? std::string() : *found;
}

}  // namespace truewheel::check
