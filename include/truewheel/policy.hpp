// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>
#include <truewheel/elf.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace truewheel::policy {

/// One row of the policy tables, for one architecture.
struct Policy {
  std::string name;  ///< without architecture: "manylinux_2_28", "musllinux_1_2", "linux"
  std::vector<std::string> aliases;  ///< "manylinux2014", …
  int priority = 0;                  ///< higher is older and stricter; linux is 0
  std::map<std::string, std::set<std::string>> symbol_versions;      ///< "GLIBC" -> {"2.2.5", …}
  std::set<std::string> allowed_libraries;                           ///< may come from the system
  std::map<std::string, std::set<std::string>> blacklisted_symbols;  ///< soname -> symbols
};

/// The architecture part of a platform tag from an ELF file's header: "x86_64", "aarch64",
/// "armv7l", …; nullopt for one that no table knows. (armv7l asks for EABI5 and hard float; ppc64le
/// and ppc64 differ by byte order.)
[[nodiscard]] std::optional<std::string> architecture_of(const elf::Identity& identity);

/// Whether a file of that architecture is for a wheel of the other. Most are for their own only; an
/// ELF header does not tell ARMv6 from ARMv7, and linux_armv6l wheels are published.
[[nodiscard]] bool serves(const std::optional<std::string>& file_architecture,
                          const std::string& wheel_architecture);

/// All policies of a libc for an architecture, best (highest priority) first; the last one is
/// "linux". They are read from the tables once.
using PolicyList = std::vector<std::shared_ptr<const Policy>>;
[[nodiscard]] PolicyList policies_for(deps::Libc libc, const std::string& architecture);

/// A platform tag of a wheel, taken apart.
struct PlatformTag {
  std::string family;  ///< "manylinux", "musllinux", "linux", "android", "any", or another one
  int major = 0;       ///< 2 of manylinux_2_28; legacy names are resolved (manylinux2014 -> 2_17)
  int minor = 0;
  std::string architecture;  ///< as architecture_of says it ("aarch64" of arm64_v8a); empty for
                             ///< "any" and others
  bool legacy = false;       ///< an alias such as manylinux1
};
[[nodiscard]] PlatformTag parse_platform_tag(std::string_view tag);

/// The libc of a wheel: from its platform tags, else from its ELF files (interpreters, NEEDED libc
/// names), never from the host; nullopt when both speak for nothing or for two different ones.
[[nodiscard]] std::optional<deps::Libc> libc_of(const std::vector<std::string>& platform_tags,
                                                const std::vector<deps::WheelFile>& files);

/// Where a program's PT_INTERP does not lead on users' machines, and where it should.
struct OddInterpreter {
  std::string interpreter;
  std::string standard;
  /// "is started by /nix/store/…, which other machines do not have: they have /lib64/…".
  [[nodiscard]] std::string sentence() const;
  [[nodiscard]] std::string hint() const;
};
/// A program whose interpreter is not at the path that its platform's ABI gives it (/nix/store/...,
/// Debian's /lib/x86_64-linux-gnu): the kernel does not start it elsewhere. nullopt for libraries,
/// programs without one, and machines that are not known.
[[nodiscard]] std::optional<OddInterpreter> odd_interpreter(const elf::ElfFacts& facts,
                                                            deps::Libc libc);

/// The API level that an Android wheel's platform tags promise: the lowest; 0 if they name none.
[[nodiscard]] int android_level(const std::vector<std::string>& platform_tags);

/// One thing that keeps a wheel from a policy.
struct Offence {
  enum class Kind {
    version,
    blacklisted_symbol,
    library,
    isa,
    python,
    missing_library
  } kind = Kind::version;
  std::string file;  ///< wheel path, or host path of a library that would be grafted
  bool in_wheel =
      true;  ///< what the wheel's own files need, or what comes with libraries of this machine
  std::string
      library;  ///< the library that the version or symbol belongs to, or that is not allowed
  std::string version;                ///< "GLIBC_2.38"
  std::vector<std::string> symbols;   ///< the symbols that need the version, sorted
  std::vector<std::string> searched;  ///< missing_library: the places that were tried, in order
  /// One line: "pkg/_x.so needs GLIBC_2.38 (libc.so.6) for symbol arc4random".
  [[nodiscard]] std::string sentence() const;
};

/// What one policy says of the wheel.
struct PolicyVerdict {
  std::shared_ptr<const Policy> policy;
  bool satisfied = false;
  std::vector<deps::NodeId> grafts;  ///< host files to be bundled under this policy, in graph order
  std::vector<Offence> offences;     ///< why not; empty when satisfied
};

/// The newest version needed of each family ("GLIBC" -> "2.34"), and who needs it.
struct Floor {
  std::string version;
  std::string file;
  std::string symbol;
};

