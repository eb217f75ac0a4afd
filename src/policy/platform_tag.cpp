// SPDX-License-Identifier: Apache-2.0
#include "policy/tables.hpp"
#include <truewheel/policy.hpp>

#include <charconv>

namespace truewheel::policy {
namespace {

// A number of at most six digits and the underscore behind it, taken off the front; nullopt if they
// are not there.
std::optional<int> take_number(std::string_view& text) {
  const std::size_t end = text.find('_');
  if (end == std::string_view::npos || end == 0 || end > 6) return std::nullopt;
  int value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + end, value);
  if (failure != std::errc{} || stop != text.data() + end || value < 0) return std::nullopt;
  text.remove_prefix(end + 1);
  return value;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<PlatformTag> parse_versioned(std::string_view tag, std::string_view family,
                                           bool has_minor) {
  if (!take_prefix(tag, family) || !take_prefix(tag, "_")) return std::nullopt;
  PlatformTag parsed;
  parsed.family = family;
  const auto major = take_number(tag);
  const auto minor = !major || !has_minor ? std::optional(0) : take_number(tag);
  if (!major || !minor || tag.empty()) return std::nullopt;
  parsed.major = *major;
  parsed.minor = *minor;
  parsed.architecture = baseline_architecture(tag);
  return parsed;
}

// manylinux2014_x86_64: an alias of the tables, then an architecture.
std::optional<PlatformTag> parse_alias(std::string_view tag) {
  const std::size_t underscore = tag.find('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  const auto policy = policy_of_alias(tag.substr(0, underscore));
  if (!policy) return std::nullopt;
  auto parsed = parse_versioned(*policy + std::string(tag.substr(underscore)), "manylinux", true);
  if (parsed) parsed->legacy = true;
  return parsed;
}

}  // namespace

PlatformTag parse_platform_tag(std::string_view tag) {
  if (const auto parsed = parse_versioned(tag, "manylinux", true)) return *parsed;
  if (const auto parsed = parse_versioned(tag, "musllinux", true)) return *parsed;
  if (const auto parsed = parse_versioned(tag, "android", false)) return *parsed;
  if (const auto parsed = parse_alias(tag)) return *parsed;
  PlatformTag other;
  std::string_view rest = tag;
  if (take_prefix(rest, "linux_")) {
    other.family = "linux";
    other.architecture = rest;
    return other;
  }
  // Somebody else's tag, "any" among them: its family is what comes before the first number or
  // underscore.
  other.family = tag.substr(0, tag.find_first_of("_0123456789"));
  // A name that only looks like one of ours ("manylinux_2_x86_64") must not pass for it.
  if (other.family == "manylinux" || other.family == "musllinux" || other.family == "android" ||
      other.family == "linux" || (other.family == "any" && tag != "any")) {
    other.family = tag;
  }
  return other;
}

}  // namespace truewheel::policy
