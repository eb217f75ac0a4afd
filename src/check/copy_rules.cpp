// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/rules.hpp"
#include "deps/sibling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace truewheel::check {
namespace {

bool is_extension(const elf::ElfFacts& facts) {
  return std::any_of(facts.python_exports.begin(), facts.python_exports.end(),
                     [](const auto& name) { return name.starts_with("PyInit_"); });
}

/// The libraries of the subject that others can load by name.
std::vector<std::size_t> libraries_of(const Subject& subject) {
  std::vector<std::size_t> libraries;
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& facts = *subject.files[i].facts;
    if (deps::can_be_needed(facts) && !is_extension(facts)) libraries.push_back(i);
  }
  return libraries;
}

std::string list_paths(const Subject& subject, const std::vector<std::size_t>& files) {
  std::string text;
  for (std::size_t i = 0; i < files.size() && i < 4; ++i) {
    text += (i == 0 ? "" : ", ") + printable(subject.path_of(files[i]));
  }
  if (files.size() > 4) text += fmt::format(" and {} more", files.size() - 4);
  return text;
}

/// "libx.so", "libx.so.1" and "libx.so.1.2" of one folder: what symbolic links become in a wheel.
bool is_chain(const Subject& subject, const std::vector<std::size_t>& files) {
  const auto folder = folder_name(subject.path_of(files.front()));
  std::vector<std::string> names;
  for (const auto file : files) {
    if (folder_name(subject.path_of(file)) != folder) return false;
    names.emplace_back(base_name(subject.path_of(file)));
  }
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (!names[i].starts_with(names[0]) || names[i][names[0].size()] != '.') return false;
  }
  return names[0].ends_with(".so") || names[0].find(".so.") != std::string::npos;
}

std::set<std::size_t> needed_files(const Subject& subject) {
  std::set<std::size_t> needed;
  for (const auto& link : subject.links) {
    if (link.target && *link.target != link.file) needed.insert(*link.target);
  }
  return needed;
}

}  // namespace

std::string name_without_hash(const std::string& name) {
  const auto dot = name.find('.');
  const auto stem = name.substr(0, dot);
  const auto dash = stem.rfind('-');
  if (dash == std::string::npos || stem.size() - dash - 1 < 8) return name;
  const auto hash = std::string_view(stem).substr(dash + 1);
  const bool is_hash = std::all_of(hash.begin(), hash.end(), [](char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0 ||
           (letter >= 'a' && letter <= 'f');
  });
  if (!is_hash) return name;
  return stem.substr(0, dash) + (dot == std::string::npos ? "" : name.substr(dot));
}

bool is_bundled(const std::string& path) {
  const auto folder = folder_name(path);
  const std::string name(base_name(path));
  return folder.ends_with(".libs") || folder.ends_with("/.libs") || folder == ".libs" ||
         folder.find(".libs/") != std::string_view::npos || name_without_hash(name) != name;
}

void check_double_libraries(const Subject& subject, const Options&, Sink& sink) {
  const auto libraries = libraries_of(subject);
  std::map<std::string, std::vector<std::size_t>> by_build;
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (const auto file : libraries) {
    const auto& facts = *subject.files[file].facts;
    if (facts.build_id && !facts.build_id->empty()) by_build[*facts.build_id].push_back(file);
    by_name[name_without_hash(std::string(base_name(subject.path_of(file))))].push_back(file);
  }
  std::set<std::size_t> told;
  const auto tell = [&](const std::vector<std::size_t>& files, const std::string& value,
                        const std::string& why) {
    if (std::all_of(files.begin(), files.end(), [&](auto file) { return told.contains(file); })) {
      return;
    }
    told.insert(files.begin(), files.end());
    std::uint64_t bytes = 0;
    for (std::size_t i = 1; i < files.size(); ++i) {
      bytes += subject.members[subject.files[files[i]].member].size;
    }
    sink.add(
        Severity::error, subject.path_of(files.front()), value,
        fmt::format("the wheel has {} more than once ({}): {}; {} bytes too many", printable(value),
                    why, list_paths(subject, files), bytes),
        "truewheel repair --fix-only; a repair of the wheel as the build made it bundles no copy");
  };
  for (const auto& [build, files] : by_build) {
    if (files.size() < 2 || is_chain(subject, files)) continue;
    tell(files, name_without_hash(std::string(base_name(subject.path_of(files.front())))),
         "one build-id");
  }
  // One name and SONAME in two folders: the loader takes whichever comes first.
  std::map<std::string, std::vector<std::size_t>> by_soname;
  for (const auto file : libraries) {
    const auto& facts = *subject.files[file].facts;
    const auto name = base_name(subject.path_of(file));
    if (facts.soname && *facts.soname == name) by_soname[*facts.soname].push_back(file);
  }
  for (const auto& [soname, files] : by_soname) {
    if (files.size() < 2 || told.contains(files.front())) continue;
    sink.add(Severity::warning, subject.path_of(files.front()), soname,
             fmt::format("the wheel has {} libraries of the SONAME {}: {}", files.size(),
                         printable(soname), list_paths(subject, files)),
             "pack one of them");
  }
  // A hashed name beside the plain one: what auditwheel makes when it misses the wheel's own copy.
  for (const auto& [name, files] : by_name) {
    const auto has_hash = [&, &plain_name = name](std::size_t file) {
      return base_name(subject.path_of(file)) != plain_name;
    };
    const auto plain = std::find_if_not(files.begin(), files.end(), has_hash);
    const auto hashed = std::find_if(files.begin(), files.end(), has_hash);
    if (plain == files.end() || hashed == files.end()) continue;
    tell({*plain, *hashed}, name, "with and without a hash in its name");
  }
}

void check_copied_symlink_chains(const Subject& subject, const Options&, Sink& sink) {
  if (subject.kind == Subject::Kind::folder) return;  // there they may be links
  std::map<std::pair<std::string, std::uint64_t>, std::vector<std::size_t>> by_content;
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& member = subject.members[subject.files[i].member];
    if (deps::can_be_needed(*subject.files[i].facts)) {
      by_content[{member.sha256, member.size}].push_back(i);
    }
  }
  const auto needed = needed_files(subject);
  for (const auto& [content, files] : by_content) {
    if (files.size() < 2 || !is_chain(subject, files)) continue;
    // The loader maps each file that is asked for: two names in use are two libraries. A name that
    // nobody asks for is only dead weight, unless none is: then a program opens them itself.
    const auto used =
        std::count_if(files.begin(), files.end(), [&](auto file) { return needed.contains(file); });
    sink.add(used == 1 ? Severity::warning : Severity::error, subject.path_of(files.front()),
             std::string(base_name(subject.path_of(files.front()))),
             fmt::format("symbolic links became {} equal files: {}", files.size(),
                         list_paths(subject, files)),
             "pack one file, under the name that NEEDED entries ask for");
  }
}

}  // namespace truewheel::check
