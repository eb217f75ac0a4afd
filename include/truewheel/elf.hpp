// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace truewheel::elf {

/// What a file is, as far as its first bytes and program headers tell.
enum class FileKind {
  data,           ///< no ELF magic: not our business
  shared_object,  ///< ET_DYN without DF_1_PIE and without being a program
  pie,  ///< ET_DYN program (PT_INTERP and DF_1_PIE, or PT_INTERP and an entry point and no SONAME)
  executable,         ///< ET_EXEC with a dynamic section
  static_executable,  ///< ET_EXEC, or static PIE, that no dynamic linker touches
  relocatable,        ///< ET_REL
  core,               ///< ET_CORE
  debug_only,         ///< a separate debug file: its LOADs or its dynamic section have no bytes
  other,              ///< ELF with an e_type of an OS or processor
};

enum class RunPathKind { rpath, runpath };

/// A run path: the text of DT_RPATH or DT_RUNPATH and which of the two it is.
struct RunPath {
  RunPathKind kind = RunPathKind::rpath;
  std::string value;
  bool operator==(const RunPath&) const = default;
};

/// One version that a file needs from a library (a Vernaux entry).
struct NeededVersion {
  std::string name;   ///< "GLIBC_2.34"
  bool weak = false;  ///< VER_FLG_WEAK: the loader does not insist
  bool operator==(const NeededVersion&) const = default;
};

/// The versions needed from one library (a Verneed entry).
struct VersionNeed {
  std::string file;  ///< the NEEDED name it belongs to
  std::vector<NeededVersion> versions;
  bool operator==(const VersionNeed&) const = default;
};

/// An undefined symbol of .dynsym.
struct ImportedSymbol {
  std::string name;
  std::string version;  ///< "GLIBC_2.34", or empty
  std::string file;     ///< the Verneed file of that version, or empty
  bool weak = false;
  bool operator==(const ImportedSymbol&) const = default;
};

/// A DT_FILTER or DT_AUXILIARY entry: a library whose symbols stand in front of the file's own.
/// glibc loads it with the file, as a NEEDED one; the file does not load without that of a
/// DT_FILTER (elf/dl-deps.c, _dl_map_object_deps). musl and bionic look at neither tag.
struct Filtee {
  std::string name;
  bool is_required = false;       ///< DT_FILTER
  std::size_t needed_before = 0;  ///< how many NEEDED entries stand in front of it
  bool operator==(const Filtee&) const = default;
};

/// An entry of `.note.dlopen` (UAPI.12): libraries the file opens by itself.
struct DlopenNote {
  std::vector<std::string> sonames;
  std::string feature;
  std::string priority;  ///< "required", "recommended" or "suggested"
};

/// What the rest of the program knows of one ELF file. Comes from inspect(); every text is
/// verbatim.
struct ElfFacts {
  FileKind kind = FileKind::data;
  unsigned bits = 0;  ///< 32 or 64
  bool little_endian = true;
  std::uint16_t type = 0;     ///< e_type
  std::uint16_t machine = 0;  ///< e_machine
  std::uint32_t flags = 0;    ///< e_flags
  std::uint8_t os_abi = 0;
  std::optional<std::string> interpreter;
  std::optional<std::string> soname;
  std::vector<std::string> needed;  ///< in order, duplicates kept
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::vector<VersionNeed> version_needs;
  std::vector<std::string> version_definitions;  ///< names of .gnu.version_d, the base one left out
  std::vector<ImportedSymbol> imports;           ///< undefined symbols with a name
  std::vector<std::string>
      python_exports;  ///< defined `PyInit_*` and `Py_Initialize`: is it an extension?
  /// What DT_GNU_HASH says of the defined symbols' names: their hashes (dl_new_hash) with the
  /// lowest bit set, one a symbol, in the table's order. nullopt without that table.
  std::optional<std::vector<std::uint32_t>> export_hashes;
  std::uint32_t isa_needed =
      0;  ///< GNU_PROPERTY_X86_ISA_1_NEEDED bits of .note.gnu.property or PT_NOTE
  std::uint32_t dt_flags = 0;               ///< DT_FLAGS
  std::uint32_t dt_flags_1 = 0;             ///< DT_FLAGS_1
  std::optional<std::string> build_id;      ///< hex of NT_GNU_BUILD_ID
  std::optional<std::string> package_note;  ///< JSON text of .note.package (UAPI.8)
  std::vector<DlopenNote> dlopen_notes;
  std::vector<Filtee> filtees;        ///< in order
  std::vector<std::string> auditors;  ///< DT_AUDIT and DT_DEPAUDIT: lists with colons
  bool executable_stack = false;      ///< PF_X on PT_GNU_STACK
  bool has_stack_note = false;        ///< PT_GNU_STACK present
  bool has_static_tls = false;        ///< DF_STATIC_TLS
  bool has_text_relocations = false;  ///< DT_TEXTREL or DF_TEXTREL
  bool has_relr = false;              ///< DT_RELR: packed relative relocations

