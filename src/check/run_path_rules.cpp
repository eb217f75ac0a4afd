// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/requirements.hpp"
#include "check/rules.hpp"
#include "deps/sibling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace truewheel::check {
namespace {

using Kind = deps::EntryPlace::Kind;

constexpr const char* kRepair = "truewheel repair, also with --fix-only, rewrites the run path";

struct Entry {
  std::size_t file = 0;
  std::string text;
  const char* tag = "";
  deps::EntryPlace place;
};

/// Calls `body` for each different entry of each file, of both tags.
template <class Body>
void for_each_entry(const Subject& subject, Body&& body) {
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& facts = *subject.files[i].facts;
    std::set<std::string> seen;
    for (const auto& [value, tag] :
         {std::pair{&facts.rpath, "RPATH"}, {&facts.runpath, "RUNPATH"}}) {
      if (!*value) continue;
      for (auto& text : deps::run_path_entries(**value)) {
        if (!seen.insert(text).second) continue;
        Entry entry{i, text, tag, {}};
        entry.place = deps::place_entry(text, subject.layout[i].path, facts);
        body(entry);
      }
    }
  }
}

bool is_system_entry(const std::string& entry, const Options& options) {
  if (!options.system_rpath) return false;
  return std::any_of(options.profiles.begin(), options.profiles.end(), [&](const auto& name) {
    const auto& known = policy::find_profile(name).system_entries;
    return std::find(known.begin(), known.end(), entry) != known.end();
  });
}

/// "/opt/rocm-7.2.3/lib", "/usr/local/cuda-13.0/lib64", "…/boost1.78": a toolkit of one version.
/// The folder names of multiarch systems and of Python's own versions are none.
bool has_versioned_component(std::string_view entry) {
  for (const auto& component : split(entry, '/')) {
    if (component.starts_with("python") || component.starts_with("lib.")) continue;
    const auto digit = component.find_first_of("0123456789");
    if (digit == std::string::npos || digit == 0) continue;
    const auto tail = std::string_view(component).substr(digit);
    const bool is_version =
        tail.find('.') != std::string_view::npos &&
        std::all_of(tail.begin(), tail.end(), [](char letter) {
          return letter == '.' || std::isdigit(static_cast<unsigned char>(letter)) != 0;
        });
    if (is_version && std::isalpha(static_cast<unsigned char>(component.front())) != 0) return true;
  }
  return false;
}

/// Why a path can only mean something on the machine that built the wheel; empty if it need not.
std::string build_machine_reason(const std::string& entry) {
  if (!entry.starts_with('/')) {
    const auto parts = split(entry, '/');
    return std::find(parts.begin(), parts.end(), "stubs") != parts.end() ? "leads to stub libraries"
                                                                         : "";
  }
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kParts = {{
      {"/stubs/", "leads to stub libraries, which fail at run time"},
      {"/hostedtoolcache/", "is a folder of a CI runner"},
      {"/build/", "is a build folder"},
      {"/src/", "is a source folder"},
      {"/.conan", "is a build folder"},
  }};
  constexpr std::array<std::pair<std::string_view, const char*>, 8> kBeginnings = {{
      {"/tmp/", "is a temporary folder"},
      {"/var/tmp/", "is a temporary folder"},
      {"/home/", "is a home folder"},
      {"/root/", "is a home folder"},
      {"/__w/", "is a folder of a CI runner"},
      {"/github/", "is a folder of a CI runner"},
      {"/workspace/", "is a build folder"},
      {"/project/", "is a build folder"},
  }};
  const auto whole = entry + "/";
  for (const auto& [part, reason] : kParts) {
    if (whole.find(part) != std::string::npos) return reason;
  }
  for (const auto& [beginning, reason] : kBeginnings) {
    if (whole.starts_with(beginning)) return reason;
  }
  return has_versioned_component(entry) ? "names one version of a toolkit" : "";
}

/// Entries that lead out of the wheel's own folders to another distribution's, which may be there.
bool leads_to_another_package(const Subject& subject, const std::string& folder) {
  if (folder.empty() || !who_brings(subject.requires_dist, folder).empty()) return true;
  const auto top = split(folder, '/').front();
  return std::none_of(subject.members.begin(), subject.members.end(),
                      [&](const Member& member) { return member.path.starts_with(top + "/"); });
}

bool has_file(const Subject& subject, const std::string& path) {
  return std::any_of(subject.members.begin(), subject.members.end(),
                     [&](const Member& member) { return member.path == path; });
}

/// In an installation an absolute folder is where it says; it is only fragile there.
Severity severity_of_place(const Subject& subject) {
  return subject.kind == Subject::Kind::installed ? Severity::warning : Severity::error;
}

}  // namespace

void check_absolute_entries(const Subject& subject, const Options& options, Sink& sink) {
  for_each_entry(subject, [&](const Entry& entry) {
    if (entry.place.kind != Kind::absolute || is_system_entry(entry.text, options)) return;
    sink.add(severity_of_place(subject), subject.path_of(entry.file), entry.text,
             fmt::format("{} entry {} is absolute: it holds on no machine but the build's",
                         entry.tag, printable(entry.text)),
             kRepair);
  });
}

