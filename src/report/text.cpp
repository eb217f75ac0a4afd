// SPDX-License-Identifier: Apache-2.0
#include "report/text.hpp"

#include "base/text.hpp"
#include "report/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace truewheel::report {
namespace {

std::string human_size(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string list(const std::vector<std::string>& items, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < limit; ++i) {
    text += (i == 0 ? "" : ", ") + printable(items[i]);
  }
  if (items.size() > limit) text += fmt::format(" and {} more", items.size() - limit);
  return text;
}

template <class... Values>
void line(std::string& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
  out += '\n';
}

void write_floors(std::string& out, const policy::Verdict& verdict) {
  for (const auto& [name, floor] : verdict.floors) {
    line(out, "  needs {} {}: {}{}", name, floor.version, printable(floor.file),
         floor.symbol.empty() ? "" : " for " + printable(floor.symbol));
  }
}

}  // namespace

std::string repair_text(const repair::Report& report, Detail detail) {
  const std::size_t limit = detail == Detail::full ? SIZE_MAX : 6;
  std::string out;
  line(out, "{}", printable(report.input.filename().string()));
  if (report.pure) {
    line(out, "  holds no ELF file: copied as it is");
    return out;
  }
  line(out, "{} ELF files, {} edited, {} libraries bundled, {} left out", report.elf_files,
       report.edits.size(), report.grafts.size(), report.exclusions.size());
  if (!report.grafts.empty()) line(out, "bundled:");
  for (const auto& graft : report.grafts) {
    line(out, "  {} ({}) from {}", printable(graft.member), human_size(graft.size),
         printable(graft.source));
    line(out, "    found by {}; needed by {}", printable(graft.how), list(graft.needed_by, limit));
  }
  if (!report.exclusions.empty()) line(out, "left to the user's machine:");
  for (const auto& exclusion : report.exclusions) {
    line(out, "  {} ({} {}); needed by {}", printable(exclusion.needed), exclusion.origin,
         printable(exclusion.pattern), list(exclusion.needed_by, limit));
  }
  if (detail == Detail::full && !report.patterns.empty()) {
    line(out, "patterns:");
    for (const auto& pattern : report.patterns) {
      if (pattern.hits == 0 && pattern.origin != "--exclude") continue;
      line(out, "  {} ({}): {} hits", printable(pattern.glob), pattern.origin, pattern.hits);
    }
  }
  if (!report.edits.empty()) line(out, "edited:");
  for (const auto& edit : report.edits) {
    line(out, "  {} (+{} bytes)", printable(edit.member), edit.growth);
    for (const auto& reason : edit.reasons) line(out, "    {}", printable(reason));
    if (detail == Detail::full) {
      for (const auto& step : edit.steps) line(out, "    how: {}", printable(step));
    }
  }
  line(out, "tag:");
  for (const auto& reason : report.tag_reasons) line(out, "  {}", printable(reason));
  write_floors(out, report.verdict);
  return out;
}

std::string show_text(const repair::Inspection& inspection) {
  std::string out;
  line(out, "{}", printable(inspection.input.filename().string()));
  if (inspection.pure || !inspection.verdict) {
    line(out, "  holds no ELF file: a pure wheel");
    return out;
  }
  const auto& verdict = *inspection.verdict;
  line(out, "as it is it is consistent with: {}", verdict.tag(verdict.as_is));
  line(out, "its own ELF files would allow:  {}", verdict.tag(verdict.own));
  line(out, "repaired on this machine:       {}", verdict.tag(verdict.best));
  write_floors(out, verdict);

  const auto external = external_libraries(inspection);
  if (external.empty()) {
    line(out, "it needs no library from outside the wheel but what the policy allows");
  } else {
    line(out, "libraries from outside the wheel:");
    for (const auto& [needed, path] : external) {
      line(out, "  {}: {}", printable(needed), path.empty() ? "not found" : printable(path));
    }
  }
  for (std::size_t i = verdict.strictest; i < verdict.best; ++i) {
    const auto& policy = verdict.policies[i];
    // One sentence a policy is enough to know what to change; the JSON has all.
    if (policy.offences.empty()) continue;
    line(out, "not {}: {}{}", verdict.tag(i), printable(policy.offences.front().sentence()),
         policy.offences.size() > 1 ? fmt::format(" and {} more", policy.offences.size() - 1) : "");
  }
  return out;
}

}  // namespace truewheel::report
