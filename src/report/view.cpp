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

std::size_t newest_policy(const policy::Verdict& verdict) {
  if (verdict.libc == deps::Libc::bionic) return verdict.strictest;
  return verdict.policies.size() < 2 ? 0 : verdict.policies.size() - 2;
}

std::size_t auditwheels_best_policy(const policy::Verdict& verdict) {
  return verdict.libc == deps::Libc::musl ? newest_policy(verdict) : verdict.strictest;
}

std::map<std::string, std::string> external_libraries(const repair::Inspection& inspection,
                                                      std::size_t policy) {
  const auto& verdict = *inspection.verdict;
  const auto& entry = verdict.policies[policy];
  const auto is_bundled = [&entry](deps::NodeId id) {
    return std::find(entry.grafts.begin(), entry.grafts.end(), id) != entry.grafts.end();
  };
  std::map<std::string, std::string> external;
  for (deps::NodeId id = 0; id < inspection.graph.nodes.size(); ++id) {
    const auto& node = inspection.graph.nodes[id];
    if (!node.in_wheel && !is_bundled(id)) continue;
    for (const auto& edge : node.edges) {
      if (edge.answer == Answer::host && edge.target && is_bundled(*edge.target)) {
        external.emplace(edge.needed, inspection.graph.nodes[*edge.target].path);
      } else if (is_outside_and_unresolved(edge, verdict.libc) &&
                 !policy::comes_from_system(*entry.policy, verdict.libc, edge.needed)) {
        external.emplace(edge.needed, "");
      }
    }
  }
  return external;
}

std::map<std::string, std::set<std::string>> forbidden_symbols(
    const policy::PolicyVerdict& policy) {
  std::map<std::string, std::set<std::string>> forbidden;
  for (const auto& offence : policy.offences) {
    if (offence.kind != policy::Offence::Kind::blacklisted_symbol) continue;
    forbidden[offence.library].insert(offence.symbols.begin(), offence.symbols.end());
  }
  return forbidden;
}

Peculiarities peculiarities(const policy::Verdict& verdict) {
  // What stands in every policy's way stands in that of the newest, which bundles least.
  Peculiarities found;
  for (const auto& offence : verdict.policies[newest_policy(verdict)].offences) {
    found.unsupported_isa |= offence.kind == policy::Offence::Kind::isa;
    if (offence.kind != policy::Offence::Kind::python) continue;
    for (const auto& symbol : offence.symbols) {
      (symbol.starts_with("PyFPE_") ? found.pyfpe : found.ucs2) = true;
    }
  }
  return found;
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
