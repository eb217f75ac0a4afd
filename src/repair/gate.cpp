// SPDX-License-Identifier: Apache-2.0
#include "repair/gate.hpp"

#include "base/text.hpp"
#include <truewheel/check.hpp>
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace truewheel::repair {
namespace {

/// What a repair leaves out on purpose counts as found, and what it was told to write as wished.
check::Options rules_of(const Options& options) {
  check::Options rules;
  for (const auto& glob : options.inspect.excludes) {
    rules.excludes.push_back((glob.starts_with("optional:") ? "" : "optional:") + glob);
  }
  rules.profiles = options.inspect.profiles;
  rules.system_rpath = options.system_rpath;
  rules.evaluate = options.inspect.evaluate;
  rules.limits.max_ratio = 1e18;  // the input passed; a result is denser than it by accident only
  rules.jobs = options.inspect.jobs;
  return rules;
}

/// Errors of one rule about one value, which many files may have: the first is told, the others
/// counted.
struct Group {
  const Finding* first = nullptr;
  std::size_t others = 0;
  [[nodiscard]] std::string what() const {
    return others == 0 ? first->what : fmt::format("{} (so do {} more)", first->what, others);
  }
};

std::vector<Group> group_errors(const std::vector<Finding>& found) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const auto& finding : found) {
    if (finding.severity != Severity::error) continue;
    const auto [at, is_new] = known.try_emplace({finding.id, finding.value}, groups.size());
    if (is_new) {
      groups.push_back({&finding, 0});
    } else {
      ++groups[at->second].others;
    }
  }
  return groups;
}

[[noreturn]] void refuse(const std::vector<Group>& groups) {
  constexpr std::size_t kTold = 40;
  std::string what = fmt::format("the finished wheel has {} under --verify=strict",
                                 groups.size() == 1 ? "an error" : "errors");
  for (std::size_t i = 0; i < std::min(groups.size(), kTold); ++i) {
    const auto& finding = *groups[i].first;
    what += fmt::format("\n  {} {}{}{}", finding.id, printable(finding.where),
                        finding.where.empty() ? "" : ": ", printable(groups[i].what()));
  }
  if (groups.size() > kTold) what += fmt::format("\n  and {} more", groups.size() - kTold);
  throw Error(
      ErrorKind::unfit, "strict-findings", what,
      "truewheel check --explain RULE says why a rule is there; --verify=standard publishes "
      "the wheel all the same");
}

}  // namespace

void hold_against_rules(const MappedFile& archive, const std::string& file_name,
                        const Options& options, std::vector<Finding>& findings) {
  const bool is_strict = options.verify == Verify::strict;
  if (!is_strict && !(options.fix_only && options.verify == Verify::standard)) return;
  const auto rules = rules_of(options);
  const auto subject = check::open_wheel(archive.bytes(), file_name, rules);
  const auto found = check::run_rules(subject, rules);
  const auto groups = group_errors(found);
  if (is_strict && !groups.empty()) refuse(groups);
  for (const auto& group : groups) {
    const auto& finding = *group.first;
    // What this very run was has no place among the remedies.
    const bool is_about_us = finding.hint.find("--fix-only") != std::string::npos;
    findings.push_back(
        {finding.id, Severity::warning, finding.where,
         fmt::format("{}: {}; {}", finding.id, group.what(),
                     finding.id == "R005"
                         ? "a repair without --fix-only bundles it if this machine has it"
                         : "only the build can repair this"),
         finding.id == "R005"
             ? "--exclude " + finding.value + " says that the user's machine has it"
         : is_about_us ? ""
                       : finding.hint,
         finding.value});
  }
}

}  // namespace truewheel::repair