void check_entries_that_lead_nowhere(const Subject& subject, const Options&, Sink& sink) {
  const deps::LayoutIndex index(subject.layout);
  // Files with a library that no loader finds: there an entry that leads nowhere is the reason.
  std::set<std::size_t> is_broken;
  for (const auto& link : subject.links) {
    if (link.reach == Reach::nowhere) is_broken.insert(link.file);
  }
  // One message a file and tag: of many dead entries the first is named, the rest counted.
  std::map<std::pair<std::size_t, std::string>, std::vector<std::string>> dead;
  for_each_entry(subject, [&](const Entry& entry) {
    // A name with ".so" is a file's, wherever it would lead.
    const auto name = std::string(base_name(entry.text));
    const bool names_file =
        (entry.place.kind == Kind::inside &&
         (index.at(entry.place.folder) || has_file(subject, entry.place.folder))) ||
        ((entry.place.kind == Kind::inside || entry.place.kind == Kind::relative) &&
         glob_match("lib*.so*", name));
    if (names_file) {
      sink.add(Severity::error, subject.path_of(entry.file), entry.text,
               fmt::format("{} entry {} names a file, where only a folder is searched", entry.tag,
                           printable(entry.text)),
               kRepair);
      return;
    }
    if (entry.place.kind != Kind::inside || index.has_folder(entry.place.folder)) return;
    if (leads_to_another_package(subject, entry.place.folder)) return;
    dead[{entry.file, entry.tag}].push_back(entry.text);
  });
  for (const auto& [key, entries] : dead) {
    sink.add(
        is_broken.contains(key.first) ? Severity::error : Severity::warning,
        subject.path_of(key.first), entries.front(),
        fmt::format("{} entry {}{} leads to no folder with libraries", key.second,
                    printable(entries.front()),
                    entries.size() > 1 ? fmt::format(" (and {} more)", entries.size() - 1) : ""),
        kRepair);
  }
}

void check_entries_without_anchor(const Subject& subject, const Options&, Sink& sink) {
  std::map<std::pair<std::size_t, std::string>, std::vector<std::string>> above;
  for_each_entry(subject, [&](const Entry& entry) {
    const auto say = [&](const std::string& what) {
      sink.add(Severity::error, subject.path_of(entry.file), entry.text,
               fmt::format("{} entry {} {}", entry.tag,
                           entry.text.empty() ? "(empty)" : printable(entry.text), what),
               kRepair);
    };
    if (entry.place.kind == Kind::empty) {
      // An empty DT_RUNPATH as a whole holds no entry; between colons it is the current folder.
      const auto& facts = *subject.files[entry.file].facts;
      const auto& value = std::string_view(entry.tag) == "RPATH" ? facts.rpath : facts.runpath;
      if (value->empty()) return;
      say("is the folder that the user happens to be in");
    }
    if (entry.place.kind == Kind::relative) {
      say("has no $ORIGIN: it is relative to the folder that the user happens to be in");
    }
    // What is above a file that was named alone is not known to be outside of anything.
    if (entry.place.kind == Kind::above && subject.kind != Subject::Kind::file)
      above[{entry.file, entry.tag}].push_back(entry.text);
  });
  for (const auto& [key, entries] : above) {
    sink.add(
        Severity::error, subject.path_of(key.first), entries.front(),
        fmt::format("{} entry {}{} climbs above the installation root", key.second,
                    printable(entries.front()),
                    entries.size() > 1 ? fmt::format(" (and {} more)", entries.size() - 1) : ""),
        kRepair);
  }
}

void check_build_machine_entries(const Subject& subject, const Options& options, Sink& sink) {
  for_each_entry(subject, [&](const Entry& entry) {
    const auto reason = build_machine_reason(entry.text);
    if (reason.empty() || is_system_entry(entry.text, options)) return;
    sink.add(severity_of_place(subject), subject.path_of(entry.file), entry.text,
             fmt::format("{} entry {} {}", entry.tag, printable(entry.text), reason), kRepair);
  });
}

void check_run_path_kinds(const Subject& subject, const Options&, Sink& sink) {
  std::vector<std::size_t> with_rpath;
  std::vector<std::size_t> with_runpath;
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& facts = *subject.files[i].facts;
    if (facts.rpath && facts.runpath && facts.rpath != facts.runpath) {
      sink.add(Severity::error, subject.path_of(i), *facts.rpath,
               fmt::format("has DT_RPATH {} beside DT_RUNPATH {}: glibc takes the second only",
                           printable(*facts.rpath), printable(*facts.runpath)),
               kRepair);
    }
    if (facts.runpath) {
      with_runpath.push_back(i);
    } else if (facts.rpath) {
      with_rpath.push_back(i);
    }
  }
  if (with_rpath.empty() || with_runpath.empty()) return;
  const bool runpath_is_rarer = with_runpath.size() <= with_rpath.size();
  const auto& rarer = runpath_is_rarer ? with_runpath : with_rpath;
  sink.add(
      Severity::warning, subject.path_of(rarer.front()), runpath_is_rarer ? "RUNPATH" : "RPATH",
      fmt::format("DT_RPATH stands in {} of the files and DT_RUNPATH, which takes inheritance away "
                  "and lets LD_LIBRARY_PATH in first, in {}; this is the first of the fewer",
                  with_rpath.size(), with_runpath.size()),
      "truewheel repair --fix-only gives all files one kind");
}

}  // namespace truewheel::check
