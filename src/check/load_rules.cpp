// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/rules.hpp"
#include "check/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace truewheel::check {
namespace {

std::string searched_path(const elf::ElfFacts& facts) {
  const auto run_path = facts.run_path();
  if (!run_path || run_path->value.empty()) return "it has no run path";
  auto value = printable(run_path->value);
  if (value.size() > 200) value = value.substr(0, 200) + "…";
  return fmt::format("its {} is {}",
                     run_path->kind == elf::RunPathKind::rpath ? "RPATH" : "RUNPATH", value);
}

std::string through(const Subject& subject, const Link& link) {
  if (!link.root || *link.root == link.file) return "";
  return fmt::format(" when {} is loaded", printable(subject.path_of(*link.root)));
}

/// True when the run path of the file, or one that it inherits, leads to where the profile's
/// libraries are: its site folders, its system folders, or any folder outside of the wheel.
bool path_leads_outside(const Subject& subject, std::size_t file) {
  const auto leads = [&](std::size_t at) {
    const auto run_path = subject.files[at].facts->run_path();
    if (!run_path) return false;
    for (const auto& entry : deps::run_path_entries(run_path->value)) {
      const auto place =
          deps::place_entry(entry, subject.layout[at].path, *subject.files[at].facts);
      if (place.kind == deps::EntryPlace::Kind::absolute ||
          place.kind == deps::EntryPlace::Kind::above) {
        return true;
      }
      if (place.kind != deps::EntryPlace::Kind::inside || place.folder.empty()) continue;
      const auto top = split(place.folder, '/').front();
      const bool is_own =
          std::any_of(subject.members.begin(), subject.members.end(),
                      [&](const Member& member) { return member.path.starts_with(top + "/"); });
      if (!is_own) return true;
    }
    return false;
  };
  if (leads(file)) return true;
  if (subject.files[file].facts->runpath) return false;
  // DT_RPATH of those that need it, as far as one step tells.
  return std::any_of(subject.links.begin(), subject.links.end(), [&](const Link& link) {
    return link.target == file && link.file != file && subject.files[link.file].facts->rpath &&
           !subject.files[link.file].facts->runpath && leads(link.file);
  });
}

}  // namespace

void check_missing_libraries(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.load_faults) {
    if (fault.id == "R005") sink.add(fault.severity, fault.where, fault.value, fault.what);
  }
  std::set<std::pair<std::size_t, std::string>> told;
  for (const auto& link : subject.links) {
    if (link.reach != Reach::nowhere || !told.insert({link.file, link.needed}).second) continue;
    const auto& facts = *subject.files[link.file].facts;
    if (link.target) {
      sink.add(Severity::error, subject.path_of(link.file), link.needed,
               fmt::format("needs {}, which lies at {}, but no loader finds it there{}: {}",
                           printable(link.needed), printable(subject.path_of(*link.target)),
                           through(subject, link), searched_path(facts)),
               "truewheel repair adds the run-path entry");
      continue;
    }
    if (subject.kind == Subject::Kind::installed) {
      sink.add(Severity::error, subject.path_of(link.file), link.needed,
               fmt::format("needs {}, which no loader finds here: {}", printable(link.needed),
                           searched_path(facts)),
               "install what has it, or repair the wheel with --profile");
      continue;
    }
    sink.add(Severity::error, subject.path_of(link.file), link.needed,
             fmt::format("needs {}, which is neither in the wheel nor promised by the platform",
                         printable(link.needed)),
             "truewheel repair bundles it; --provide " + link.needed +
                 " says that the user's machine has it");
  }
}

