// SPDX-License-Identifier: Apache-2.0
#include "commands/check_reports.hpp"
#include "commands/commands.hpp"
#include "report/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::commands {
namespace {

/// What --fail-on makes of the findings.
void judge(const std::vector<check::Outcome>& outcomes, const CheckCommand& command) {
  std::size_t failing = 0;
  for (const auto& outcome : outcomes) {
    if (outcome.failure == ErrorKind::refused) {
      throw Error(ErrorKind::refused, "check-refused",
                  (outcome.path.empty() ? "" : outcome.path.string() + ": ") +
                      outcome.findings.front().what);
    }
  }
  for (const auto& outcome : outcomes) {
    failing += static_cast<std::size_t>(std::count_if(
        outcome.findings.begin(), outcome.findings.end(), [&](const Finding& finding) {
          return command.fail_on && finding.severity >= *command.fail_on;
        }));
  }
  if (failing == 0) return;
  throw Error(ErrorKind::unfit, "check-findings",
              fmt::format("{} finding{} at or above --fail-on {}", failing, failing == 1 ? "" : "s",
                          report::severity_name(*command.fail_on)),
              "truewheel check --explain RULE says why a rule is there");
}

check::Subject open(const InstalledName& installed, const check::Options& options) {
  return check::open_installed(installed.distribution, installed.root, installed.ld_library_path,
                               options);
}

}  // namespace

void run(const CheckCommand& command) {
  if (command.list_rules) return write_stdout(report::rule_list_text());
  if (command.explain) {
    return write_stdout(report::rule_text(check::find_rule(*command.explain)));
  }
  auto outcomes = check::check_all(command.paths, command.options);
  if (command.installed) {
    outcomes.push_back(check::judge(open(*command.installed, command.options), command.options));
  }
  write_reports(command.reports, outcomes, command.fail_on);
  // What is read by a program is alone there.
  const bool is_taken = std::any_of(command.reports.begin(), command.reports.end(),
                                    [](const ReportFile& report) { return report.path.empty(); });
  if (command.json) {
    write_stdout(report::check_json(outcomes));
  } else if (!is_taken && command.verbosity != report::Verbosity::quiet) {
    write_stdout(report::check_text(outcomes, command.verbosity == report::Verbosity::verbose
                                                  ? Severity::note
                                                  : Severity::warning));
  }
  judge(outcomes, command);
}

void run(const ExplainCommand& command) {
  const auto subject = command.installed
                           ? open(*command.installed, command.options)
                           : with_context(command.subject.string(), [&] {
                               return check::open_subject(command.subject, command.options);
                             });
  write_stdout(report::explain_text(subject, command.library, command.options));
}

}  // namespace truewheel::commands
