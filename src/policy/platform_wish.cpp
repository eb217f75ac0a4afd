// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "policy/tables.hpp"
#include <truewheel/error.hpp>
#include <truewheel/policy.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace truewheel::policy {
namespace {

// Every architecture that a platform name may end in; a longer one before its own ending.
constexpr std::array<std::string_view, 17> kTagArchitectures = {
    "x86_64_v4", "x86_64_v3", "x86_64_v2",   "x86_64", "x86",    "i686",
    "aarch64",   "arm64_v8a", "armeabi_v7a", "armv7l", "armv6l", "loongarch64",
    "ppc64le",   "ppc64",     "riscv64",     "s390x",  "arm64"};

constexpr int kOldestAndroid = 21;  // PEP 738: the first API level that Python supports

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::usage, "platform-name", message, hint);
}

// Levenshtein's distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// Whether most of it would have to be typed anew to be any of them.
bool is_like_none(std::string_view name, const std::vector<std::string>& known) {
  return std::all_of(known.begin(), known.end(), [&](const std::string& candidate) {
    return 2 * edit_distance(name.substr(0, 64), candidate) >
           std::max(name.size(), candidate.size());
  });
}

// A name of the right family with another number is nearest to the number; any other one is a
// typing mistake, perhaps in what should have been the architecture.
std::string nearest(std::string_view name, const std::vector<std::string>& known,
                    const std::string& architecture_suffix) {
  const PlatformTag wished = parse_platform_tag(std::string(name) + "_any");
  const auto distance = [&](const std::string& candidate) -> std::pair<std::size_t, int> {
    const PlatformTag there = parse_platform_tag(candidate + "_any");
    const bool numbered = !wished.architecture.empty() && wished.family != "linux" &&
                          there.family == wished.family && !there.legacy;
    if (numbered) {
      const auto number = [](const PlatformTag& tag) { return tag.major * 1000 + tag.minor; };
      return {0, std::abs(number(there) - number(wished))};
    }
    const std::string_view start = name.substr(0, 64);
    return {1 + std::min(edit_distance(start, candidate),
                         edit_distance(start, candidate + architecture_suffix)),
            0};
  };
  return *std::min_element(known.begin(), known.end(),
                           [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
}

}  // namespace

PlatformWish parse_platform_wish(std::string_view text, deps::Libc libc,
                                 const std::string& architecture) {
  if (text == "auto") return {.automatic = true, .policy = {}};

  std::string_view name = text;
  std::string suffix;
  for (const std::string_view candidate : kTagArchitectures) {
    if (name.size() <= candidate.size() + 1 || !name.ends_with(candidate)) continue;
    if (name[name.size() - candidate.size() - 1] != '_') continue;
    name.remove_suffix(candidate.size() + 1);
    suffix = "_" + std::string(candidate);
    if (baseline_architecture(candidate) == architecture) break;
    refuse("platform '" + printable(text) + "' is for " + std::string(candidate) +
               ", the wheel is for " + tag_architecture(libc, architecture),
           "--plat " + printable(name));
  }

  std::vector<std::string> known;
  for (const auto& policy : policies_for(libc, architecture)) {
    const bool wished =
        policy->name == name ||
        std::find(policy->aliases.begin(), policy->aliases.end(), name) != policy->aliases.end();
    if (wished) return {.automatic = false, .policy = policy->name};
    known.push_back(policy->name);
    known.insert(known.end(), policy->aliases.begin(), policy->aliases.end());
  }
  known.emplace_back("auto");

  const PlatformTag wished = parse_platform_tag(std::string(name) + "_any");
  // The tables list only the API levels at which Android's libraries changed.
  if (libc == deps::Libc::bionic && wished.family == "android" && wished.major >= kOldestAndroid &&
      known.size() > 2) {
    return {.automatic = false, .policy = std::string(name)};
  }

  const std::string best = nearest(name, known, "_" + tag_architecture(libc, architecture));
  const std::string best_spelled = best == "auto" ? best : best + suffix;
  std::string why = "unknown platform '" + printable(text) + "'";
  bool is_unknown = true;
  for (const deps::Libc other : {deps::Libc::glibc, deps::Libc::musl, deps::Libc::bionic}) {
    if (wished.family != tag_family(other)) continue;
    is_unknown = false;
    if (other != libc) {
      refuse("platform '" + printable(text) + "' is for " + std::string(libc_name(other)) +
                 ", the wheel is for " + std::string(libc_name(libc)),
             "--plat auto takes the best one");
    }
    why = "platform '" + printable(text) + "' is not in the tables for " +
          tag_architecture(libc, architecture);
  }
  if (is_unknown && known.size() > 2 && is_like_none(name, known)) {
    refuse(why + "; there are " + known.front() + " to " + known[known.size() - 3] +
               ", linux, and auto, which takes the best",
           "--plat auto");
  }
  refuse(why + "; the nearest one is '" + best_spelled + "'", "--plat " + best_spelled);
}

}  // namespace truewheel::policy
