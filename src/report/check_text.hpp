// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/check.hpp>

#include <string>
#include <vector>

namespace truewheel::report {

/// What `check` found, for people: a heading a subject, then a line a finding and, where there is
/// one, the command that repairs it. `least` is the lowest severity that is told.
[[nodiscard]] std::string check_text(const std::vector<check::Outcome>& outcomes, Severity least);

/// The same for programs: subjects with files, links and findings, and the rules.
[[nodiscard]] std::string check_json(const std::vector<check::Outcome>& outcomes);

/// `--list-rules`: one line a rule. `--explain`: all that is known of one.
[[nodiscard]] std::string rule_list_text();
[[nodiscard]] std::string rule_text(const check::Rule& rule);

/// What answers one NEEDED entry, in a few words.
[[nodiscard]] std::string link_text(const check::Subject& subject, const check::Link& link);

/// `explain`: the whole story of the libraries whose name matches `glob`.
[[nodiscard]] std::string explain_text(const check::Subject& subject, const std::string& glob,
                                       const check::Options& options);

/// "error", "warning" or "note".
[[nodiscard]] const char* severity_name(Severity severity);

}  // namespace truewheel::report
