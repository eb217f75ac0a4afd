// SPDX-License-Identifier: Apache-2.0
#include "report/text.hpp"

#include "base/text.hpp"
#include "report/counted.hpp"
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

/// Those of files that `counts` says are in the wheel.
template <class Counts>
void write_floors(std::string& out, const policy::Verdict& verdict, Counts counts) {
  for (const auto& [name, floor] : verdict.floors) {
    if (!counts(floor.file)) continue;
    line(out, "  needs {} {}: {}{}", name, floor.version, printable(floor.file),
         floor.symbol.empty() ? "" : " for " + printable(floor.symbol));
  }
}

/// What `repair` without further options would come to.
void write_repaired(std::string& out, const repair::Inspection& inspection) {
  const auto& verdict = repaired_verdict(inspection);
  if (inspection.lacks_libraries) {
    line(out, "repaired on this machine:       refused, since libraries are not found");
    return;
  }
  line(out, "repaired on this machine:       {}", verdict.tag(verdict.best));
  if (verdict.best + 1 == verdict.policies.size()) {
    line(out, "  (a tag that repair gives only for --plat linux)");
  } else if (inspection.driver_libraries.empty()) {
    line(out, "  (with the libraries that repair would bundle from here, which count)");
  } else {
    line(out,
         "  (with what repair would bundle from here, which counts; not the driver's libraries)");
  }
}

/// Libraries that a pattern, a profile or a driver group leaves to the user's machine.
void write_excluded(std::string& out, const repair::Inspection& inspection, std::size_t limit) {
  auto excluded = inspection.driver_libraries;
  for (const auto& node : inspection.graph.nodes) {
    for (const auto& edge : node.edges) {
      if (edge.answer == deps::Answer::excluded) excluded.emplace(edge.needed, edge.how);
    }
  }
  if (excluded.empty()) return;
  line(out, "left to the user's machine:");
  std::size_t told = 0;
  for (const auto& [needed, how] : excluded) {
    if (told++ == limit) break;
    line(out, "  {} ({})", printable(needed), printable(how));
  }
  if (excluded.size() > limit) line(out, "  and {} more", excluded.size() - limit);
}

/// .note.dlopen of the wheel's own files.
void write_opened_by_name(std::string& out, const deps::Graph& graph, std::size_t limit) {
  std::vector<std::string> notes;
  for (const auto& node : graph.nodes) {
    if (!node.in_wheel || !node.facts) continue;
    for (const auto& note : node.facts->dlopen_notes) {
      notes.push_back(fmt::format("{}: {} ({}{}{})", node.path, join(note.sonames, " or "),
                                  note.feature, note.feature.empty() ? "" : ", ", note.priority));
    }
  }
  if (notes.empty()) return;
  line(out, "opened by name while it runs, as its files say:");
  for (std::size_t i = 0; i < std::min(notes.size(), limit); ++i) {
    line(out, "  {}", printable(notes[i]));
  }
  if (notes.size() > limit) line(out, "  and {} more", notes.size() - limit);
}

/// Without the places in which a library was looked for: `repair` tells them.
std::string sentence_of(policy::Offence offence) {
  offence.searched.clear();
  return printable(offence.sentence());
}

/// Why a policy is not met: all of it, or one sentence, which is enough to know what to change.
std::string obstacle(const policy::PolicyVerdict& policy, Detail detail) {
  const auto& offences = policy.offences;
  if (offences.empty()) return {};
  const std::size_t told = detail == Detail::full ? offences.size() : 1;
  std::string text = sentence_of(offences.front());
  for (std::size_t i = 1; i < told; ++i) text += "\n  " + sentence_of(offences[i]);
  if (offences.size() > told) text += fmt::format(" and {} more", offences.size() - told);
  return text;
}

