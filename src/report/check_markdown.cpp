// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "report/check_reports.hpp"
#include "report/check_text.hpp"
#include "report/counted.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::report {
namespace {

/// Nothing in a cell may end it or turn into markup.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// GitHub's workflow commands: what would end the line or the property is percent-encoded.
std::string command_text(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : printable(text)) {
    const bool ends = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    out += ends ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::size_t count(const check::Outcome& outcome, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(outcome.findings.begin(), outcome.findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

}  // namespace

std::string check_markdown(const std::vector<check::Outcome>& outcomes) {
  std::string out = "## truewheel check\n";
  for (const auto& outcome : outcomes) {
    out += fmt::format("\n### {}\n\n", cell(subject_name(outcome)));
    if (outcome.findings.empty()) {
      out += "Nothing found.\n";
      continue;
    }
    out += fmt::format("{}, {}, {}\n\n", counted(count(outcome, Severity::error), "error"),
                       counted(count(outcome, Severity::warning), "warning"),
                       counted(count(outcome, Severity::note), "note"));
    out += "| rule | severity | member | finding | remedy |\n|---|---|---|---|---|\n";
    for (const auto& finding : outcome.findings) {
      out += fmt::format("| {} | {} | {} | {} | {} |\n", cell(finding.id),
                         severity_name(finding.severity), cell(finding.where), cell(finding.what),
                         cell(finding.hint));
    }
  }
  return out;
}

std::string check_github(const std::vector<check::Outcome>& outcomes) {
  std::string out;
  for (const auto& outcome : outcomes) {
    for (const auto& finding : outcome.findings) {
      const char* const level =
          finding.severity == Severity::note ? "notice" : severity_name(finding.severity);
      const std::string place =
          subject_name(outcome) + (finding.where.empty() ? "" : "!" + finding.where);
      out += fmt::format("::{} title={}::{}: {}{}\n", level, command_text(finding.id, true),
                         command_text(place, false), command_text(finding.what, false),
                         finding.hint.empty() ? "" : "%0A" + command_text(finding.hint, false));
    }
  }
  return out;
}

}  // namespace truewheel::report
