// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/rules.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace truewheel::check {
namespace {

Outcome check_one(const std::filesystem::path& path, const Options& options) {
  Outcome outcome;
  outcome.path = path;
  try {
    outcome.subject = open_subject(path, options);
    outcome.findings = run_rules(*outcome.subject, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::refused && error.kind() != ErrorKind::unfit) throw;
    // What is no wheel at all is a finding, too: the reports of the others are not lost for it.
    outcome.failure = error.kind();
    const auto what =
        error.where().empty() ? std::string(error.what()) : error.where() + ": " + error.what();
    outcome.findings.push_back({"Z001", Severity::error, {}, what, error.hint(), error.id()});
  }
  return outcome;
}

}  // namespace

Outcome judge(Subject subject, const Options& options) {
  Outcome outcome;
  outcome.path = subject.path;
  outcome.findings = run_rules(subject, options);
  outcome.subject = std::move(subject);
  return outcome;
}

std::vector<Outcome> check_all(const std::vector<std::filesystem::path>& paths,
                               const Options& options) {
  std::vector<Outcome> outcomes;
  for (const auto& path : paths) {
    with_context(path.string(), [&] { outcomes.push_back(check_one(path, options)); });
  }
  if (options.expect_count && *options.expect_count != paths.size() &&
      is_selected("N001", options)) {
    Outcome outcome;
    outcome.findings.push_back(
        {"N001",
         Severity::error,
         {},
         fmt::format("{} were given, {} were expected", paths.size(), *options.expect_count),
         {},
         std::to_string(paths.size())});
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace truewheel::check
