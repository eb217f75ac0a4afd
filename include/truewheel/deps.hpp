// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/elf.hpp>
#include <truewheel/file_stamp.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::deps {

enum class Libc { glibc, musl, bionic };

/// By which entry of the dynamic section a file asks for a library.
enum class Tag {
  needed,
  filter,     ///< DT_FILTER: as NEEDED, but its symbols come first
  auxiliary,  ///< DT_AUXILIARY: the same, and nobody minds when it is nowhere
};

/// A library that the loader loads because a file names it.
struct Dependency {
  std::string name;
  Tag tag = Tag::needed;
};

/// What a loader of that libc loads with a file, in the order of the dynamic section: musl
/// (ldso/dynlink.c) and bionic (linker.cpp) look at NEEDED only.
[[nodiscard]] std::vector<Dependency> dependencies(const elf::ElfFacts& facts, Libc libc);

/// The libraries of DT_AUDIT and DT_DEPAUDIT that a loader starts: glibc reads both of the program
/// only, as lists with colons (elf/rtld.c, audit_list_add_dynamic_tag, audit_list_next), musl and
/// bionic neither.
[[nodiscard]] std::vector<std::string> auditors_that_load(const elf::ElfFacts& facts, Libc libc);

// ---------------------------------------------------------------------------------------------
// Question 1: where does the build's library come from? (repair, show)

/// An ELF file of the wheel, by where it lands after installation.
struct WheelFile {
  std::string path;  ///< relative to the installation root: "mooncake/engine.so"
  std::shared_ptr<const elf::ElfFacts> facts;
  /// Empty for site-packages. Files of different trees have no fixed way to each other after
  /// installation, so that none of one is a sibling for another's.
  std::string tree = {};
  std::uint64_t size = 0;  ///< bytes; 0 where they are not known
  std::uint32_t crc = 0;   ///< CRC-32 of the bytes
};

/// One exclude pattern with what it matched so far (match_exclude).
struct ExcludePattern {
  std::string glob;
  std::string
      origin;  ///< where it comes from: "--exclude", "profile rocm", "driver group cuda-driver"
  bool is_driver =
      false;  ///< a driver group: hits are warned about; no finding when it matches nothing
  std::size_t hits = 0;
  std::size_t cut_hits = 0;          ///< hits only through a name cut after or before ".so"
  std::vector<std::string> matched;  ///< NEEDED names, sorted, unique
  std::vector<std::string> unless;   ///< globs of libraries that it does not speak of (--include)
};

/// True if a glob of --exclude or --include means the library of a NEEDED name: it matches the
/// name, or it cut after ".so" or before ".so", or, having a slash, `real_path` (may be empty).
bool names_library(const std::string& glob, std::string_view needed, std::string_view real_path);

/// Tries the patterns in order as names_library() does. Counts the hit. Returns the index of the
/// first that matches.
std::optional<std::size_t> match_exclude(std::vector<ExcludePattern>& patterns,
                                         std::string_view needed, std::string_view real_path);

struct SearchOptions {
  std::vector<std::filesystem::path> search;  ///< --search, in order
  std::optional<std::vector<std::filesystem::path>>
      ldpaths;  ///< --ldpaths: replaces the three below it (point 3)
  std::vector<std::filesystem::path> auditwheel_ld_library_path;
  std::vector<std::filesystem::path> ld_library_path;
  std::filesystem::path sysroot;  ///< ld.so.conf and default directories lie below it
  Libc libc = Libc::glibc;
  /// What the platform promises to have. A file of the wheel that has such a name is the answer
  /// only where the loader comes to it as the wheel stands; unset: nothing is promised.
  std::function<bool(std::string_view needed)> is_promised;
};

/// How one NEEDED entry of one file was answered.
enum class Answer {
  sibling,    ///< a file of the wheel
  host,       ///< a file of this machine (or of the sysroot)
  excluded,   ///< a pattern matched: not looked for, nor what it needs
  missing,    ///< nowhere
  libpython,  ///< the interpreter's own library: not looked for, and not missing (auditwheel#589)
};

using NodeId = std::size_t;

