// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/rules.hpp"
#include "report/check_text.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace truewheel::report {
namespace {

template <class... Values>
void line(std::string& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
  out += '\n';
}

std::string run_path_of(const elf::ElfFacts& facts) {
  const auto run_path = facts.run_path();
  if (!run_path) return "no run path";
  return fmt::format("{} {}", run_path->kind == elf::RunPathKind::rpath ? "RPATH" : "RUNPATH",
                     printable(run_path->value));
}

/// Which patterns and groups know the name.
void write_patterns(std::string& out, const check::Subject& subject, const std::string& name,
                    const check::Options& options) {
  for (const auto& pattern : subject.graph.patterns) {
    std::vector<deps::ExcludePattern> alone = {pattern};
    if (deps::match_exclude(alone, name, "")) {
      line(out, "  matched by {} {}", pattern.origin, printable(pattern.glob));
    }
  }
  for (const auto& profile : policy::all_profiles()) {
    const bool is_member = std::any_of(profile.globs.begin(), profile.globs.end(),
                                       [&](const auto& glob) { return glob_match(glob, name); });
    if (!is_member) continue;
    const bool is_declared = std::find(options.profiles.begin(), options.profiles.end(),
                                       profile.name) != options.profiles.end();
    line(out, "  belongs to the group {}{}{}", profile.name, is_declared ? " (declared)" : "",
         profile.is_driver ? ", which repair always leaves out" : "");
    for (const auto& entry : profile.site_entries) line(out, "    may lie in {}", entry);
    for (const auto& entry : profile.system_entries) line(out, "    or in {}", entry);
  }
}

void write_policies(std::string& out, const check::Subject& subject, const std::string& name) {
  if (!subject.verdict) return;
  std::vector<std::string> allowing;
  for (const auto& entry : subject.verdict->policies) {
    if (entry.policy->name != "linux" &&
        policy::comes_from_system(*entry.policy, subject.libc, name)) {
      allowing.push_back(entry.policy->name);
    }
  }
  if (allowing.empty()) {
    line(out, "  no platform tag promises it");
  } else if (allowing.size() == 1) {
    line(out, "  promised by {}", allowing.front());
  } else {
    line(out, "  promised by {} to {}", allowing.front(), allowing.back());
  }
}

/// "libpng" means no library by itself, but what begins so may be meant.
std::string near_names(const check::Subject& subject, const std::string& glob) {
  const bool is_part =
      std::any_of(subject.links.begin(), subject.links.end(),
                  [&](const auto& link) { return base_name(link.needed).starts_with(glob); });
  return is_part ? fmt::format("'{}*' names what begins so", printable(glob)) : "";
}

}  // namespace

std::string explain_text(const check::Subject& subject, const std::string& glob,
                         const check::Options& options) {
  std::set<std::string> names;
  // A bundled library is asked for by the name that the build knows.
  const auto matches = [&](const std::string& name) {
    for (const auto& known : {name, check::name_without_hash(name)}) {
      if (known == glob || glob_match(glob, known) || known.starts_with(glob + ".")) return true;
    }
    return false;
  };
  for (const auto& link : subject.links) {
    if (matches(std::string(base_name(link.needed)))) names.insert(link.needed);
  }
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const std::string name(base_name(subject.path_of(i)));
    if (matches(name)) names.insert(name);
  }
  if (names.empty()) {
    throw Error(ErrorKind::unfit, "library-unknown",
                fmt::format("no file of {} is named {} or needs it", printable(subject.name),
                            printable(glob)),
                near_names(subject, glob));
  }
  std::string out;
  for (const auto& name : names) {
    line(out, "{}", printable(name));
    for (std::size_t i = 0; i < subject.files.size(); ++i) {
      const auto& facts = *subject.files[i].facts;
      if (base_name(subject.path_of(i)) != name) continue;
      line(out, "  is in the subject: {} ({} bytes, SONAME {}, {})", printable(subject.path_of(i)),
           subject.members[subject.files[i].member].size,
           facts.soname ? printable(*facts.soname) : "none", run_path_of(facts));
    }
    write_policies(out, subject, name);
    write_patterns(out, subject, name, options);
    bool is_needed = false;
    for (const auto& link : subject.links) {
      if (link.needed != name) continue;
      is_needed = true;
      line(out, "  needed by {} ({})", printable(subject.path_of(link.file)),
           run_path_of(*subject.files[link.file].facts));
      line(out, "    {}", printable(link_text(subject, link)));
      if (link.root && *link.root != link.file) {
        line(out, "    as loaded with {}", printable(subject.path_of(*link.root)));
      }
    }
    if (!is_needed) line(out, "  needed by no file");
  }
  return out;
}

}  // namespace truewheel::report
