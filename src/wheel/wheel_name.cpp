// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "wheel/version.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::wheel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) { return is_alphanumeric(c) || c == '_'; }

[[noreturn]] void refuse_name(std::string_view file_name, std::string_view why) {
  throw Error(ErrorKind::refused, "wheel-name",
              fmt::format("'{}' is not the name of a wheel: {}", printable(file_name), why),
              "{distribution}-{version}(-{build})-{python}-{abi}-{platform}.whl");
}

std::vector<std::string> parse_tags(std::string_view file_name, const std::string& part,
                                    std::string_view kind) {
  auto tags = split(part, '.');
  for (const auto& tag : tags) {
    if (tag.empty() || !std::ranges::all_of(tag, is_word)) {
      refuse_name(file_name, fmt::format("{} tag '{}' is not one", kind, printable(part)));
    }
  }
  return tags;
}

}  // namespace

WheelName parse_wheel_name(std::string_view file_name) {
  constexpr std::string_view kSuffix = ".whl";
  if (file_name.ends_with(".tar.gz")) {
    throw Error(ErrorKind::refused, "wheel-name",
                fmt::format("'{}' is a source distribution, not a wheel", printable(file_name)),
                "`pip wheel` builds a wheel of it");
  }
  if (!file_name.ends_with(kSuffix)) refuse_name(file_name, "it does not end in .whl");
  auto parts = split(file_name.substr(0, file_name.size() - kSuffix.size()), '-');
  if (parts.size() < 5 || parts.size() > 7) {
    refuse_name(file_name, fmt::format("it has {} parts, not five to seven", parts.size()));
  }
  WheelName name;
  name.distribution = parts[0];
  name.version = parts[1];
  std::size_t next = 2;
  // PEP 825: of six parts the third is a build tag if it starts with a digit, which no Python tag
  // does.
  if (parts.size() > 5 && !parts[2].empty() && is_digit(parts[2][0])) name.build = parts[next++];
  if (parts.size() - next > 4 || parts.size() - next < 3) {
    refuse_name(file_name, "its build tag does not start with a digit");
  }
  if (parts.size() - next == 4) {
    name.variant = parts.back();
    if (name.variant.empty() || !std::ranges::all_of(name.variant, [](char c) {
          return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_' || c == '.';
        })) {
      refuse_name(file_name, fmt::format("variant label '{}' is not one", printable(name.variant)));
    }
  }

  const auto& distribution = name.distribution;
  if (!std::ranges::any_of(distribution, is_alphanumeric) ||
      !std::ranges::all_of(distribution, [](char c) { return is_word(c) || c == '.'; })) {
    refuse_name(file_name, fmt::format("distribution '{}' is not a name", printable(distribution)));
  }
  if (!comparable_version(name.version)) {
    refuse_name(file_name, fmt::format("'{}' is not a version", printable(name.version)));
  }
  if (!std::ranges::all_of(name.build, [](char c) { return is_word(c) || c == '.'; })) {
    refuse_name(file_name, fmt::format("build tag '{}' is not one", printable(name.build)));
  }
  name.python_tags = parse_tags(file_name, parts[next], "python");
  name.abi_tags = parse_tags(file_name, parts[next + 1], "abi");
  name.platform_tags = parse_tags(file_name, parts[next + 2], "platform");
  if (is_digit(name.python_tags[0][0])) {
    refuse_name(file_name, fmt::format("python tag '{}' starts with a digit", name.python_tags[0]));
  }
  return name;
}

std::string WheelName::format() const {
  std::vector<std::string> parts{distribution, version};
  if (!build.empty()) parts.push_back(build);
  parts.push_back(join(python_tags, "."));
  parts.push_back(join(abi_tags, "."));
  parts.push_back(join(platform_tags, "."));
  if (!variant.empty()) parts.push_back(variant);
  return join(parts, "-") + ".whl";
}

std::vector<std::string> WheelName::expanded_tags() const {
  std::vector<std::string> tags;
  tags.reserve(python_tags.size() * abi_tags.size() * platform_tags.size());
  for (const auto& python : python_tags) {
    for (const auto& abi : abi_tags) {
      for (const auto& platform : platform_tags)
        tags.push_back(python + "-" + abi + "-" + platform);
    }
  }
  return tags;
}

std::string normalized_distribution(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  bool in_run = false;
  for (const char c : name) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (separator && !in_run) out.push_back('_');
    if (!separator) out.push_back(ascii_lower(c));
    in_run = separator;
  }
  return out;
}

}  // namespace truewheel::wheel
