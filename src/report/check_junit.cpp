// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "report/check_reports.hpp"
#include "report/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace truewheel::report {
namespace {

using Key = std::pair<std::string, std::string>;  ///< rule and member
using Cases = std::map<Key, std::vector<const Finding*>>;

/// A case a rule and member with findings; a rule without any is one case that passed.
Cases cases_of(const check::Outcome& outcome) {
  Cases cases;
  for (const auto& finding : outcome.findings) {
    cases[{finding.id, finding.where}].push_back(&finding);
  }
  if (!outcome.subject) return cases;
  for (const auto& rule : check::rules()) {
    const auto first = cases.lower_bound({rule.id, ""});
    if (first == cases.end() || first->first.first != rule.id) cases[{rule.id, ""}];
  }
  return cases;
}

std::string lines(const std::vector<const Finding*>& findings) {
  std::string text;
  for (const auto* finding : findings) {
    text += fmt::format("{}: {}\n", severity_name(finding->severity), printable(finding->what));
    if (!finding->hint.empty()) text += "  " + printable(finding->hint) + "\n";
  }
  return text;
}

}  // namespace

std::string check_junit(const std::vector<check::Outcome>& outcomes,
                        std::optional<Severity> fail_on) {
  const auto fails = [&](const Finding* finding) {
    return fail_on && finding->severity >= *fail_on;
  };
  std::string suites;
  std::size_t all = 0;
  std::size_t all_failures = 0;
  for (const auto& outcome : outcomes) {
    const std::string suite = escape_markup(subject_name(outcome));
    const Cases cases = cases_of(outcome);
    std::string body;
    std::size_t failures = 0;
    for (const auto& [key, findings] : cases) {
      const auto& [rule, member] = key;
      body += fmt::format("    <testcase classname=\"{}\" name=\"{}{}\" time=\"0\"", suite,
                          escape_markup(rule), member.empty() ? "" : " " + escape_markup(member));
      const bool is_failure = std::any_of(findings.begin(), findings.end(), fails);
      failures += is_failure ? 1 : 0;
      if (findings.empty()) {
        body += "/>\n";
      } else if (is_failure) {
        body += fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                            escape_markup(rule), escape_markup(findings.front()->what),
                            escape_markup(lines(findings)));
        body += "    </testcase>\n";
      } else {
        body += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n",
                            escape_markup(lines(findings)));
      }
    }
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" "
        "time=\"0\">\n{}  </testsuite>\n",
        suite, cases.size(), failures, body);
    all += cases.size();
    all_failures += failures;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"truewheel check\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"0\">\n{}</testsuites>\n",
      all, all_failures, suites);
}

}  // namespace truewheel::report
