// SPDX-License-Identifier: Apache-2.0
#include "repair/plan_notes.hpp"

#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace truewheel::repair {
namespace {

using deps::Answer;
using deps::NodeId;

std::string quoted_list(const std::vector<std::string>& items, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < limit; ++i) {
    text += (i == 0 ? "" : ", ") + printable(items[i]);
  }
  if (items.size() > limit) text += fmt::format(" and {} more", items.size() - limit);
  return text;
}

/// Gathers what nothing has, for one message: whatever a wheel lacks, the message stays readable.
class MissingLibraries {
 public:
  MissingLibraries(const deps::Graph& graph, const std::filesystem::path& sysroot)
      : graph_(graph), sysroot_(sysroot) {}

  void add(NodeId needing, const deps::Edge& edge) {
    auto& entry = missing_[edge.needed];
    if (entry.edge == nullptr) entry.edge = &edge;
    entry.needed_by.push_back(needing);
  }
  [[nodiscard]] bool empty() const { return missing_.empty(); }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : missing_) names.push_back(name);
    return names;
  }

  [[nodiscard]] std::string text() const {
    std::string what = missing_.size() == 1
                           ? "a library was not found"
                           : fmt::format("{} libraries were not found", missing_.size());
    const auto common = common_places();
    std::size_t told = 0;
    for (const auto& [name, entry] : missing_) {
      if (++told > kTold) break;
      std::vector<std::string> needed_by;
      for (std::size_t i = 0; i < entry.needed_by.size(); ++i) {
        needed_by.push_back(i < kNeeding ? graph_.chain_to(entry.needed_by[i]) : std::string());
      }
      const auto& edge = *entry.edge;
      what +=
          fmt::format("\n  {}: needed by {}", printable(name), quoted_list(needed_by, kNeeding));
      if (edge.searched.empty()) what += "; searched nowhere";
      const auto own = edge.searched.size() - common.size();
      what += lines("\n    searched ", {edge.searched.data(), own}, kPlaces);
      what += lines("\n    passed over ", edge.passed_over, kPassedOver);
      what += lines("\n    in the wheel as its SONAME only: ", edge.soname_of, kPassedOver);
    }
    if (missing_.size() > kTold) {
      what +=
          fmt::format("\n  and {} more; truewheel show --json lists all", missing_.size() - kTold);
    }
    if (!common.empty()) {
      what += missing_.size() == 1 ? "\n  it was looked for in" : "\n  each was looked for in";
      if (!sysroot_.empty())
        what += fmt::format(" (the system's folders below {})", printable(sysroot_.string()));
      what += ":";
      what += lines("\n    ", common, kCommonPlaces);
    }
    return what;
  }

  /// The options that help, a group's name among them when it knows the library.
  [[nodiscard]] std::string hint() const {
    std::string hint = "--search DIR names a folder that has it";
    for (const auto& [folder, names] : folders_of_others()) {
      hint += fmt::format(", {} has {}", printable(folder), quoted_list(names, 4));
    }
    hint += "; --exclude NAME leaves it to the user's machine";
    for (const auto& [name, entry] : missing_) {
      if (entry.edge->soname_of.empty()) continue;
      hint = fmt::format("have the build install {} as {}, the name that is asked for; {}",
                         printable(entry.edge->soname_of.front()), printable(name), hint);
      break;
    }
    for (const auto& profile : policy::all_profiles()) {
      std::vector<std::string> names;
      for (const auto& [name, entry] : missing_) {
        const auto is_meant = [&name = name](const std::string& glob) {
          return glob_match(glob, name);
        };
        if (std::any_of(profile.globs.begin(), profile.globs.end(), is_meant))
          names.push_back(name);
      }
      if (names.empty()) continue;
      hint += fmt::format("; --profile {} leaves {} to it", profile.name, quoted_list(names, 4));
    }
    return hint;
  }

 private:
  static constexpr std::size_t kTold = 40;
  static constexpr std::size_t kNeeding = 4;
  static constexpr std::size_t kPlaces = 8;
  static constexpr std::size_t kPassedOver = 4;
  static constexpr std::size_t kCommonPlaces = 20;

  /// Each item on a line of its own.
  static std::string lines(std::string_view before, std::span<const std::string> items,
                           std::size_t limit) {
    std::string text;
    for (std::size_t i = 0; i < items.size() && i < limit; ++i) {
      text += std::string(before) + printable(items[i]);
    }
    if (items.size() > limit) text += fmt::format("{}{} more", before, items.size() - limit);
    return text;
  }

  /// The last places of every library, where the system has its own: told once.
  [[nodiscard]] std::vector<std::string> common_places() const {
    std::vector<std::string> common = missing_.begin()->second.edge->searched;
    for (const auto& [name, entry] : missing_) {
      const auto& searched = entry.edge->searched;
      const auto ends =
          std::mismatch(common.rbegin(), common.rend(), searched.rbegin(), searched.rend());
      common.erase(common.begin(), ends.first.base());
    }
    return common;
  }

  /// Folders that only other files' run paths name, or that libraries of others came from, and the
  /// missing ones that lie there and are for the same machine.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> folders_of_others() const {
    std::set<std::string> folders;
    for (const auto& node : graph_.nodes) {
      if (!node.in_wheel) folders.emplace(folder_name(node.path));
      if (!node.facts || !node.facts->run_path()) continue;
      for (auto& entry : deps::run_path_entries(node.facts->run_path()->value)) {
        if (entry.starts_with('/')) folders.insert(std::move(entry));
      }
    }
    std::map<std::string, std::vector<std::string>> found;
    for (const auto& [name, entry] : missing_) {
      const auto& needing = graph_.nodes[entry.needed_by.front()].facts;
      for (const auto& folder : folders) {
        if (!needing || name.find('/') != std::string::npos) continue;
        if (is_for_the_machine_of(*needing, folder + "/" + name)) found[folder].push_back(name);
      }
    }
    return found;
  }

  static bool is_for_the_machine_of(const elf::ElfFacts& needing, const std::string& path) {
    try {
      const auto there = elf::identify(MappedFile(path).bytes());
      return there && there->machine == needing.machine && there->bits == needing.bits;
    } catch (const Error&) {
      return false;  // none that can be read
    }
  }

  struct Entry {
    const deps::Edge* edge = nullptr;  ///< of the first file that needs it
    std::vector<NodeId> needed_by;
  };
  const deps::Graph& graph_;
  const std::filesystem::path& sysroot_;
  std::map<std::string, Entry> missing_;
};

