// SPDX-License-Identifier: Apache-2.0
#include "repair/examine.hpp"

#include "base/text.hpp"
#include "deps/exclude_option.hpp"
#include "repair/fold_copies.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace truewheel::repair {
namespace {

using wheel::InstalledPath;

bool is_program(const elf::ElfFacts& facts) {
  return facts.kind == elf::FileKind::pie || facts.kind == elf::FileKind::executable;
}

/// File names of the libraries that are installed to the prefix.
std::set<std::string> names_in_prefix(const LoadedWheel& wheel) {
  std::set<std::string> names;
  for (const auto& member : wheel.members) {
    using Scheme = InstalledPath::Scheme;
    if (!member.facts || is_program(*member.facts)) continue;
    if (member.installed.scheme == Scheme::scripts || member.installed.scheme == Scheme::data) {
      names.insert(std::string(base_name(member.installed.path)));
    }
  }
  return names;
}

/// A program that a script can start from elsewhere, and that needs nothing of where it is.
bool keeps_place(const LoadedMember& member, const std::set<std::string>& prefix_names) {
  if (!is_program(*member.facts)) return true;
  const auto& needed = member.facts->needed;
  return std::any_of(needed.begin(), needed.end(), [&](const std::string& name) {
    return prefix_names.contains(std::string(base_name(name)));
  });
}

/// The user's patterns first, then profiles, then the driver groups: the first that matches is
/// reported. --include takes libraries out of the groups, and out of nothing that the user names.
std::vector<deps::ExcludePattern> patterns_of(const InspectOptions& options) {
  std::vector<deps::ExcludePattern> patterns;
  const auto add = [&](const std::string& glob, const std::string& origin, bool is_driver) {
    deps::ExcludePattern pattern;
    pattern.glob = glob;
    pattern.origin = origin;
    pattern.is_driver = is_driver;
    pattern.unless = options.includes;
    patterns.push_back(std::move(pattern));
  };
  for (const auto& glob : options.excludes) patterns.push_back(deps::exclude_option(glob));
  for (const auto& name : options.profiles) {
    const auto& profile = policy::find_profile(name);
    for (const auto& glob : profile.globs) {
      add(glob, "profile " + profile.name, profile.is_driver);
    }
  }
  if (options.own_files_only) {
    add("*", kFixOnlyOrigin, false);
    patterns.back().unless.clear();
    return patterns;
  }
  if (!options.driver_groups) return patterns;
  for (const auto& profile : policy::all_profiles()) {
    if (!profile.is_driver) continue;
    for (const auto& glob : profile.globs) add(glob, "driver group " + profile.name, true);
  }
  return patterns;
}

/// True for what any policy of the wheel's libc leaves to the system. "linux" leaves all, and
/// promises nothing.
std::function<bool(std::string_view)> promises_of(deps::Libc libc,
                                                  const std::string& architecture) {
  auto policies = policy::policies_for(libc, architecture);
  std::erase_if(policies, [](const auto& one) { return one->name == "linux"; });
  return [policies = std::move(policies), libc](std::string_view needed) {
    return std::any_of(policies.begin(), policies.end(), [&](const auto& one) {
      return policy::comes_from_system(*one, libc, needed);
    });
  };
}

void resolve_and_judge(Examined& examined, const InspectOptions& options,
                       const FoldedCopies* folded) {
  const auto& loaded = examined.wheel;
  auto search = options.search;
  search.libc = loaded.libc;
  if (!loaded.architecture.empty()) {
    search.is_promised = promises_of(loaded.libc, loaded.architecture);
  }
  examined.graph = deps::resolve(examined.layout, patterns_of(options), search);
  if (folded != nullptr) folded->redirect(examined.graph);
  if (loaded.architecture.empty()) return;
  auto evaluation = options.evaluate;
  evaluation.android_level = policy::android_level(loaded.name.platform_tags);
  examined.verdict = policy::evaluate(examined.graph, loaded.libc, loaded.architecture, evaluation);
}

}  // namespace

Place place_of(const LoadedMember& member, const LoadedWheel& wheel, bool keeps_place) {
  using Scheme = InstalledPath::Scheme;
  std::string stem = wheel.dist_info;
  stem.resize(stem.size() - std::string_view(".dist-info").size());
  const std::string prefix = stem + ".data/data/";
  switch (member.installed.scheme) {
    case Scheme::root:
    case Scheme::purelib:
      return {member.installed.path, {}};
    case Scheme::scripts:
      if (keeps_place) return {prefix + "bin/" + member.installed.path, "prefix"};
      return {scripts_folder(wheel.name) + "/" + member.installed.path, {}};
    case Scheme::data:
      return {prefix + member.installed.path, "prefix"};
    case Scheme::headers:
      break;
  }
  return {member.archive.name, "headers"};
}

std::string scripts_folder(const wheel::WheelName& name) { return name.distribution + ".scripts"; }

Examined examine(LoadedWheel wheel, const InspectOptions& options) {
  Examined examined{std::move(wheel), {}, {}, {}, {}, {}};
  auto& loaded = examined.wheel;
  const auto prefix_names = names_in_prefix(loaded);
  for (std::size_t i = 0; i < loaded.members.size(); ++i) {
    const auto& member = loaded.members[i];
    if (!member.facts) continue;
    auto place = place_of(member, loaded, keeps_place(member, prefix_names));
    examined.layout.push_back({std::move(place.path), member.facts, std::move(place.tree),
                               member.archive.size, member.archive.crc});
    examined.member_of.push_back(i);
  }

  // The libc is the wheel's, by its tags or its ELF files; glibc where nothing tells (static
  // programs only).
  const auto libc = policy::libc_of(loaded.name.platform_tags, examined.layout);
  loaded.libc = libc.value_or(deps::Libc::glibc);

  std::optional<FoldedCopies> folded;
  if (options.own_files_only) {
    folded.emplace(loaded, examined.layout, examined.member_of);
    folded->shrink(examined.layout, examined.member_of);
    examined.folds = folded->folds();
  }
  resolve_and_judge(examined, options, folded ? &*folded : nullptr);
  for (const auto& file : examined.layout) {
    const auto odd = policy::odd_interpreter(*file.facts, loaded.libc);
    if (!odd) continue;
    loaded.findings.push_back(
        {"interpreter", Severity::warning, file.path, odd->sentence(), odd->hint()});
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

bool leave_driver_libraries_out(Examined& examined, InspectOptions options) {
  options.driver_groups = true;
  auto patterns = patterns_of(options);
  const auto is_drivers = [&](const deps::Edge& edge) {
    if (edge.answer != deps::Answer::host && edge.answer != deps::Answer::missing) return false;
    const auto& path = edge.target ? examined.graph.nodes[*edge.target].path : std::string();
    const auto pattern = deps::match_exclude(patterns, edge.needed, path);
    return pattern && patterns[*pattern].is_driver;
  };
  const auto& nodes = examined.graph.nodes;
  const bool matters = std::any_of(nodes.begin(), nodes.end(), [&](const deps::Node& node) {
    return std::any_of(node.edges.begin(), node.edges.end(), is_drivers);
  });
  if (matters) resolve_and_judge(examined, options, nullptr);
  return matters;
}

}  // namespace truewheel::repair
