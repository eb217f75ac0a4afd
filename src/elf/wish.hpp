// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include "elf/symbol_renames.hpp"
#include "elf/symbol_versions.hpp"
#include <truewheel/elf.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::elf {

/// A dynamic entry as it shall be.
struct WantedEntry {
  std::int64_t tag = 0;
  std::uint64_t value = 0;               ///< as before, unless `text` is set
  std::optional<std::string> text;       ///< the value becomes the offset of this string
  std::optional<std::size_t> old_index;  ///< the entry it was
};

/// A library name of .gnu.version_r that changes.
struct RenamedNeed {
  std::size_t record = 0;
  std::string text;
};

/// A version name that changes, in a Vernaux or a Verdaux; the Vernaux or Verdef has its hash.
struct RenamedVersion {
  std::uint64_t name_offset = 0;             ///< file offset of the word with the string offset
  std::optional<std::uint64_t> hash_offset;  ///< a parent's name has none
  std::string text;
};

/// What an ElfEdit means for one file: the dynamic section and the version needs as they shall be.
/// Nothing here knows yet where strings or tables go.
struct Wish {
  std::vector<WantedEntry> entries;  ///< without the DT_NULL
  VersionTable<VersionNeedRecord> needs;
  std::vector<RenamedNeed> renamed_needs;
  std::vector<std::size_t> removed_needs;          ///< ascending indices into needs.records
  std::vector<std::uint64_t> unversioned_symbols;  ///< ascending indices into .dynsym
  SymbolRenames symbols;
  std::vector<RenamedVersion> renamed_versions;
  std::optional<std::string> interpreter;  ///< these three: set only if they change
  std::optional<bool> executable_stack;
  std::optional<std::uint8_t> os_abi;
  bool adds_stack_header = false;  ///< executable_stack needs a PT_GNU_STACK first
  std::vector<std::string> steps;
  bool entries_change = false;

  /// False for what only the ELF and program headers say, which any kind of file has.
  [[nodiscard]] bool changes_dynamic_linking() const {
    return changes_dynamic_tables() || interpreter;
  }
  [[nodiscard]] bool changes_interpreter_only() const {
    return interpreter && !changes_dynamic_tables() && !adds_stack_header;
  }
  [[nodiscard]] bool changes_nothing() const {
    return !changes_dynamic_linking() && !executable_stack && !os_abi;
  }
  [[nodiscard]] bool changes_dynamic_tables() const {
    return entries_change || !renamed_needs.empty() || !removed_needs.empty() ||
           !unversioned_symbols.empty() || !symbols.empty() || !renamed_versions.empty();
  }
  /// The texts that need a place in the string table.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// String offsets of dynamic entries and version records that stay.
  [[nodiscard]] std::vector<std::uint64_t> kept_strings() const;
};

/// Pure: compares what is with what shall be. Every name is the old one, so the order of wishes
/// does not matter.
[[nodiscard]] Wish make_wish(const ElfImage& image, const ElfEdit& edit);

}  // namespace truewheel::elf
