// SPDX-License-Identifier: Apache-2.0
#include "repair/graft_name.hpp"

#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <array>

namespace truewheel::repair {
namespace {

bool ends_in_hash(std::string_view stem) {
  if (stem.size() < 10 || stem[stem.size() - 9] != '-') return false;
  const auto digits = stem.substr(stem.size() - 8);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Where the hash goes: behind what is before the first dot.
struct Parts {
  std::string_view stem, rest;
};

Parts parts_of(std::string_view file_name) {
  const auto dot = file_name.find('.');
  return {file_name.substr(0, dot),
          dot == std::string_view::npos ? std::string_view() : file_name.substr(dot)};
}

constexpr std::array<std::size_t, 4> kDigits = {8, 16, 32, 64};

std::string with_hash(const Parts& parts, std::string_view digits) {
  return std::string(parts.stem) + "-" + std::string(digits) + std::string(parts.rest);
}

}  // namespace

GraftNames::GraftNames(const std::set<std::string>& taken) {
  for (const auto& name : taken) taken_folded_.insert(ascii_lower(name));
}

std::string GraftNames::pick(std::string_view file_name, std::string_view sha256_hex) {
  const auto parts = parts_of(file_name);
  if (ends_in_hash(parts.stem) && taken_folded_.insert(ascii_lower(file_name)).second) {
    return std::string(file_name);
  }
  for (const std::size_t digits : kDigits) {
    auto name = with_hash(parts, sha256_hex.substr(0, digits));
    if (taken_folded_.insert(ascii_lower(name)).second) return name;
  }
  throw Error(ErrorKind::unfit, "graft-name-taken",
              "every name for " + std::string(file_name) + " is taken in the wheel");
}

std::set<std::string> graft_names_of(std::string_view file_name, std::string_view sha256_hex) {
  const auto parts = parts_of(file_name);
  std::set<std::string> names;
  if (ends_in_hash(parts.stem)) names.emplace(file_name);
  for (const std::size_t digits : kDigits) {
    names.insert(with_hash(parts, sha256_hex.substr(0, digits)));
  }
  return names;
}

}  // namespace truewheel::repair