bool is_needed(const deps::Graph& graph, const std::string& glob) {
  const auto names_it = [&](const deps::Edge& edge) {
    const auto path = edge.target ? graph.nodes[*edge.target].path : std::string();
    return deps::names_library(glob, edge.needed, path);
  };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const deps::Node& node) {
    return std::any_of(node.edges.begin(), node.edges.end(), names_it);
  });
}

}  // namespace

std::optional<Error> missing_libraries(const Examined& examined,
                                       const std::filesystem::path& sysroot) {
  const auto& policies = examined.verdict.policies;
  if (policies.size() < 2) return std::nullopt;
  const auto& newest = policies[policies.size() - 2];
  MissingLibraries missing(examined.graph, sysroot);
  const auto collect = [&](NodeId id) {
    for (const auto& edge : examined.graph.nodes[id].edges) {
      if (edge.answer == Answer::missing &&
          !policy::comes_from_system(*newest.policy, examined.wheel.libc, edge.needed)) {
        missing.add(id, edge);
      }
    }
  };
  for (NodeId id = 0; id < examined.layout.size(); ++id) collect(id);
  for (const auto id : newest.grafts) collect(id);
  if (missing.empty()) return std::nullopt;
  return Error(ErrorKind::unfit, "missing-library", missing.text(), missing.hint())
      .about(missing.names());
}

