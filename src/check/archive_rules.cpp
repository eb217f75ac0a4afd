// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::check {

void check_archive(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.archive_faults) {
    sink.add(fault.severity, subject.dist_info, fault.what, fault.what, fault.hint);
  }
  if (subject.kind != Subject::Kind::wheel) return;
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& member = subject.members[subject.files[i].member];
    const auto kind = subject.files[i].facts->kind;
    const bool is_program = kind == elf::FileKind::pie || kind == elf::FileKind::executable ||
                            kind == elf::FileKind::static_executable;
    // Installers set the bit for scripts; everything else keeps the archive's mode.
    const auto scheme = wheel::installed_path(member.path, subject.dist_info).scheme;
    if (!is_program || member.executable || scheme == wheel::InstalledPath::Scheme::scripts ||
        deps::is_libpython(member.path)) {
      continue;
    }
    // A library that can also be run is loaded far more often than run.
    if (subject.files[i].facts->soname || base_name(member.path).find(".so") != std::string::npos) {
      continue;
    }
    sink.add(Severity::error, member.path, "mode", "is a program without an execute bit",
             "chmod +x it in the build");
  }
}

void check_assertions(const Subject& subject, const Options& options, Sink& sink) {
  if (!options.expect_names.empty() && subject.wheel_name) {
    const bool fits = std::any_of(options.expect_names.begin(), options.expect_names.end(),
                                  [&](const auto& glob) { return glob_match(glob, subject.name); });
    if (!fits) {
      sink.add(Severity::error, {}, subject.name,
               fmt::format("the file name {} is none of {}", printable(subject.name),
                           printable(join(options.expect_names, ", "))));
    }
  }
  const auto has = [&](std::size_t file, const std::string& glob) {
    const auto& needed = subject.files[file].facts->needed;
    return std::find_if(needed.begin(), needed.end(),
                        [&](const auto& name) { return glob_match(glob, name); }) != needed.end();
  };
  for (const auto& [member_glob, needed_glob] : options.require_needed) {
    std::size_t matched = 0;
    for (std::size_t i = 0; i < subject.files.size(); ++i) {
      if (!glob_match(member_glob, subject.path_of(i))) continue;
      ++matched;
      if (has(i, needed_glob)) continue;
      sink.add(
          Severity::error, subject.path_of(i), needed_glob,
          fmt::format("does not need {}, which --require-needed asks for", printable(needed_glob)),
          "was the right variant built?");
    }
    if (matched == 0) {
      sink.add(Severity::error, {}, member_glob,
               fmt::format("no ELF file is named {}, of which --require-needed speaks",
                           printable(member_glob)));
    }
  }
  for (const auto& [member_glob, needed_glob] : options.forbid_needed) {
    for (std::size_t i = 0; i < subject.files.size(); ++i) {
      if (!glob_match(member_glob, subject.path_of(i)) || !has(i, needed_glob)) continue;
      sink.add(Severity::error, subject.path_of(i), needed_glob,
               fmt::format("needs {}, which --forbid-needed rules out", printable(needed_glob)),
               "was the right variant built?");
    }
  }
}

}  // namespace truewheel::check