  /// The run path that the loader uses: DT_RUNPATH wins over DT_RPATH; nullopt when there is none.
  [[nodiscard]] std::optional<RunPath> run_path() const;
  /// True for a file that the dynamic linker works on (shared_object, pie, executable).
  [[nodiscard]] bool is_dynamic() const;
};

/// True when the bytes begin with the ELF magic; the file's name never decides.
[[nodiscard]] bool has_elf_magic(Bytes file);

/// The kind of a file from its header and program headers, without the rest of its facts.
/// Throws Error(refused) when an ELF magic is followed by what is no ELF header (gABI,
/// chapter 4).
[[nodiscard]] FileKind classify(Bytes file);

/// ident, e_type and e_machine only, for telling foreign files from ours even when the rest is
/// malformed; nullopt when the file has no ELF magic or is shorter than an ELF header.
struct Identity {
  unsigned bits = 0;
  bool little_endian = true;
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint32_t flags = 0;
  bool operator==(const Identity&) const = default;
};
[[nodiscard]] std::optional<Identity> identify(Bytes file);

/// All facts of an ELF file. The facts come from LIEF over a distilled image (LIEF copies all of a
/// file) and are compared with the own reader's NEEDED, SONAME, run paths and version needs; where
/// they disagree the own reader decides, since LIEF's caps lose data without a word. Throws
/// Error(refused, "elf-…") on malformed input (tests/elf_cases has the verdicts).
[[nodiscard]] ElfFacts inspect(Bytes file);

/// Bytes [begin, end) of a file.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
/// Where `inspect` is likely to look in a file of `size` bytes that begins with `head`, as far as
/// the head tells: a guess that helps to read a large file once and hold little of it.
[[nodiscard]] std::vector<FileRange> likely_ranges(Bytes head, std::uint64_t size);

/// The hash by which ElfFacts::export_hashes has a symbol of that name.
[[nodiscard]] std::uint32_t export_hash(std::string_view name);

/// The same facts from our own bounds-checked reader alone; tests hold the two against each other.
[[nodiscard]] ElfFacts inspect_natively(Bytes file);
/// The facts that plan_edit goes by: a file without PT_DYNAMIC has those of its section of type
/// SHT_DYNAMIC, which no loader reads but the link editor does.
[[nodiscard]] ElfFacts inspect_as_edited(Bytes file);
/// What is wrong with the section headers of a file that loaders take all the same, one sentence
/// for each kind of fault.
[[nodiscard]] std::vector<std::string> section_header_faults(Bytes file);
/// The same facts from LIEF alone, over the distilled image.
[[nodiscard]] ElfFacts inspect_with_lief(Bytes file);

/// What shall be true of a file after an edit. Everything left unset stays as it is.
/// The order in which wishes are named never matters; all of them are one transaction with one
/// layout.
struct ElfEdit {
  /// Set: exactly this run path, and no entry of the other kind. Set to an inner nullopt: no run
  /// path at all.
  std::optional<std::optional<RunPath>> run_path;
  std::optional<std::string> soname;
  /// Old NEEDED name -> new one; the file name of .gnu.version_r follows. A name that is not there
  /// is ignored.
  std::map<std::string, std::string> replace_needed;
  /// Old name -> new one of DT_FILTER and DT_AUXILIARY. A name that is not there is ignored.
  std::map<std::string, std::string> replace_filtees;
  /// NEEDED entries to drop; their version needs go with them and the symbols become unversioned.
  std::vector<std::string> remove_needed;
  std::vector<std::string>
      add_needed;  ///< put in front of the list, in this order, unless already there
  std::optional<std::string> interpreter;  ///< of a program; a file without PT_INTERP gets none
  std::optional<bool> executable_stack;    ///< PF_X of PT_GNU_STACK
  std::optional<std::uint8_t> os_abi;      ///< EI_OSABI
  std::optional<bool> no_default_lib;      ///< DF_1_NODEFLIB in DT_FLAGS_1
  bool add_debug_tag = false;              ///< a DT_DEBUG for debuggers, unless there is one
  /// Names of dynamic symbols that shall have no version.
  std::vector<std::string> clear_symbol_versions;
  /// Old name -> new one of dynamic symbols, needed and defined ones; their versions stay. A name
  /// that is not there is ignored.
  std::map<std::string, std::string> rename_symbols;
  /// Old name -> new one of versions that the file needs or defines.
  std::map<std::string, std::string> rename_versions;

