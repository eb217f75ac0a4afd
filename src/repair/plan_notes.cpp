// SPDX-License-Identifier: Apache-2.0
#include "repair/plan_notes.hpp"

#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <map>
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

}  // namespace

void refuse_missing_libraries(const Examined& examined) {
  const auto& policies = examined.verdict.policies;
  if (policies.size() < 2) return;
  const auto& newest = policies[policies.size() - 2];
  struct Missing {
    std::vector<std::string> needed_by;
    std::vector<std::string> searched;
  };
  std::map<std::string, Missing> missing;
  const auto collect = [&](NodeId id) {
    for (const auto& edge : examined.graph.nodes[id].edges) {
      if (edge.answer != Answer::missing ||
          policy::comes_from_system(newest.policy, examined.wheel.libc, edge.needed)) {
        continue;
      }
      auto& entry = missing[edge.needed];
      entry.needed_by.push_back(examined.graph.chain_to(id));
      if (entry.searched.empty()) entry.searched = edge.searched;
    }
  };
  for (NodeId id = 0; id < examined.layout.size(); ++id) collect(id);
  for (const auto id : newest.grafts) collect(id);
  if (missing.empty()) return;
  std::string what = missing.size() == 1
                         ? "a library was not found"
                         : fmt::format("{} libraries were not found", missing.size());
  for (const auto& [name, entry] : missing) {
    what += fmt::format("\n  {}: needed by {}; searched {}", printable(name),
                        quoted_list(entry.needed_by, 4),
                        entry.searched.empty() ? "nowhere" : quoted_list(entry.searched, 12));
  }
  throw Error(
      ErrorKind::unfit, "missing-library", what,
      "--search DIR names a folder that has it, --exclude NAME leaves it to the user's machine");
}

void note_exclusions(const deps::Graph& graph, const std::vector<NodeId>& kept, Plan& plan) {
  std::map<std::pair<std::string, std::size_t>, std::vector<std::string>> hits;
  for (const auto id : kept) {
    for (const auto& edge : graph.nodes[id].edges) {
      if (edge.answer == Answer::excluded && edge.pattern) {
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

void note_dead_patterns(const deps::Graph& graph, const Options& options, Plan& plan) {
  std::map<std::string, std::size_t> profile_hits;
  for (const auto& pattern : graph.patterns) {
    if (pattern.origin == "--exclude" && pattern.hits == 0) {
      if (options.verify == Verify::strict) {
        throw Error(ErrorKind::unfit, "dead-pattern",
                    fmt::format("--exclude {} matched nothing", printable(pattern.glob)));
      }
      plan.findings.push_back(
          {"dead-pattern", Severity::warning, pattern.glob, "--exclude matched no library", {}});
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
}

}  // namespace truewheel::repair
