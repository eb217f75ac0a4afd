// SPDX-License-Identifier: Apache-2.0
#include "report/check_text.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace truewheel::report {
namespace {

std::string count(std::ptrdiff_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string heading(const check::Outcome& outcome) {
  const auto number = [&](Severity severity) {
    return std::count_if(outcome.findings.begin(), outcome.findings.end(),
                         [&](const Finding& finding) { return finding.severity == severity; });
  };
  const auto errors = number(Severity::error);
  const auto warnings = number(Severity::warning);
  const std::string verdict = errors == 0 && warnings == 0
                                  ? "nothing found"
                                  : count(errors, "error") + ", " + count(warnings, "warning");
  const auto name = outcome.subject ? outcome.subject->name : outcome.path.filename().string();
  const auto files =
      outcome.subject
          ? fmt::format(" ({})", count(static_cast<std::ptrdiff_t>(outcome.subject->files.size()),
                                       "ELF file"))
          : "";
  return fmt::format("{}: {}{}\n", name.empty() ? "all" : printable(name), verdict, files);
}

}  // namespace

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

std::string check_text(const std::vector<check::Outcome>& outcomes, Severity least) {
  std::string out;
  for (const auto& outcome : outcomes) {
    out += heading(outcome);
    std::string last_hint;
    for (const auto& finding : outcome.findings) {
      if (finding.severity < least) continue;
      out += fmt::format("  {} {}: {}{}\n", finding.id, severity_name(finding.severity),
                         finding.where.empty() ? "" : printable(finding.where) + " ",
                         printable(finding.what));
      // The same remedy for a row of findings is said once.
      const auto hint = finding.id + finding.hint;
      if (!finding.hint.empty() && hint != last_hint) {
        out += fmt::format("    hint: {}\n", printable(finding.hint));
      }
      last_hint = hint;
    }
  }
  return out;
}

std::string rule_list_text() {
  std::string out;
  for (const auto& rule : check::rules()) {
    out += fmt::format("{}  {:<8} {}\n", rule.id, severity_name(rule.severity), rule.title);
  }
  return out;
}

std::string rule_text(const check::Rule& rule) {
  return fmt::format("{} ({}): {}\n\n{}\n\nRemedy: {}\n", rule.id, severity_name(rule.severity),
                     rule.title, rule.reason, rule.remedy);
}

}  // namespace truewheel::report