/// What stands in the way of the policies that are better than the best; neighbours that fail for
/// the same reason are told at once.
void write_obstacles(std::string& out, const policy::Verdict& verdict, Detail detail) {
  for (std::size_t i = verdict.strictest; i < verdict.best;) {
    const auto text = obstacle(verdict.policies[i], detail);
    std::size_t end = i + 1;
    while (end < verdict.best && obstacle(verdict.policies[end], detail) == text) ++end;
    if (!text.empty()) {
      line(out, "not {}{}: {}", verdict.tag(i), end - i > 1 ? " to " + verdict.tag(end - 1) : "",
           text);
    }
    i = end;
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
  // What is bundled is edited, too, but none of the wheel's files.
  const auto edited =
      std::count_if(report.edits.begin(), report.edits.end(), [&](const repair::EditedFile& edit) {
        return std::none_of(report.grafts.begin(), report.grafts.end(),
                            [&](const auto& graft) { return graft.member == edit.member; });
      });
  line(out, "{}, {} edited, {} bundled, {} left out", counted(report.elf_files, "ELF file"), edited,
       counted(report.grafts.size(), "library"), report.exclusions.size());
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
    bool is_first = true;
    for (const auto& pattern : report.patterns) {
      if (pattern.hits == 0 && pattern.origin != "--exclude") continue;
      if (is_first) line(out, "patterns:");
      is_first = false;
      line(out, "  {} ({}): {}", printable(pattern.glob), pattern.origin,
           counted(pattern.hits, "hit"));
    }
  }
  if (!report.folded.empty()) line(out, "second copies:");
  for (const auto& copy : report.folded) {
    line(out, "  {} {}: {} takes its place", printable(copy.member),
         copy.is_gone ? "is gone" : "is no longer needed", printable(copy.kept));
  }
  if (!report.made_executable.empty()) {
    line(out, "made executable: {}", list(report.made_executable, limit));
  }
  for (const auto& program : report.moved_programs) {
    line(out, "moved beside its libraries: {}; a script in its place runs {}",
         printable(program.script), printable(program.member));
  }
  if (!report.edits.empty()) line(out, "edited:");
  for (const auto& edit : report.edits) {
    line(out, "  {} (+{})", printable(edit.member), counted(edit.growth, "byte"));
    for (const auto& reason : edit.reasons) line(out, "    {}", printable(reason));
    if (detail == Detail::full) {
      for (const auto& step : edit.steps) line(out, "    how: {}", printable(step));
    }
  }
  line(out, "tag:");
  for (const auto& reason : report.tag_reasons) line(out, "  {}", printable(reason));
  write_floors(out, report.verdict, [&](const std::string& file) {
    return !file.starts_with('/') ||
           std::any_of(report.grafts.begin(), report.grafts.end(),
                       [&](const auto& graft) { return graft.source == file; });
  });
  return out;
}

std::string show_text(const repair::Inspection& inspection, Detail detail) {
  const std::size_t limit = detail == Detail::full ? SIZE_MAX : 40;
  std::string out;
  line(out, "{}", printable(inspection.input.filename().string()));
  if (inspection.pure || !inspection.verdict) {
    line(out, "  holds no ELF file: a pure wheel");
    return out;
  }
  const auto& verdict = *inspection.verdict;
  line(out, "as it is it is consistent with: {}", verdict.tag(verdict.as_is));
  line(out, "  (nothing bundled: every library outside of it must be one that the tag allows)");
  line(out, "its own ELF files would allow:  {}", verdict.tag(verdict.own));
  line(out, "  (by the symbols and libraries that they name, whatever else is bundled)");
  write_repaired(out, inspection);
  const auto judged = policy::judge_name_tags(verdict, inspection.name.platform_tags);
  for (const auto& tag : judged.untrue) {
    line(out, "its name claims {}, which is not true: {}", printable(tag.tag), printable(tag.why));
  }
  for (const auto& tag : judged.conditional) {
    line(out, "its name claims {}, which is true where the user's machine has the rest: {}",
         printable(tag.tag), printable(tag.why));
  }
  write_floors(out, repaired_verdict(inspection), [](const std::string&) { return true; });

  const auto external = external_libraries(inspection, verdict.strictest);
  if (external.empty()) {
    line(out, "it needs no library from outside the wheel but what the policy allows");
  } else {
    line(out, "libraries from outside the wheel:");
    std::size_t told = 0;
    for (const auto& [needed, path] : external) {
      if (told++ == limit) break;
      line(out, "  {}: {}", printable(needed), path.empty() ? "not found" : printable(path));
    }
    if (external.size() > limit) line(out, "  and {} more", external.size() - limit);
  }
  write_excluded(out, inspection, limit);
  write_opened_by_name(out, inspection.graph, limit);
  write_obstacles(out, repaired_verdict(inspection), detail);
  return out;
}

}  // namespace truewheel::report
