// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/rules.hpp"
#include "check/subject.hpp"
#include "deps/sibling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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

struct Groups {
  std::map<std::string, std::vector<std::size_t>> by_build;  ///< build-id
  std::map<std::string, std::vector<std::size_t>> by_name;   ///< without a hash
};

Groups groups_of(const Subject& subject) {
  Groups groups;
  for (const auto file : libraries_of(subject)) {
    const auto& id = subject.files[file].facts->build_id;
    if (id && !id->empty()) groups.by_build[*id].push_back(file);
    groups.by_name[name_without_hash(std::string(base_name(subject.path_of(file))))].push_back(
        file);
  }
  return groups;
}

/// Of the files that are called so, the first without and the first with a hash in its name.
std::optional<std::pair<std::size_t, std::size_t>> plain_and_hashed(
    const Subject& subject, const std::string& plain_name, const std::vector<std::size_t>& files) {
  const auto has_hash = [&](std::size_t file) {
    return base_name(subject.path_of(file)) != plain_name;
  };
  const auto plain = std::find_if_not(files.begin(), files.end(), has_hash);
  const auto hashed = std::find_if(files.begin(), files.end(), has_hash);
  if (plain == files.end() || hashed == files.end()) return std::nullopt;
  return std::pair(*plain, *hashed);
}

/// Equal for files that are one library. A file's own bytes are the last thing to go by.
std::string identity_of(const Subject& subject, std::size_t file) {
  const auto& known = subject.files[file];
  if (!known.payload.empty()) return known.payload;
  const auto& content = subject.members[known.member].sha256;
  return content.empty() ? subject.path_of(file) : content;
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

void tell_copies_apart(Subject& subject,
                       const std::function<std::string(std::size_t member)>& digest) {
  const auto tell = [&](const std::vector<std::size_t>& files) {
    const auto content = [&](auto file) {
      return subject.members[subject.files[file].member].sha256;
    };
    const auto first = content(files.front());  // empty of what is no archive's
    if (!first.empty() && std::all_of(files.begin(), files.end(),
                                      [&](auto file) { return content(file) == first; })) {
      return;
    }
    for (const auto file : files) {
      auto& known = subject.files[file];
      try {
        if (known.payload.empty()) known.payload = digest(known.member);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::io) throw;
        // Its headers do not say where code and data are.
      }
    }
  };
  const auto groups = groups_of(subject);
  for (const auto& [build, files] : groups.by_build) {
    if (files.size() > 1) tell(files);
  }
  for (const auto& [name, files] : groups.by_name) {
    if (const auto pair = plain_and_hashed(subject, name, files)) tell({pair->first, pair->second});
  }
}

void check_double_libraries(const Subject& subject, const Options&, Sink& sink) {
  const auto groups = groups_of(subject);
  std::set<std::size_t> told;
  const auto tell = [&](const std::vector<std::size_t>& files, const std::string& value,
                        const std::string& why, Severity severity = Severity::error) {
    if (std::all_of(files.begin(), files.end(), [&](auto file) { return told.contains(file); })) {
      return;
    }
    told.insert(files.begin(), files.end());
    std::uint64_t bytes = 0;
    for (std::size_t i = 1; i < files.size(); ++i) {
      bytes += subject.members[subject.files[files[i]].member].size;
    }
    sink.add(
        severity, subject.path_of(files.front()), value,
        fmt::format("the wheel has {} more than once ({}): {}; {} bytes too many", printable(value),
                    why, list_paths(subject, files), bytes),
        "truewheel repair --fix-only; a repair of the wheel as the build made it bundles no copy");
  };
  const auto name_of = [&](std::size_t file) {
    return name_without_hash(std::string(base_name(subject.path_of(file))));
  };
  for (const auto& [build, files] : groups.by_build) {
    // A product that was patched for each of its variants after it was linked is several libraries.
    std::map<std::string, std::vector<std::size_t>> by_content;
    for (const auto file : files) by_content[identity_of(subject, file)].push_back(file);
    for (const auto& [content, same] : by_content) {
      if (same.size() < 2 || is_chain(subject, same)) continue;
      // Under other names a copy may be meant to have a state of its own: the loader loads both.
      const auto stem = [&](std::size_t file) {
        const auto name = name_of(file);
        return name.substr(0, name.find(".so"));
      };
      const std::string first = stem(same.front());
      const bool has_one_name = std::all_of(same.begin(), same.end(),
                                            [&](std::size_t file) { return stem(file) == first; });
      tell(same, name_of(same.front()), "one build-id",
           has_one_name ? Severity::error : Severity::warning);
    }
    const bool is_known = std::none_of(files.begin(), files.end(), [&](auto file) {
      return by_content.size() > 1 && subject.files[file].payload.empty();
    });
    if (is_known || is_chain(subject, files)) continue;
    sink.add(Severity::warning, subject.path_of(files.front()), name_of(files.front()),
             fmt::format("files of one build-id differ, and their section headers do not tell "
                         "whether they are one library: {}",
                         list_paths(subject, files)),
             "pack one of them if one serves all that need them");
  }
  // One name and SONAME in two folders: the loader takes whichever comes first.
  std::map<std::string, std::vector<std::size_t>> by_soname;
  for (const auto file : libraries_of(subject)) {
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
  for (const auto& [name, files] : groups.by_name) {
    const auto pair = plain_and_hashed(subject, name, files);
    if (!pair) continue;
    const std::vector both = {pair->first, pair->second};
    if (identity_of(subject, pair->first) == identity_of(subject, pair->second) ||
        subject.files[pair->first].payload.empty() || subject.files[pair->second].payload.empty()) {
      tell(both, name, "with and without a hash in its name");
    } else if (!told.contains(pair->first) || !told.contains(pair->second)) {
      sink.add(Severity::error, subject.path_of(pair->first), name,
               fmt::format("the wheel has two libraries called {}, with other code or data: {}",
                           printable(name), list_paths(subject, both)),
               "a repair of the wheel as the build made it takes the wheel's own for both");
    }
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
