// SPDX-License-Identifier: Apache-2.0
#include "policy/versions.hpp"

#include <algorithm>

namespace truewheel::policy {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The C library and the compiler's runtime own every name under theirs: GLIBC_PRIVATE,
// GLIBC_ABI_GNU2_TLS, CXXABI_FLOAT128. Other names are shared with strangers: ZLIB_NG_2.1.0 is not
// zlib's.
bool owns_its_prefix(std::string_view family) {
  return family == "GLIBC" || is_libstdcxx_family(family);
}

// "NG_2.1.0" continues the name before its number; "PRIVATE" has no number.
bool is_longer_name(std::string_view rest) {
  const std::size_t underscore = rest.rfind('_');
  return underscore != std::string_view::npos && is_numeric_version(rest.substr(underscore + 1));
}

int compare_numbers(std::string_view a, std::string_view b) {
  const auto strip = [](std::string_view& digits) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  };
  strip(a);
  strip(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return order == 0 ? 0 : (order < 0 ? -1 : 1);
}

// The run of digits, or of anything else, at the front of `text`; taken off it.
std::string_view take_run(std::string_view& text) {
  std::size_t length = 1;
  while (length < text.size() && is_digit(text[length]) == is_digit(text[0])) ++length;
  const std::string_view run = text.substr(0, length);
  text.remove_prefix(length);
  return run;
}

}  // namespace

bool is_numeric_version(std::string_view text) {
  return !text.empty() && is_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
}

bool is_libstdcxx_family(std::string_view family) {
  return family == "GLIBCXX" || family == "CXXABI" || family == "GCC";
}

std::optional<FamilyVersion> family_of(const Policy& policy, std::string_view name) {
  for (const auto& [family, versions] : policy.symbol_versions) {
    if (!name.starts_with(family) || name.substr(family.size()).substr(0, 1) != "_") continue;
    const std::string rest(name.substr(family.size() + 1));
    if (owns_its_prefix(family) || versions.contains(rest) || !is_longer_name(rest)) {
      return FamilyVersion{family, rest};
    }
  }
  return std::nullopt;
}

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view run_a = take_run(a);
    const std::string_view run_b = take_run(b);
    const int order = is_digit(run_a[0]) && is_digit(run_b[0]) ? compare_numbers(run_a, run_b)
                                                               : run_a.compare(run_b);
    if (order != 0) return order < 0 ? -1 : 1;
  }
  return a.empty() ? (b.empty() ? 0 : -1) : 1;
}

}  // namespace truewheel::policy
