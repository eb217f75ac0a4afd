// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/check.hpp>

#include <optional>
#include <string>
#include <vector>

namespace truewheel::report {

/// SARIF 2.1.0 (OASIS), which GitHub code scanning shows: one run, the subject as artifact and the
/// member as logical location, since members are in no checkout.
[[nodiscard]] std::string check_sarif(const std::vector<check::Outcome>& outcomes);

/// JUnit XML as Jenkins and GitLab read it: a suite a subject, a case a rule and member. Findings
/// at or above `fail_on` are failures (none if unset), others are output of a case that passed.
[[nodiscard]] std::string check_junit(const std::vector<check::Outcome>& outcomes,
                                      std::optional<Severity> fail_on);

/// Workflow commands that GitHub turns into annotations, a line a finding. Annotations stand at a
/// file of the checkout, so they are put where the build is configured: pyproject.toml.
[[nodiscard]] std::string check_github(const std::vector<check::Outcome>& outcomes);

/// A summary for a job page: a table a subject.
[[nodiscard]] std::string check_markdown(const std::vector<check::Outcome>& outcomes);

/// One page that needs nothing else: findings, the files, and the graph of who needs what, where it
/// is found, and, in red, what is not.
[[nodiscard]] std::string check_html(const std::vector<check::Outcome>& outcomes);

/// The subject's name, or its path where it could not be opened; "all" for what is about none.
[[nodiscard]] std::string subject_name(const check::Outcome& outcome);

/// For text and attributes of XML and HTML: control characters shown, & < > " ' escaped.
[[nodiscard]] std::string escape_markup(std::string_view text);

}  // namespace truewheel::report
