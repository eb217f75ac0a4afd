// SPDX-License-Identifier: Apache-2.0
#include "repair/examine.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace truewheel::repair {
namespace {

using wheel::InstalledPath;

/// Where the loader will see a member. Programs of `.data/scripts` land in a bin folder that has no
/// fixed way to site-packages, so they are looked at where a shim would keep them; `.data/data` and
/// `.data/headers` have no such place and stay under their archive name, which no other file's run
/// path can reach.
std::string layout_path(const LoadedMember& member, const wheel::WheelName& name) {
  switch (member.installed.scheme) {
    case InstalledPath::Scheme::root:
    case InstalledPath::Scheme::purelib:
      return member.installed.path;
    case InstalledPath::Scheme::scripts:
      return scripts_folder(name) + "/" + member.installed.path;
    case InstalledPath::Scheme::data:
    case InstalledPath::Scheme::headers:
      break;
  }
  return member.archive.name;
}

bool is_included(const std::vector<std::string>& includes, const std::string& glob) {
  return std::any_of(includes.begin(), includes.end(), [&](const std::string& include) {
    return include == glob || glob_match(glob, include) || glob_match(include, glob);
  });
}

/// The user's patterns first, then profiles, then the driver groups: the first that matches is
/// reported.
std::vector<deps::ExcludePattern> patterns_of(const InspectOptions& options) {
  std::vector<deps::ExcludePattern> patterns;
  const auto add = [&](const std::string& glob, const std::string& origin, bool is_driver) {
    deps::ExcludePattern pattern;
    pattern.glob = glob;
    pattern.origin = origin;
    pattern.is_driver = is_driver;
    patterns.push_back(std::move(pattern));
  };
  for (const auto& glob : options.excludes) add(glob, "--exclude", false);
  for (const auto& name : options.profiles) {
    const auto& profile = policy::find_profile(name);
    for (const auto& glob : profile.globs) {
      if (!is_included(options.includes, glob))
        add(glob, "profile " + profile.name, profile.is_driver);
    }
  }
  if (!options.driver_groups) return patterns;
  for (const auto& profile : policy::all_profiles()) {
    if (!profile.is_driver) continue;
    for (const auto& glob : profile.globs) {
      if (!is_included(options.includes, glob)) add(glob, "driver group " + profile.name, true);
    }
  }
  return patterns;
}

}  // namespace

std::string scripts_folder(const wheel::WheelName& name) { return name.distribution + ".scripts"; }

Examined examine(LoadedWheel wheel, const InspectOptions& options) {
  Examined examined{std::move(wheel), {}, {}, {}, {}};
  auto& loaded = examined.wheel;
  for (std::size_t i = 0; i < loaded.members.size(); ++i) {
    const auto& member = loaded.members[i];
    if (!member.facts) continue;
    examined.layout.push_back({layout_path(member, loaded.name), member.facts});
    examined.member_of.push_back(i);
  }

  // The libc is the wheel's, by its tags or its ELF files; glibc where nothing tells (static
  // programs only).
  const auto libc = policy::libc_of(loaded.name.platform_tags, examined.layout);
  loaded.libc = libc.value_or(deps::Libc::glibc);

  auto search = options.search;
  search.libc = loaded.libc;
  examined.graph = deps::resolve(examined.layout, patterns_of(options), search);
  if (!loaded.architecture.empty()) {
    examined.verdict =
        policy::evaluate(examined.graph, loaded.libc, loaded.architecture, options.evaluate);
  }
  for (const auto& note : examined.verdict.notes) {
    loaded.findings.push_back({"not-judged", Severity::warning, {}, note, {}});
  }
  for (const auto& warning : examined.graph.warnings) {
    loaded.findings.push_back({"sibling", Severity::warning, {}, warning, {}});
  }
  for (const auto& note : examined.graph.notes) {
    loaded.findings.push_back({"resolve", Severity::note, {}, note, {}});
  }
  return examined;
}

}  // namespace truewheel::repair
