// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace truewheel::check {
namespace {

const policy::PolicyVerdict* verdict_on(const policy::Verdict& verdict, const std::string& tag) {
  for (std::size_t i = 0; i < verdict.policies.size(); ++i) {
    const auto& entry = verdict.policies[i];
    const auto& aliases = entry.policy->aliases;
    const auto says = [&](const std::string& name) {
      return tag == name + "_" + verdict.architecture;
    };
    if (tag == verdict.tag(i) || std::any_of(aliases.begin(), aliases.end(), says)) return &entry;
  }
  return nullptr;
}

/// What is about the tag itself; libraries that are not there are R005's.
bool is_about_the_tag(const policy::Offence& offence) {
  using Kind = policy::Offence::Kind;
  return offence.kind == Kind::version || offence.kind == Kind::blacklisted_symbol ||
         offence.kind == Kind::isa;
}

}  // namespace

void check_tag_is_earned(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.elf_faults) {
    if (fault.id == "T001") sink.add(fault.severity, fault.where, "", fault.what, fault.hint);
  }
  if (!subject.wheel_name || !subject.verdict) return;
  const auto& verdict = *subject.verdict;
  // Of several tags the strictest that fails is told: what breaks it breaks no other promise less.
  std::set<std::string> told;
  for (const auto& tag : subject.wheel_name->platform_tags) {
    const auto* found = verdict_on(verdict, tag);
    if (found == nullptr) continue;
    std::vector<const policy::Offence*> offences;
    for (const auto& offence : found->offences) {
      if (is_about_the_tag(offence)) offences.push_back(&offence);
    }
    if (offences.empty() || !told.insert(found->policy->name).second) continue;
    sink.add(
        Severity::error, offences.front()->file, tag,
        fmt::format("{} is not true: {}{}", tag, printable(offences.front()->sentence()),
                    offences.size() > 1 ? fmt::format(" (and {} more)", offences.size() - 1) : ""),
        fmt::format("truewheel repair --plat auto; the symbol versions allow {}",
                    verdict.tag(verdict.by_versions)));
  }
}

void check_tags_agree(const Subject& subject, const Options&, Sink& sink) {
  if (!subject.wheel_name) return;
  const auto in_name = subject.wheel_name->expanded_tags();
  const std::set<std::string> name_set(in_name.begin(), in_name.end());
  const std::set<std::string> file_set(subject.wheel_tags.begin(), subject.wheel_tags.end());
  for (const auto& tag : file_set) {
    if (name_set.contains(tag)) continue;
    sink.add(Severity::error, subject.dist_info + "/WHEEL", tag,
             fmt::format("WHEEL has the tag {}, which the file name has not", printable(tag)),
             "truewheel repair writes both anew");
  }
  std::vector<std::string> missing;
  for (const auto& tag : name_set) {
    if (!file_set.contains(tag)) missing.push_back(tag);
  }
  if (missing.empty()) return;
  sink.add(
      Severity::warning, subject.dist_info + "/WHEEL", missing.front(),
      fmt::format("the file name has the tag {}{}, which WHEEL has not", printable(missing.front()),
                  missing.size() > 1 ? fmt::format(" (and {} more)", missing.size() - 1) : ""),
      "truewheel repair writes both anew");
}

void check_target_glibc(const Subject& subject, const Options& options, Sink& sink) {
  if (!options.target_glibc) return;
  const auto& target = *options.target_glibc;
  if (subject.wheel_name) {
    const auto& tags = subject.wheel_name->platform_tags;
    const bool fits = std::any_of(tags.begin(), tags.end(), [&](const auto& tag) {
      const auto parsed = policy::parse_platform_tag(tag);
      if (parsed.family == "any" || parsed.family == "linux") return true;
      return parsed.family == "manylinux" &&
             policy::compare_versions(fmt::format("{}.{}", parsed.major, parsed.minor), target) <=
                 0;
    });
    if (!fits) {
      sink.add(Severity::error, {}, join(tags, "."),
               fmt::format("cannot be installed where glibc is {}: its tag is {}",
                           printable(target), join(tags, ".")),
               "truewheel repair --plat with an older build image");
    }
  }
  if (!subject.verdict) return;
  const auto floor = subject.verdict->floors.find("glibc");
  if (floor == subject.verdict->floors.end() ||
      policy::compare_versions(floor->second.version, target) <= 0) {
    return;
  }
  sink.add(
      Severity::error, floor->second.file, floor->second.version,
      fmt::format("needs glibc {}{}, newer than the target's {}", floor->second.version,
                  floor->second.symbol.empty() ? "" : " for " + printable(floor->second.symbol),
                  printable(target)),
      "build it on an older system");
}

void check_purelib(const Subject& subject, const Options&, Sink& sink) {
  if (subject.kind != Subject::Kind::wheel || subject.files.empty()) return;
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& path = subject.path_of(i);
    const auto installed = wheel::installed_path(path, subject.dist_info);
    if (installed.scheme != wheel::InstalledPath::Scheme::purelib) continue;
    sink.add(Severity::error, path, "purelib", "is an ELF file under .data/purelib",
             "have the build put it into platlib");
  }
  if (subject.root_is_purelib.value_or(false)) {
    sink.add(Severity::warning, subject.dist_info + "/WHEEL", "Root-Is-Purelib",
             "says Root-Is-Purelib: true, but the wheel has ELF files",
             "truewheel repair corrects it");
  }
}

void check_foreign_files(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.elf_faults) {
    if (fault.id == "T005") sink.add(fault.severity, fault.where, subject.architecture, fault.what);
  }
}

}  // namespace truewheel::check
