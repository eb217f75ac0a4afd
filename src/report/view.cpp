// SPDX-License-Identifier: Apache-2.0
#include "report/view.hpp"

#include <algorithm>

namespace truewheel::report {

using deps::Answer;

namespace {

/// Not found, or the interpreter's own library, which nobody looks for. On Android the application
/// has that one for every extension (PEP 738).
bool is_outside_and_unresolved(const deps::Edge& edge, deps::Libc libc) {
  return edge.answer == Answer::missing ||
         (edge.answer == Answer::libpython && !edge.target && libc != deps::Libc::bionic);
}

}  // namespace

const policy::Verdict& repaired_verdict(const repair::Inspection& inspection) {
  return inspection.repair_verdict ? *inspection.repair_verdict : *inspection.verdict;
}

std::map<std::string, std::string> external_libraries(const repair::Inspection& inspection) {
  // The strictest policy allows least: what it would bundle or miss is what lies outside.
  const auto& verdict = *inspection.verdict;
  const auto& strictest = verdict.policies[verdict.strictest];
  std::map<std::string, std::string> external;
  for (const auto& node : inspection.graph.nodes) {
    for (const auto& edge : node.edges) {
      if (edge.answer == Answer::host && edge.target &&
          std::find(strictest.grafts.begin(), strictest.grafts.end(), *edge.target) !=
              strictest.grafts.end()) {
        external.emplace(edge.needed, inspection.graph.nodes[*edge.target].path);
      } else if (node.in_wheel && is_outside_and_unresolved(edge, verdict.libc) &&
                 !policy::comes_from_system(strictest.policy, verdict.libc, edge.needed)) {
        external.emplace(edge.needed, "");
      }
    }
  }
  return external;
}

std::map<std::string, std::set<std::string>> versioned_symbols(const repair::Inspection& inspection,
                                                               Whose whose) {
  // What the policy of auditwheel's sym_tag would bundle: a stricter one bundles more, such as
  // libmvec, whose own needs do not bind a wheel that leaves it to the system. "linux" bundles
  // nothing; the newest policy before it tells then what is in the way.
  const auto& verdict = *inspection.verdict;
  const auto last = verdict.policies.size() - 1;
  const auto policy = verdict.by_versions < last || last == 0 ? verdict.by_versions : last - 1;
  const auto& grafts = verdict.policies[policy].grafts;
  std::map<std::string, std::set<std::string>> versions;
  for (std::size_t id = 0; id < inspection.graph.nodes.size(); ++id) {
    const auto& node = inspection.graph.nodes[id];
    const bool counts =
        node.in_wheel || (whose == Whose::with_grafts &&
                          std::find(grafts.begin(), grafts.end(), id) != grafts.end());
    if (!counts || !node.facts) continue;
    for (const auto& need : node.facts->version_needs) {
      // auditwheel, whose answer this is, leaves the dynamic linker out.
      if (whose == Whose::with_grafts && policy::is_dynamic_linker(need.file)) continue;
      for (const auto& version : need.versions) versions[need.file].insert(version.name);
    }
  }
  return versions;
}

}  // namespace truewheel::report