void check_libraries_found_by_luck(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.load_faults) {
    if (fault.id == "R006") sink.add(fault.severity, fault.where, fault.value, fault.what);
  }
  std::set<std::pair<std::size_t, std::string>> told;
  for (const auto& link : subject.links) {
    if (!told.insert({link.file, link.needed}).second) continue;
    if (link.reach == Reach::luck && !link.provided_by.empty()) {
      sink.add(Severity::warning, subject.path_of(link.file), link.needed,
               fmt::format("needs {}, and only {}", printable(link.needed), link.provided_by),
               "truewheel repair --profile adds the run-path entry");
      continue;
    }
    if (link.reach == Reach::luck && link.target) {
      sink.add(Severity::warning, subject.path_of(link.file), link.needed,
               fmt::format("needs {} and finds it only because {} has loaded {} before: {}",
                           printable(link.needed),
                           link.root ? printable(subject.path_of(*link.root)) : "another file",
                           printable(subject.path_of(*link.target)),
                           searched_path(*subject.files[link.file].facts)),
               "truewheel repair adds the run-path entry");
      continue;
    }
    if (link.reach != Reach::outside || link.provider != Provider::vendor) continue;
    const auto& profile = policy::find_profile(link.provided_by.substr(sizeof("profile ") - 1));
    // Libraries of the system's default folders need no path; those of other wheels do.
    if (profile.site_entries.empty() || path_leads_outside(subject, link.file)) continue;
    sink.add(Severity::warning, subject.path_of(link.file), link.needed,
             fmt::format("needs {} ({}), and no run path leads there: it loads only where "
                         "LD_LIBRARY_PATH, ld.so.conf or an earlier import has it",
                         printable(link.needed), link.provided_by),
             "truewheel repair --profile " + profile.name);
  }
}

void check_version_needs(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.version_faults) {
    if (fault.loaded) continue;
    const auto& needs = subject.files[fault.file].facts->version_needs;
    const auto need = std::find_if(needs.begin(), needs.end(), [&](const elf::VersionNeed& one) {
      return one.file == fault.library;
    });
    const bool has_name = need != needs.end() && !need->versions.empty();
    sink.add(Severity::error, subject.path_of(fault.file), fault.library,
             fmt::format("needs versions of {} ({}), but no NEEDED entry brings that name: the "
                         "loader stops with an assertion",
                         printable(fault.library),
                         has_name ? printable(need->versions.front().name) : "none"),
             "build the file anew; truewheel repair of the build's wheel renames both together");
  }
}

void check_defined_versions(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.version_faults) {
    if (!fault.loaded) continue;
    const bool is_own_load = !fault.root || *fault.root == fault.file;
    sink.add(
        Severity::error, subject.path_of(fault.file), fault.library,
        fmt::format(
            "needs {} of {}, which {} does not define: the loader refuses it{}",
            printable(join(fault.lacking, ", ")), printable(fault.library),
            printable(subject.path_of(*fault.loaded)),
            is_own_load ? "" : " when " + printable(subject.path_of(*fault.root)) + " is loaded"),
        "put the library into the wheel that the file was linked with");
  }
}

void check_needed_paths(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& link : subject.links) {
    if (link.needed.find('/') == std::string::npos || link.needed.starts_with("$ORIGIN") ||
        link.needed.starts_with("${ORIGIN}")) {
      continue;
    }
    sink.add(Severity::error, subject.path_of(link.file), link.needed,
             fmt::format("needs {} by its path on the build machine, which is opened as it is",
                         printable(link.needed)),
             "truewheel repair; give the library a SONAME in the build");
  }
}

void check_libpython(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& link : subject.links) {
    if (!deps::is_libpython(link.needed) || subject.libc == deps::Libc::bionic) continue;
    const auto kind = subject.files[link.file].facts->kind;
    const bool is_program = kind == elf::FileKind::pie || kind == elf::FileKind::executable;
    sink.add(
        is_program ? Severity::error : Severity::warning, subject.path_of(link.file), link.needed,
        fmt::format("needs {}, which a statically linked interpreter has not",
                    printable(link.needed)),
        is_program ? "link the program without libpython" : "truewheel repair drops the entry");
  }
}

}  // namespace truewheel::check
