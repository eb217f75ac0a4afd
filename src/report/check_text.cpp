// SPDX-License-Identifier: Apache-2.0
#include "report/check_text.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  const auto* const subject = outcome.subject ? &*outcome.subject : nullptr;
  const bool is_platform_wheel =
      subject != nullptr && subject->wheel_name && subject->files.empty() &&
      subject->wheel_name->platform_tags != std::vector<std::string>{"any"};
  const bool is_empty = outcome.subject && outcome.subject->kind != check::Subject::Kind::wheel &&
                        outcome.subject->files.empty() && errors == 0 && warnings == 0;
  if (is_empty) {
    return printable(outcome.subject->name) + ": holds no ELF file: nothing was checked\n";
  }
  const auto name = outcome.subject ? outcome.subject->name : outcome.path.filename().string();
  const auto files =
      outcome.subject
          ? fmt::format(" ({})", count(static_cast<std::ptrdiff_t>(outcome.subject->files.size()),
                                       "ELF file"))
          : "";
  if (is_platform_wheel) {
    return fmt::format("{}: {} (no ELF file for its tag {}: only the archive was checked)\n",
                       printable(name), verdict,
                       printable(join(subject->wheel_name->platform_tags, ".")));
  }
  return fmt::format("{}: {}{}\n", name.empty() ? "all" : printable(name), verdict, files);
}

/// Who needs what, and what finds it.
std::string links_text(const check::Subject& subject) {
  std::string out;
  std::size_t last = subject.files.size();
  for (const auto& link : subject.links) {
    if (link.file != last) out += fmt::format("  {}\n", printable(subject.path_of(link.file)));
    last = link.file;
    out += fmt::format("    {}: {}\n", printable(link.needed), printable(link_text(subject, link)));
  }
  return out;
}

/// "error", or "warning or error" of a rule whose findings differ.
std::string severities(const check::Rule& rule) {
  const std::string severest = severity_name(rule.severity);
  return rule.mildest == rule.severity ? severest
                                       : severity_name(rule.mildest) + (" or " + severest);
}

}  // namespace

std::string link_text(const check::Subject& subject, const check::Link& link) {
  using check::Reach;
  const auto target = link.target ? subject.path_of(*link.target) : std::string();
  const auto entry = link.entry.empty() ? "" : " through " + link.entry;
  const auto owner = link.entry_owner && *link.entry_owner != link.file
                         ? " of " + subject.path_of(*link.entry_owner)
                         : "";
  switch (link.reach) {
    case Reach::own_path:
      return target + (entry.empty() ? " (its own name)" : entry + owner);
    case Reach::inherited:
      return target + " inherited" + entry + owner;
    case Reach::luck:
      return link.provided_by.empty() ? target + " by luck: loaded before" : link.provided_by;
    case Reach::outside:
      return link.provided_by;
    case Reach::nowhere:
      return target.empty() ? "not found" : "not found, though it lies at " + target;
  }
  return "";
}

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
  // A row of like findings of one file is cut short, unless all is asked for.
  constexpr std::size_t kRow = 4;
  std::string out;
  for (const auto& outcome : outcomes) {
    out += heading(outcome);
    std::string last_hint;
    std::map<std::string, std::size_t> row;
    std::map<std::string, std::size_t> row_sizes;
    const auto key = [](const Finding& finding) {
      return fmt::format("{} {}", finding.id, finding.where);
    };
    for (const auto& finding : outcome.findings) ++row_sizes[key(finding)];
    for (const auto& finding : outcome.findings) {
      if (finding.severity < least) continue;
      const auto number = ++row[key(finding)];
      const auto size = row_sizes[key(finding)];
      const bool is_cut = least != Severity::note && size > kRow && number >= kRow;
      if (is_cut && number == kRow) {
        out += fmt::format("  {} and {} more of {} (-v tells all)\n", finding.id, size - kRow + 1,
                           printable(finding.where));
      }
      if (is_cut) continue;
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
    if (outcome.subject &&
        (outcome.subject->kind == check::Subject::Kind::installed || least == Severity::note)) {
      out += links_text(*outcome.subject);
    }
  }
  return out;
}

std::string rule_list_text() {
  std::string out;
  for (const auto& rule : check::rules()) {
    out += fmt::format("{}  {:<16} {}\n", rule.id, severities(rule), rule.title);
  }
  return out;
}

std::string rule_text(const check::Rule& rule) {
  return fmt::format("{} ({}): {}\n\n{}\n\nRemedy: {}\n", rule.id, severities(rule), rule.title,
                     rule.reason, rule.remedy);
}

}  // namespace truewheel::report
