// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>
#include <truewheel/error.hpp>
#include <truewheel/finding.hpp>
#include <truewheel/policy.hpp>
#include <truewheel/wheel.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace truewheel::check {

// ---------------------------------------------------------------------------------------------
// What is checked: a plain value that the rules and the report writers read.

/// What is wrong with RECORD, WHEEL, the members' names or where they lie.
struct ArchiveFault {
  Severity severity = Severity::error;
  std::string what;
  std::string hint = {};
};

/// A file of a wheel or a folder, ELF or not.
struct Member {
  std::string path;  ///< as in the archive, or relative to the folder
  std::uint64_t size = 0;
  std::string sha256;  ///< unpadded url-safe base64, as in RECORD
  bool executable = false;
  bool is_elf = false;
};

/// An ELF file that the dynamic linker works on. Subject::layout has the same index.
struct ElfFile {
  std::size_t member = 0;  ///< index into Subject::members
  std::shared_ptr<const elf::ElfFacts> facts;
  std::vector<std::string> complaints;  ///< what is wrong with its headers and tables
  /// Sections with device code (".nv_fatbin", ".hip_fatbin") -> hex sha256.
  std::map<std::string, std::string> device_sections;
  bool is_root = false;  ///< a loader starts from it: extension module, program, or needed by none
  /// Of a library that shares its build-id or name with another: tells whether they are one.
  /// Empty where nothing had to be told, or nothing tells.
  std::string payload = {};
};

/// Who has a library that the subject lacks.
enum class Provider {
  none,      ///< nobody that is known: the library is missing
  policy,    ///< every system that the platform tag speaks of
  declared,  ///< --exclude, --profile or --provide
  vendor,    ///< it belongs to a profile that nobody declared
  python,    ///< the interpreter's own library
};

/// How the loader came by a library, over all loads that reach the file.
enum class Reach {
  own_path,   ///< through the file's own run path, its SONAME or a path
  inherited,  ///< only through DT_RPATH of a file that it is loaded through (musl: the chain)
  luck,       ///< only because another file had loaded it before
  outside,    ///< not in the subject: see Link::provider
  nowhere,    ///< a file of the subject has the name, but no loader finds it; or provider is none
};

/// One NEEDED entry of one file, with the answer of the simulated dynamic linker.
struct Link {
  std::size_t file = 0;  ///< index into Subject::files
  std::string needed;
  Reach reach = Reach::nowhere;
  std::optional<std::size_t> target;  ///< the file that is found, or that has the name
  std::string entry;                  ///< the run-path entry that finds it, as written
  std::optional<std::size_t> entry_owner;
  std::optional<std::size_t> root;  ///< nowhere, luck, inherited: the root that shows it
  Provider provider = Provider::none;
  std::string provided_by;  ///< "profile rocm", "--provide libfoo.so*", "manylinux_2_28"
};

/// Versions that a file needs of a library, with which glibc does not load it (deps::VersionFault);
/// bionic: a name that is not among NEEDED.
struct VersionFault {
  std::size_t file = 0;  ///< index into Subject::files
  std::string library;
  std::optional<std::size_t> loaded;  ///< the file that has this name; nullopt: none has
  std::vector<std::string> lacking;
  std::optional<std::size_t> root;  ///< what was loaded
};

struct Subject {
  enum class Kind { wheel, folder, file, installed } kind = Kind::wheel;
  std::filesystem::path path;
  std::string name;  ///< the file name, or the path as it was given
  std::uint64_t size = 0;
  std::optional<wheel::WheelName> wheel_name;
  std::vector<std::string> wheel_tags;  ///< Tag lines of the WHEEL file
  std::optional<bool> root_is_purelib;
  std::string dist_info;                   ///< folder, or empty
  std::vector<std::string> requires_dist;  ///< normalised names of METADATA's Requires-Dist
  std::vector<ArchiveFault> archive_faults;
  std::vector<Member> members;
  std::vector<Finding> load_faults;  ///< installed: what libraries of the system lack themselves
  std::vector<Finding> elf_faults;   ///< ELF files that could not be read, or of another machine
  deps::Libc libc = deps::Libc::glibc;
  std::string architecture;             ///< "x86_64"; empty without ELF files
  std::vector<deps::WheelFile> layout;  ///< where the ELF files land
  std::vector<ElfFile> files;           ///< the same order as `layout`
  deps::Graph graph;                    ///< only the subject's own files
  std::optional<policy::Verdict> verdict;
  std::vector<Link> links;                   ///< by file, then in the order of NEEDED
  std::vector<VersionFault> version_faults;  ///< each pair of file and library once

