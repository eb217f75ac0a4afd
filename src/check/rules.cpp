// SPDX-License-Identifier: Apache-2.0
#include "check/rules.hpp"

#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <utility>

namespace truewheel::check {
namespace {

struct Entry {
  Rule rule;
  RuleFunction function;
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = {
      {{"R001", Severity::error, "A run-path entry is absolute",
        "An absolute folder holds on the build machine only: elsewhere it is missing, or has "
        "another "
        "library of the same name (pytorch/executorch#21611, pytorch/FBGEMM#3098).",
        "truewheel repair drops it; --allow R001:FOLDER allows one, --profile NAME --system-rpath "
        "the profile's",
        Severity::warning},
       check_absolute_entries},
      {{"R002", Severity::error, "A run-path entry leads to no folder",
        "patchelf 0.14.3 leaves file names where folders belong when SONAME, NEEDED and run path "
        "are "
        "changed at once, and nothing is found (pypa/auditwheel#722, NixOS/patchelf#359).",
        "truewheel repair writes the run path anew", Severity::warning},
       check_entries_that_lead_nowhere},
      {{"R003", Severity::error, "A run-path entry is empty, relative, or leaves the installation",
        "Empty and relative entries search the folder that the user is in, so that a stranger's "
        "library is loaded (ledger/ledger#3229); what is above site-packages is not the wheel's.",
        "truewheel repair drops it; --allow R003:ENTRY allows one"},
       check_entries_without_anchor},
      {{"R004", Severity::error, "A run-path entry names a place of the build machine",
        "Stub folders, temporary and home folders, CI runners and toolkits of one version leak "
        "from "
        "builds into published wheels (Mooncake's CUDA 13 and EFA wheels 0.3.13 to 0.3.14; "
        "ROCm/rocm-jax#147).",
        "truewheel repair drops it", Severity::warning},
       check_build_machine_entries},
      {{"R005", Severity::error, "A needed library is not found",
        "The library is neither in the wheel where the loader looks, nor promised by the platform "
        "tag: the import fails on the user's machine (tenstorrent/tt-metal#53745).",
        "truewheel repair bundles it; --provide, --profile or --exclude says that the machine has "
        "it"},
       check_missing_libraries},
      {{"R006", Severity::warning, "A needed library is found only by luck",
        "It is found only since another file loaded it before, or where LD_LIBRARY_PATH or an "
        "earlier "
        "import has it; another import order breaks it (pypa/auditwheel#451).",
        "truewheel repair adds the run-path entry; --profile adds those of vendors' libraries"},
       check_libraries_found_by_luck},
      {{"R007", Severity::error, "DT_RPATH and DT_RUNPATH are mixed",
        "The two have other rules for inheritance and LD_LIBRARY_PATH; with both in one file glibc "
        "ignores DT_RPATH (rpminspect/rpminspect#294).",
        "truewheel repair --fix-only gives all files one kind; a plain repair leaves files alone "
        "that "
        "need no edit",
        Severity::warning},
       check_run_path_kinds},
      {{"R008", Severity::error, "A library is in the wheel twice",
        "Two copies have two states: two runtimes, two registries, and megabytes for nothing "
        "(tenstorrent/tt-xla#2426; Mooncake's ROCm wheel 0.3.13 has libasio and a Go runtime "
        "twice). Files of one build-id with other code or data are several libraries.",
        "truewheel repair of the wheel as the build made it, or truewheel repair --fix-only",
        Severity::warning},
       check_double_libraries},
      {{"R009", Severity::error, "Symbolic links became copies",
        "A zip archive made of a tree with links holds one file a name, and the loader maps each "
        "(ai-dynamo/nixl#1567).",
        "pack one file, under the name that NEEDED entries ask for"},
       check_copied_symlink_chains},
      {{"R010", Severity::error, "Version needs name a library that nothing loads",
        "A tool renamed the NEEDED entry only: the loader stops with an assertion "
        "(uccl-project/uccl#1038, NixOS/patchelf#84).",
        "build the file anew and repair it with truewheel"},
       check_version_needs},
      {{"R011", Severity::error, "NEEDED holds a path of the build machine",
        "A library without SONAME that is linked by its path is needed by that path, which no run "
        "path changes (kvcache-ai/Mooncake#1571).",
        "truewheel repair; give the library a SONAME"},
       check_needed_paths},
      {{"R012", Severity::error, "libpython is needed",
        "Interpreters of manylinux images, uv and conda are linked statically and have no "
        "libpython "
        "(pypa/auditwheel#589).",
        "truewheel repair drops the entry of extension modules", Severity::warning},
       check_libpython},
      {{"R013", Severity::error, "A library lacks a version that is needed of it",
        "An older library of the name lies where the loader looks first, and the loader compares "
        "versions before it starts anything (glibc's elf/dl-version.c): \"version `FOO_2' not "
        "found\" at import.",
        "put the library into the wheel that the file was linked with"},
       check_defined_versions},
      {{"E001", Severity::error, "Program headers are broken",
        "Segments that overlap, share pages or lie outside of the file fail on some kernels and "
        "loaders, though not on the build's (kvcache-ai/Mooncake#3104, lief-project/LIEF#1366).",
        "build it anew and edit it with truewheel"},
       check_program_headers},
      {{"E002", Severity::error, "A program is not position-independent",
        "Programs at a fixed address are what editing tools break: the kernel finds no program "
        "headers and the program dies before main (kvcache-ai/Mooncake#3104).",
        "link it with -pie", Severity::warning},
       check_position_independence},
      {{"E003", Severity::error, "Device code is not what it was",
        "An edited fat binary is refused by the GPU's driver as an invalid image "
        "(kvcache-ai/Mooncake#1571). Needs --compare WHEEL.",
        "repair the build's wheel with truewheel"},
       check_device_sections},
      {{"E004", Severity::error, "The dynamic section and the sections disagree",
        "A tag that points elsewhere than its section shows an edit that moved one of them only "
        "(oh-my-pi#9881, NixOS/patchelf#664).",
        "build it anew and edit it with truewheel"},
       check_dynamic_tables},
      {{"E005", Severity::warning, "Memory is writable and executable",
        "glibc 2.41 refuses to dlopen a library with an executable stack (pypa/auditwheel#634, "
        "OpenNMT/CTranslate2#1849).",
        "truewheel patchelf --clear-execstack"},
       check_executable_memory},
      {{"E006", Severity::note, "A bundled library uses static TLS",
        "A process has little static TLS to give to libraries loaded late: \"cannot allocate "
        "memory "
        "in static TLS block\" (BlueBrain/CoreNeuron#787).",
        "compile it with -ftls-model=global-dynamic"},
       check_static_tls},
      {{"E007", Severity::warning, "A program's interpreter is the build machine's",
        "The kernel starts a program through the path in PT_INTERP. What Nix and Guix link names "
        "their stores, and ends with \"No such file or directory\" on other machines.",
        "truewheel patchelf --set-interpreter PATH"},
       check_interpreters},
      {{"G001", Severity::error, "A driver's or toolkit's library is in the wheel",
        "It must match the kernel driver, the fabric's providers or the other users of the GPU: a "
        "bundled copy shadows the machine's (pytorch/ao#2927, ai-dynamo/nixl#1929).",
        "truewheel repair --profile NAME leaves it out"},
       check_bundled_system_libraries},
      {{"G002", Severity::error, "An exclude pattern matches nothing",
        "A pattern with a wrong name or version excludes nothing and 890 MB are bundled "
        "(ROCm/aiter#5318).",
        "correct it, or write optional:PATTERN", Severity::warning},
       check_dead_patterns},
      {{"G003", Severity::error, "A size budget is exceeded",
        "An index refuses files above its limit (PyPI: 100 MB) when the release is half published. "
        "Needs --max-size or --max-graft-size.",
        "truewheel repair --exclude, --profile or --strip"},
       check_budgets},
      {{"G004", Severity::warning, "A library is left out and nobody is named who brings it",
        "Leaving a library out puts the duty on the user; METADATA or the gate's profile has to "
        "say "
        "so (pypa/auditwheel#368).",
        "add Requires-Dist, or --profile NAME"},
       check_undeclared_providers},
      {{"G005", Severity::warning, "A library that is bound to the machine is bundled",
        "Half of GL's dispatch is the driver's, name services are the machine's, and the C library "
        "goes with its loader (pypa/auditwheel#483).",
        "truewheel repair --exclude NAME"},
       check_host_bound_libraries},
      {{"G006", Severity::warning, "A library without security fixes is in the wheel",
        "The system's fixes never reach a bundled copy; of an ended branch there are none "
        "(Mooncake's "
        "CUDA 13 wheel has OpenSSL 1.1.1k).",
        "build against a supported branch, or truewheel repair --exclude NAME"},
       check_unsupported_libraries},
      {{"T001", Severity::error, "The platform tag is not true",
        "Installers believe the tag: the wheel installs where a symbol version, the processor or a "
        "symbol is missing (PyO3/maturin#2993, sgl-project/sglang#20953).",
        "truewheel repair --plat auto"},
       check_tag_is_earned},
      {{"T002", Severity::error, "WHEEL and the file name have other tags",
        "Installers read one, checkers the other; renamed files disagree "
        "(sgl-project/sglang#20953).",
        "truewheel repair writes both", Severity::warning},
       check_tags_agree},
      {{"T003", Severity::error, "The wheel does not fit the target's glibc",
        "A tag above the target means that nothing is installed there (vllm-project/vllm#41149). "
        "Needs --target-glibc.",
        "build on an older system"},
       check_target_glibc},
      {{"T004", Severity::error, "ELF files are called pure",
        "Debian and Fedora install purelib for all architectures (pypa/auditwheel#333).",
        "truewheel repair; have the build use platlib", Severity::warning},
       check_purelib},
      {{"T005", Severity::error, "An ELF file is for another machine or C library",
        "It cannot be loaded beside the others (ziglang/zig-pypi#20); device images and firmware "
        "are "
        "the exception.",
        "name the wheel for the machine it was built for; --allow T005:MEMBER", Severity::warning},
       check_foreign_files},
      {{"Z001", Severity::error, "The archive is not what an installer expects",
        "Wrong RECORD rows, doubled names and lost execute bits install on one machine and fail on "
        "the next (pypa/wheel#692, google/or-tools#1218).",
        "truewheel repair --accept-record-mismatch writes the archive anew"},
       check_archive},
      {{"N001", Severity::error, "The wheel is not the one that was expected",
        "A CPU build under the ROCm variant's name passes every other check (lilbee#630). Needs "
        "--expect-name, --expect-count, --require-needed or --forbid-needed.",
        "build the right variant"},
       check_assertions},
  };
  return entries;
}

bool any_begins(const std::vector<std::string>& beginnings, const std::string& rule) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const auto& beginning) { return rule.starts_with(beginning); });
}

}  // namespace

void Sink::add(Severity severity, const std::string& member, const std::string& value,
               std::string message, std::string hint) {
  for (const auto& [rule, glob] : options_.allow) {
    if (rule == rule_ && (glob_match(glob, value) || glob_match(glob, member))) return;
  }
  findings_.push_back({rule_, severity, member, std::move(message), std::move(hint), value});
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> list;
    for (const auto& entry : table()) list.push_back(entry.rule);
    return list;
  }();
  return all;
}

const Rule& find_rule(const std::string& id) {
  for (const auto& rule : rules()) {
    if (rule.id == id) return rule;
  }
  throw Error(ErrorKind::usage, "unknown-rule", "there is no rule " + printable(id),
              "truewheel check --list-rules");
}

bool is_selected(const std::string& rule, const Options& options) {
  return (options.select.empty() || any_begins(options.select, rule)) &&
         !any_begins(options.ignore, rule);
}

std::vector<Finding> run_rules(const Subject& subject, const Options& options) {
  std::vector<Finding> findings;
  for (const auto& entry : table()) {
    if (!is_selected(entry.rule.id, options)) continue;
    Sink sink(entry.rule.id, options, findings);
    entry.function(subject, options, sink);
  }
  return findings;
}

}  // namespace truewheel::check
