// SPDX-License-Identifier: Apache-2.0
#include "repair/graft_name.hpp"

#include <truewheel/error.hpp>

#include <algorithm>

namespace truewheel::repair {
namespace {

std::string folded(std::string_view name) {
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char letter) {
    return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  });
  return result;
}

bool ends_in_hash(std::string_view stem) {
  if (stem.size() < 10 || stem[stem.size() - 9] != '-') return false;
  const auto digits = stem.substr(stem.size() - 8);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

GraftNames::GraftNames(const std::set<std::string>& taken) {
  for (const auto& name : taken) taken_folded_.insert(folded(name));
}

std::string GraftNames::pick(std::string_view file_name, std::string_view sha256_hex) {
  const auto dot = file_name.find('.');
  const auto stem = file_name.substr(0, dot);
  const auto rest = dot == std::string_view::npos ? std::string_view() : file_name.substr(dot);
  if (ends_in_hash(stem) && taken_folded_.insert(folded(file_name)).second) {
    return std::string(file_name);
  }
  for (const std::size_t digits : {8U, 16U, 32U, 64U}) {
    auto name =
        std::string(stem) + "-" + std::string(sha256_hex.substr(0, digits)) + std::string(rest);
    if (taken_folded_.insert(folded(name)).second) return name;
  }
  throw Error(ErrorKind::unfit, "graft-name-taken",
              "every name for " + std::string(file_name) + " is taken in the wheel");
}

}  // namespace truewheel::repair