void note_exclusions(const deps::Graph& graph, const std::vector<NodeId>& kept, Plan& plan) {
  std::map<std::pair<std::string, std::size_t>, std::vector<std::string>> hits;
  for (const auto id : kept) {
    for (const auto& edge : graph.nodes[id].edges) {
      if (edge.answer == Answer::excluded && edge.pattern &&
          graph.patterns[*edge.pattern].origin != kFixOnlyOrigin) {
        hits[{edge.needed, *edge.pattern}].push_back(graph.nodes[id].path);
      }
    }
  }
  for (auto& [key, needed_by] : hits) {
    const auto& pattern = graph.patterns[key.second];
    plan.exclusions.push_back({key.first, pattern.glob, pattern.origin, needed_by});
    if (pattern.is_driver && pattern.origin.starts_with("driver group")) {
      plan.findings.push_back(
          {"driver-library", Severity::warning, key.first,
           fmt::format(
               "belongs to the driver of the user's machine ({}) and is left out; needed by {}",
               pattern.origin, quoted_list(needed_by, 4)),
           "--exclude " + key.first + " says so, --include " + key.first +
               " bundles it all the same"});
    }
  }
}

void note_left_to_machine(const Examined& examined, const std::vector<NodeId>& kept, Plan& plan) {
  const auto& policies = examined.verdict.policies;
  if (plan.tags.policy >= policies.size() || policies[plan.tags.policy].policy->name != "linux") {
    return;
  }
  const auto is_promised = [&](const std::string& needed) {
    return std::any_of(policies.begin(), policies.end(), [&](const auto& one) {
      return one.policy->name != "linux" &&
             policy::comes_from_system(*one.policy, examined.wheel.libc, needed);
    });
  };
  const std::set<NodeId> is_kept(kept.begin(), kept.end());
  std::map<std::string, std::set<std::string>> left;
  for (const auto id : kept) {
    const auto& node = examined.graph.nodes[id];
    for (const auto& edge : node.edges) {
      const bool stays_out = edge.answer == Answer::missing ||
                             (edge.answer == Answer::host && !is_kept.contains(*edge.target));
      if (stays_out && !is_promised(edge.needed)) {
        left[std::string(base_name(edge.needed))].insert(node.path);
      }
    }
  }
  if (left.empty()) return;
  std::vector<std::string> libraries;
  std::set<std::string> needing;
  for (const auto& [name, files] : left) {
    libraries.push_back(name);
    needing.insert(files.begin(), files.end());
  }
  plan.findings.push_back(
      {"left-to-machine", Severity::warning, std::string(plan.tags.platform_tags.front()),
       fmt::format("bundles nothing, so that the user's machine must have {}; needed by {}",
                   quoted_list(libraries, 20), quoted_list({needing.begin(), needing.end()}, 4)),
       "--plat auto bundles them, --exclude NAME says that one is left out on purpose"});
}

void note_dead_patterns(const deps::Graph& graph, const Options& options, Plan& plan) {
  std::map<std::string, std::size_t> profile_hits;
  for (const auto& pattern : graph.patterns) {
    if (pattern.origin == "--exclude" && pattern.hits == 0) {
      const auto hint = "--exclude 'optional:" + pattern.glob + "' says that it need not";
      if (options.verify == Verify::strict) {
        throw Error(ErrorKind::unfit, "dead-pattern",
                    fmt::format("--exclude {} matched nothing", printable(pattern.glob)), hint);
      }
      plan.findings.push_back(
          {"dead-pattern", Severity::warning, pattern.glob, "--exclude matched no library", hint});
    } else if (pattern.cut_hits != 0 && pattern.cut_hits == pattern.hits) {
      plan.findings.push_back({"cut-pattern",
                               Severity::note,
                               pattern.glob,
                               "matched only a name cut at .so: " + quoted_list(pattern.matched, 4),
                               {}});
    }
    if (pattern.origin.starts_with("profile ")) profile_hits[pattern.origin] += pattern.hits;
  }
  for (const auto& [origin, hits] : profile_hits) {
    if (hits == 0) {
      plan.findings.push_back(
          {"dead-profile", Severity::note, origin, "no library of the wheel belongs to it", {}});
    }
  }
  for (const auto& glob : options.inspect.includes) {
    if (is_needed(graph, glob)) continue;
    plan.findings.push_back(
        {"dead-pattern", Severity::warning, glob, "--include matched no library", {}});
  }
}

}  // namespace truewheel::repair