  [[nodiscard]] bool empty() const;
};

struct EditOptions {
  std::uint64_t page_size =
      0;  ///< alignment of a new LOAD; 0: the file's largest p_align, else by e_machine
};

/// Bytes to be put over the input at a file offset.
struct Patch {
  std::uint64_t offset = 0;
  Buffer bytes;
};

/// How to make the edited file without a copy of it in memory: the first `keep` bytes of the input
/// with `patches` over them, then `tail`. An edit that needs nothing has no patches, no tail and
/// keeps all.
struct PatchList {
  std::vector<Patch> patches;  ///< ascending, disjoint, all below `keep`
  std::uint64_t keep = 0;
  Buffer tail;
  std::uint64_t growth = 0;  ///< bytes that the file grows by
  std::vector<std::string>
      steps;  ///< what was done and why, one sentence each ("DT_RPATH: shares …")
  /// The program headers had to move to the file's end; strip damages such a file.
  bool moves_headers = false;
  /// Section headers do not tell what strip has to keep, or leave a LOAD without one: strip and
  /// objcopy damage such a file.
  bool breaks_strip = false;
  /// What the edit adds stands behind bytes that are no part of the ELF file.
  bool buries_payload = false;
  [[nodiscard]] bool changes_nothing(std::uint64_t input_size) const {
    return patches.empty() && tail.empty() && keep == input_size;
  }
};

/// What a user is told of a file whose program headers moved, and of one with a payload.
inline constexpr const char* kHeadersMoved =
    "its program headers had to move to its end: do not strip it afterwards";
inline constexpr const char* kStripBreaks =
    "its section headers could not follow the edit in all: do not strip it afterwards";
inline constexpr const char* kPayloadBuried =
    "it has data behind its last section, which stay where they are and no longer end the file: a "
    "program that looks for them from its end will not find them";

/// Plans an edit by the ladder of docs/elf-rewriting.md: pure, cheapest plan that is
/// possible. Throws Error(refused, "elf-…") with the reason when the edit cannot be done safely.
[[nodiscard]] PatchList plan_edit(Bytes file, const ElfEdit& edit, const EditOptions& options = {});

/// Puts the patches over a version of the input that has its first `keep` bytes and the tail.
void put_patches(std::span<std::uint8_t> version, const PatchList& patches);

/// The edited file.
[[nodiscard]] Buffer apply(Bytes file, const PatchList& patches);

/// The oracle that runs in process after every edit: invariants I1-I14, the wished state, LIEF as a
/// witness. Returns what is violated, as sentences; empty when the edit holds. `before` is the
/// input of plan_edit.
///
/// The strongest single check compares every byte outside the patches; `Unpatched::shared` says
/// that these are the same memory in both, as a copy-on-write version has them, so that reading
/// them twice would prove nothing.
enum class Unpatched { compared, shared };
[[nodiscard]] std::vector<std::string> check_edit(Bytes before, Bytes after, const ElfEdit& edit,
                                                  const PatchList& patches,
                                                  Unpatched unpatched = Unpatched::compared);

/// The same as a verdict: Error(internal, "elf-edit-broken") when a sound file was damaged,
/// Error(refused, "elf-inconsistent") when the input contradicts itself.
void require_sound_edit(Bytes before, Bytes after, const ElfEdit& edit, const PatchList& patches,
                        Unpatched unpatched = Unpatched::compared);

/// plan_edit, apply and check_edit in one: the edited bytes, or Error(internal) if an invariant
/// breaks.
struct Edited {
  Buffer bytes;
  PatchList patches;
};
[[nodiscard]] Edited edit(Bytes file, const ElfEdit& wishes, const EditOptions& options = {});

}  // namespace truewheel::elf