struct Edge {
  std::string needed;
  Tag tag = Tag::needed;
  Answer answer = Answer::missing;
  std::optional<NodeId>
      target;  ///< sibling and host; libpython: the wheel's own copy, if it has one
  std::optional<std::size_t>
      pattern;      ///< excluded, and libpython if one matched: index into Graph::patterns
  std::string how;  ///< "RUNPATH $ORIGIN/lib", "sibling", "--search build/lib", "/etc/ld.so.conf"
  std::vector<std::string> searched;     ///< missing: the places that were tried, in order
  std::vector<std::string> passed_over;  ///< missing: candidates that did not fit, and why
  /// missing: files of the wheel that have the name as their SONAME only.
  std::vector<std::string> soname_of;
};

/// A file of the graph. Host files are identified by the file (device, inode, content), not by
/// SONAME.
struct Node {
  std::string path;  ///< wheel: installed path; host: real path
  bool in_wheel = false;
  std::shared_ptr<const elf::ElfFacts> facts;
  FileStamp stamp;  ///< host: of the file that the facts were read from
  std::string
      host_sha256;  ///< host: hex sha256 of the file's bytes; empty until host_digest() was asked
  std::vector<std::string> known_as;   ///< host: the NEEDED names that led here, sorted
  std::optional<NodeId> reached_from;  ///< host: the first file that needed it
  std::vector<Edge> edges;  ///< one a dependency, same order, but auxiliary ones only if found
};

struct Graph {
  std::vector<Node>
      nodes;  ///< the wheel's files first, in the order given, then host files in discovery order
  std::vector<ExcludePattern> patterns;
  std::vector<std::string> notes;  ///< skipped candidates: other class or machine, linker script
  /// Two build-ids under one name, a SONAME under another file name.
  std::vector<std::string> warnings;
  /// "a.so (needs) libx.so.1 (needs) liby.so.2": the shortest way from a wheel file to `node`.
  [[nodiscard]] std::string chain_to(NodeId node) const;
};

/// Builds the graph: breadth-first from every wheel file, each NEEDED answered by the order of
/// README, "Use": the wheel, what the options name, the machine. Every library is looked for, libc
/// too: what policy allows from the system is the policy's business. A NEEDED with a slash is a
/// wheel file of its base name, else that file, else what a search for its base name finds.
[[nodiscard]] Graph resolve(const std::vector<WheelFile>& files,
                            std::vector<ExcludePattern> patterns, const SearchOptions& options);

/// The hex sha256 of a host node's file, computed at the first call: resolve() leaves it out, since
/// libraries of the CUDA and ROCm toolkits have gigabytes and most of the graph is never grafted.
const std::string& host_digest(Node& node);

/// True for the interpreter's own library, free-threaded builds included.
[[nodiscard]] bool is_libpython(std::string_view needed);

/// The library of the same machine whose file name a NEEDED entry of `needing` has, or nullopt; of
/// several one in the same folder, then in the nearest common one, then by name.
[[nodiscard]] std::optional<std::size_t> find_sibling(const std::vector<WheelFile>& files,
                                                      std::size_t needing, std::string_view needed);

// ---------------------------------------------------------------------------------------------
// Question 2: what will the dynamic linker do after installation? (repair's plan, verify, check)

/// How the loader came by a library.
enum class Via {
  already_loaded,   ///< its name was loaded before (breadth-first), by whatever path
  rpath,            ///< DT_RPATH of the needing file
  inherited_rpath,  ///< DT_RPATH of a file it was loaded through, or of the program (glibc); the
                    ///< chain (musl)
  runpath,          ///< DT_RUNPATH of the needing file
  provided,         ///< not in the wheel: the environment provides it
  path,             ///< NEEDED holds a slash
  not_found,
};

struct LoadStep {
  std::size_t needing = 0;  ///< index into the layout
  std::string needed;
  Tag tag = Tag::needed;
  Via via = Via::not_found;
  std::optional<std::size_t> found;  ///< index into the layout
  std::string entry;  ///< the run-path entry as written, for rpath, runpath, inherited
  std::optional<std::size_t> entry_owner;  ///< whose run path that entry stands in
};