  [[nodiscard]] const std::string& path_of(std::size_t file) const {
    return members[files[file].member].path;
  }
};

// ---------------------------------------------------------------------------------------------
// What is asked.

/// "SIZE" budgets, assertions on names and NEEDED entries, and what the user's machine has.
struct Options {
  std::vector<std::string> select;  ///< rule ids or their beginnings ("R", "T00"); empty: all
  std::vector<std::string> ignore;
  /// Rule id and a glob of values (or members) that the rule passes over.
  std::vector<std::pair<std::string, std::string>> allow;
  std::vector<std::string> excludes;  ///< libraries left out on purpose: a dead pattern is G002
  std::vector<std::string> provides;  ///< libraries that the user's machine has
  std::vector<std::string> profiles;
  bool system_rpath = false;  ///< the profiles' system folders are allowed run-path entries
  bool dead_patterns_are_errors = false;
  bool pie_only = false;                     ///< E002 is an error
  std::optional<std::string> target_glibc;   ///< T003
  std::optional<std::uint64_t> max_size;     ///< G003: of the wheel
  std::optional<std::uint64_t> max_bundled;  ///< G003: of bundled libraries
  std::vector<std::string> expect_names;     ///< N001: globs of the file name
  std::optional<std::size_t> expect_count;   ///< N001: number of subjects
  /// N001: member glob and NEEDED glob.
  std::vector<std::pair<std::string, std::string>> require_needed, forbid_needed;
  std::optional<std::filesystem::path> compare_with;  ///< E003: the wheel before repair
  policy::EvaluateOptions evaluate;
  wheel::ScanLimits limits;
  unsigned jobs = 0;
};

// ---------------------------------------------------------------------------------------------
// The rules.

struct Rule {
  std::string id;
  Severity severity = Severity::error;  ///< the severest one that its findings have
  std::string title;
  std::string reason;  ///< why it matters, with the incident that shows it (project#number)
  std::string remedy;
  Severity mildest = severity;  ///< of another case, or without an option that asks for more
};
/// All rules, in the order of reports.
[[nodiscard]] const std::vector<Rule>& rules();
/// Throws Error(usage, "unknown-rule") naming the nearest one.
[[nodiscard]] const Rule& find_rule(const std::string& id);

/// Opens and examines. A wheel of which nothing can be believed throws Error(refused, "zip-…"); an
/// absent path Error(usage, "absent-input"). RECORD and ELF faults are in the Subject.
[[nodiscard]] Subject open_subject(const std::filesystem::path& path, const Options& options);
/// An installed distribution below a root folder (settled by its RECORD), with what that root's
/// ld.so.cache, default folders and site-packages give it. Links tell where each library is found;
/// `ld_library_path` says what only that variable would find. Throws Error(usage, "not-installed").
[[nodiscard]] Subject open_installed(const std::string& distribution,
                                     const std::filesystem::path& root,
                                     const std::vector<std::filesystem::path>& ld_library_path,
                                     const Options& options);
/// The same for an archive that is in memory or has no name yet.
[[nodiscard]] Subject open_wheel(Bytes archive, const std::string& file_name,
                                 const Options& options);

/// Runs the selected rules over one subject: findings by rule, then by member, allow lists applied.
[[nodiscard]] std::vector<Finding> run_rules(const Subject& subject, const Options& options);

/// What one subject came to. Without a subject it could not be opened: `findings` then holds Z001
/// with the reason, and `failure` says which exit code that is.
struct Outcome {
  std::filesystem::path path;
  std::optional<Subject> subject;
  std::vector<Finding> findings;
  std::optional<ErrorKind> failure;
};
/// Runs the rules over a subject that is open.
[[nodiscard]] Outcome judge(Subject subject, const Options& options);
/// Opens, examines and judges every path; N001's count comes last, under no subject.
[[nodiscard]] std::vector<Outcome> check_all(const std::vector<std::filesystem::path>& paths,
                                             const Options& options);

}  // namespace truewheel::check