struct Verdict {
  deps::Libc libc = deps::Libc::glibc;
  std::string architecture;
  std::vector<PolicyVerdict> policies;  ///< best first; the last is "linux" and always satisfied
  /// The strictest one that the wheel can have: the first; of an Android wheel that of the API
  /// level in its name, since nothing in its files shows that an older system runs them.
  std::size_t strictest = 0;
  /// "manylinux_2_28_x86_64", "android_24_arm64_v8a"
  [[nodiscard]] std::string tag(std::size_t policy) const;
  /// What `auto` takes: the first satisfied one among those that bundle the fewest libraries, as in
  /// auditwheel. For musl, whose symbols have no versions, the newest one instead of the first:
  /// nothing shows that an older one fits.
  std::size_t best = 0;
  std::size_t own =
      0;  ///< the same for the wheel's own files alone, grafts and missing not counted
  std::size_t as_is =
      0;  ///< the same with nothing bundled and no libpython needed: auditwheel show's answer
  std::size_t by_versions =
      0;  ///< the first one whose symbol versions hold, grafts counted: auditwheel's sym_tag
  std::map<std::string, Floor> floors;  ///< "glibc" and "libstdc++" apart, over the best's grafts
  std::vector<std::string>
      notes;  ///< wheel files that were left aside: another architecture or libc
};

/// libstdc++'s version families; with `host` they do not bind.
enum class Libstdcxx { policy, host };

struct EvaluateOptions {
  Libstdcxx libstdcxx = Libstdcxx::policy;
  bool check_isa = true;  ///< false: --disable-isa-ext-check
  int android_level = 0;  ///< as android_level() has it
};

/// Holds the wheel against every policy with auditwheel's rules (PEP 600, PEP 656): set
/// membership of symbol versions by family, unknown families ignored, blacklisted strong symbols,
/// allowed libraries, ISA level. Libraries to be grafted under a policy are walked from the wheel's
/// files, stopping at what that policy allows, and count.
[[nodiscard]] Verdict evaluate(const deps::Graph& graph, deps::Libc libc,
                               const std::string& architecture,
                               const EvaluateOptions& options = {});

/// The dynamic linker is there wherever a program starts: no policy lists it, none bundles it.
[[nodiscard]] bool is_dynamic_linker(std::string_view needed);

/// True for a library that a policy leaves to the system: an allowed one, the dynamic linker, musl
/// under any of its names; for "linux" every one. A NEEDED entry with a slash goes by its last part
/// (Mooncake#1571).
[[nodiscard]] bool comes_from_system(const Policy& policy, deps::Libc libc,
                                     std::string_view needed);

/// A platform name as a user writes it ("manylinux_2_35", "manylinux2014_x86_64", "linux", "auto"),
/// resolved for the wheel's architecture. Throws Error(usage, "platform-name") naming the nearest
/// one that exists.
struct PlatformWish {
  bool automatic = false;
  std::string policy;  ///< name without architecture
};
[[nodiscard]] PlatformWish parse_platform_wish(std::string_view text, deps::Libc libc,
                                               const std::string& architecture);

enum class TagUpdate { all, only_wish, none };  ///< default, --only-plat, --no-update-tags

/// The platform tags of the repaired wheel, sorted and unique, with the reason for each; by
/// auditwheel's rules, less the tags that are not true. Throws Error(unfit,
/// "platform-not-met") naming every offence.
struct TagChoice {
  std::vector<std::string> platform_tags;
  std::vector<std::string> reasons;   ///< one sentence a tag kept, added or dropped
  std::vector<std::string> warnings;  ///< --no-update-tags: each tag of the name that is not true
  std::size_t policy = 0;  ///< index into Verdict::policies whose grafts are to be bundled
};
[[nodiscard]] TagChoice choose_tags(const Verdict& verdict, const PlatformWish& wish,
                                    TagUpdate update, const std::vector<std::string>& name_tags);

/// A platform tag of a name that does not hold for the wheel as it is, with nothing bundled, and
/// why not.
struct FalseTag {
  std::string tag;
  std::string why;
};
struct JudgedTags {
  std::vector<FalseTag> untrue;
  /// True if libraries from outside the wheel are there, found on this machine or not: a wheel may
  /// leave some to the user's machine on purpose.
  std::vector<FalseTag> conditional;
};
[[nodiscard]] JudgedTags judge_name_tags(const Verdict& verdict,
                                         const std::vector<std::string>& name_tags);

/// The numbers of a version name compare as numbers: "GLIBC_2.9" < "GLIBC_2.17". Returns -1, 0, 1.
[[nodiscard]] int compare_versions(std::string_view a, std::string_view b);

// ---------------------------------------------------------------------------------------------
// Profiles (docs/profiles.md): named groups of excludes with the run-path entries that let them be
// found.

struct Profile {
  std::string name;
  std::vector<std::string> aliases;
  bool is_driver = false;  ///< always on in repair
  std::vector<std::string> globs;
  std::vector<std::string> site_entries;    ///< "site:nvidia/cu13/lib"
  std::vector<std::string> system_entries;  ///< "/opt/rocm/lib", only with --system-rpath
};
/// All profiles of the data file. Names and aliases ("hip" for rocm) find one; throws
/// Error(usage, "unknown-profile") naming the known ones.
[[nodiscard]] const std::vector<Profile>& all_profiles();
[[nodiscard]] const Profile& find_profile(std::string_view name);

/// "site:torch/lib" seen from a file's folder in the installed layout: "$ORIGIN/../torch/lib".
[[nodiscard]] std::string expand_site_entry(std::string_view entry, std::string_view file_path);

}  // namespace truewheel::policy