/// What the loader knows of the machine it runs on. The defaults count nothing as found that
/// depends on the machine: $LIB differs between distributions ("lib64", "lib/x86_64-linux-gnu") and
/// $PLATFORM between processors, and an entry with a token that has no value is dropped, as glibc
/// itself does.
struct LoaderMachine {
  std::optional<std::string> lib;       ///< $LIB
  std::optional<std::string> platform;  ///< $PLATFORM
  std::vector<std::string>
      subfolders;  ///< tried first in each folder (glibc): "glibc-hwcaps/x86-64-v3"
};

/// What the dynamic linker does with `files[root]` loaded into a fresh process (an extension by a
/// Python that links none of these, a program by exec): glibc's breadth-first order with DT_RPATH
/// inheritance and RUNPATH's rules, or musl's (ldso/dynlink.c). `provided(needed)` says
/// what the environment has; the loader's own search of the layout comes first. Names that the
/// environment provided once stay provided. One step a dependency, in the order the loader asks;
/// what is not found does not stop it (as LD_TRACE_LOADED_OBJECTS goes on).
[[nodiscard]] std::vector<LoadStep> simulate_load(
    const std::vector<WheelFile>& layout, std::size_t root, Libc libc,
    const std::function<bool(const std::string&)>& provided, const LoaderMachine& machine = {});

/// Libraries of the machine that the environment provides, with what they need. They lie in no
/// folder of the layout; what is loaded through them inherits DT_RPATH like anything else.
struct OutsideFiles {
  std::vector<WheelFile> files;  ///< as LoadStep numbers them: behind those of the layout
  std::map<std::string, std::size_t> by_name;  ///< NEEDED name -> index into files
};

class LayoutIndex;

/// simulate_load for many roots of one layout, whose index is built once. `layout` outlives it.
class LoadSimulator {
 public:
  explicit LoadSimulator(const std::vector<WheelFile>& layout);
  ~LoadSimulator();
  LoadSimulator(const LoadSimulator&) = delete;
  LoadSimulator& operator=(const LoadSimulator&) = delete;

  [[nodiscard]] std::vector<LoadStep> load(std::size_t root, Libc libc,
                                           const std::function<bool(const std::string&)>& provided,
                                           const LoaderMachine& machine = {},
                                           const OutsideFiles& outside = {}) const;

 private:
  const std::vector<WheelFile>& layout_;
  std::unique_ptr<const LayoutIndex> index_;
};

/// The files that a loader starts from: extension modules, programs, and libraries that no other
/// file of the layout needs. Never empty when the layout has an ELF file that can be loaded.
[[nodiscard]] std::vector<std::size_t> load_roots(const std::vector<WheelFile>& layout);

/// simulate_load for each of load_roots(), then for each file that none of them reached (circles,
/// and what a name that leads elsewhere hides), each of which is a start of its own.
void simulate_loads(
    const std::vector<WheelFile>& layout, Libc libc,
    const std::function<bool(const std::string&)>& provided,
    const std::function<void(std::size_t root, const std::vector<LoadStep>& steps)>& look,
    const OutsideFiles& outside = {});

/// Symbol versions (.gnu.version_r) with which glibc does not load a file.
struct VersionFault {
  std::size_t needing = 0;            ///< index into the layout
  std::string library;                ///< the name that the file gives it
  std::optional<std::size_t> loaded;  ///< which file has that name; nullopt: nothing loaded has it,
                                      ///< and the loader stops with an assertion
  std::vector<std::string> lacking;   ///< the versions that this file does not define
};
/// The faults of one load by glibc. Libraries that the environment provides are not compared.
[[nodiscard]] std::vector<VersionFault> version_faults(const std::vector<WheelFile>& layout,
                                                       std::size_t root,
                                                       const std::vector<LoadStep>& steps);

/// Splits a run path at its colons.
[[nodiscard]] std::vector<std::string> run_path_entries(std::string_view value);

/// One entry of a run path, seen from a file's folder in the installed layout.
struct EntryPlace {
  enum class Kind {
    inside,    ///< at or below the installation root; `folder` is relative to it ("" is the root)
    above,     ///< $ORIGIN-relative, but climbs above the installation root
    absolute,  ///< starts with a slash
    relative,  ///< no $ORIGIN and no slash: relative to the process's folder
    empty,
  } kind = Kind::empty;
  std::string folder;
};
[[nodiscard]] EntryPlace place_entry(std::string_view entry, std::string_view file_path,
                                     const elf::ElfFacts& facts);

}  // namespace truewheel::deps
