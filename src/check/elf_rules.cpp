// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "check/rules.hpp"
#include "check/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace truewheel::check {
namespace {

/// Complaints of the structure check that break a load on some system. The others are the linker's
/// habits: an edit must not add them, but as they come they do no harm.
enum class Damage { headers, tables, none };

Damage damage_of(std::string_view complaint) {
  constexpr std::array<std::string_view, 5> kHeaders = {"page:", "I1:", "I2:", "I6: PT_PHDR is not",
                                                        "I6: PT_PHDR stands"};
  // What is read through its address: PT_DYNAMIC, PT_INTERP, PT_TLS and GNU_RELRO. Attributes and
  // notes may stay in the file.
  constexpr std::array<std::string_view, 4> kUnmapped = {
      "I7: a program header of type 0x2 ", "I7: a program header of type 0x3 ",
      "I7: a program header of type 0x7 ", "I7: a program header of type 0x6474e552 "};
  const auto begins = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](std::string_view text) { return complaint.starts_with(text); });
  };
  if (begins(kHeaders) || begins(kUnmapped)) return Damage::headers;
  if (complaint.find("is not where its dynamic tag says") != std::string_view::npos ||
      complaint.find("is not where a LOAD maps it") != std::string_view::npos ||
      complaint.find("has its name past DT_STRSZ") != std::string_view::npos ||
      complaint.find("is not PT_DYNAMIC") != std::string_view::npos) {
    return Damage::tables;
  }
  return Damage::none;
}

void tell_damage(const Subject& subject, Damage damage, Sink& sink) {
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    std::vector<std::string> found;
    for (const auto& complaint : subject.files[i].complaints) {
      if (damage_of(complaint) == damage) found.push_back(complaint);
    }
    if (found.empty()) continue;
    auto text = found.front();
    if (const auto colon = text.find(": "); colon < 5) {
      text = text.substr(colon + 2);
    }
    sink.add(Severity::error, subject.path_of(i), text,
             fmt::format("{}{}", text,
                         found.size() > 1 ? fmt::format(" (and {} more)", found.size() - 1) : ""),
             "build it anew and edit it with truewheel patchelf");
  }
}

}  // namespace

void check_program_headers(const Subject& subject, const Options&, Sink& sink) {
  for (const auto& fault : subject.elf_faults) {
    if (fault.id == "E001") sink.add(fault.severity, fault.where, fault.what, fault.what);
  }
  tell_damage(subject, Damage::headers, sink);
}

void check_dynamic_tables(const Subject& subject, const Options&, Sink& sink) {
  tell_damage(subject, Damage::tables, sink);
}

void check_position_independence(const Subject& subject, const Options& options, Sink& sink) {
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& file = subject.files[i];
    if (file.facts->type != 2) continue;
    const bool is_broken =
        std::any_of(file.complaints.begin(), file.complaints.end(), [](const auto& complaint) {
          return damage_of(complaint) == Damage::headers ||
                 complaint.starts_with("I7: no LOAD maps the program headers");
        });
    sink.add(is_broken || options.pie_only ? Severity::error : Severity::warning,
             subject.path_of(i), "ET_EXEC",
             is_broken ? "is a program at a fixed address whose headers are not where the kernel "
                         "and the loader look: it dies before main"
                       : "is a program at a fixed address (no PIE), which other tools break when "
                         "they edit it",
             "link it with -pie");
  }
}

void check_device_sections(const Subject& subject, const Options& options, Sink& sink) {
  if (!options.compare_with) return;
  const MappedFile file(*options.compare_with);
  const auto name = options.compare_with->filename().string();
  const Subject before = read_wheel(file.bytes(), name, options);
  std::map<std::string_view, const ElfFile*> now_at;
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    now_at.emplace(subject.path_of(i), &subject.files[i]);
  }
  std::size_t common = 0;
  for (std::size_t i = 0; i < before.files.size(); ++i) {
    const auto& path = before.path_of(i);
    const auto found = now_at.find(path);
    common += found == now_at.end() ? 0 : 1;
    for (const auto& [section, digest] : before.files[i].device_sections) {
      const auto is_same = [&, &section = section, &digest = digest](const ElfFile& now_file) {
        const auto now = now_file.device_sections.find(section);
        return now != now_file.device_sections.end() && now->second == digest;
      };
      // A program that repair moved beside its libraries has another path.
      if (found == now_at.end() ? std::any_of(subject.files.begin(), subject.files.end(), is_same)
                                : is_same(*found->second)) {
        continue;
      }
      sink.add(
          Severity::error, path, section,
          fmt::format("section {} is not what it is in {}", printable(section), printable(name)),
          "repair the wheel of the build with truewheel repair");
    }
  }
  if (common != 0) return;
  sink.add(Severity::error, {}, name,
           fmt::format("--compare {}: that wheel has none of these ELF files, so that nothing was "
                       "compared",
                       printable(name)),
           "name the wheel that this one was made of");
}

void check_executable_memory(const Subject& subject, const Options&, Sink& sink) {
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& facts = *subject.files[i].facts;
    if (facts.executable_stack) {
      sink.add(Severity::warning, subject.path_of(i), "PT_GNU_STACK",
               "asks for an executable stack, which glibc 2.41 and later refuse to dlopen",
               "truewheel patchelf --clear-execstack, or link with -z noexecstack");
    }
    if (facts.has_text_relocations) {
      sink.add(Severity::warning, subject.path_of(i), "DT_TEXTREL",
               "has text relocations, which hardened systems refuse", "compile it with -fPIC");
    }
  }
}

void check_interpreters(const Subject& subject, const Options&, Sink& sink) {
  if (subject.kind == Subject::Kind::installed)
    return;  // the machine is known, and may be that one
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto odd = policy::odd_interpreter(*subject.files[i].facts, subject.libc);
    if (!odd) continue;
    sink.add(Severity::warning, subject.path_of(i), odd->interpreter, odd->sentence(), odd->hint());
  }
}

void check_static_tls(const Subject& subject, const Options&, Sink& sink) {
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& facts = *subject.files[i].facts;
    if (!facts.has_static_tls || facts.kind != elf::FileKind::shared_object) continue;
    if (!is_bundled(subject.path_of(i))) continue;
    sink.add(Severity::note, subject.path_of(i), "DF_STATIC_TLS",
             "is bundled and uses static TLS, of which a process has little to give to libraries "
             "loaded late",
             "compile it with -ftls-model=global-dynamic");
  }
}

}  // namespace truewheel::check
