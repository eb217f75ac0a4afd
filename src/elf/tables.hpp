// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace truewheel::elf {

/// The parts of a file that only program headers and dynamic tags point at, so that they can move
/// (docs/elf-rewriting.md). Code and data never do.
enum class TableKind {
  interpreter,
  notes,  ///< all notes that one PT_NOTE covers, as one block
  hash,
  gnu_hash,
  symbols,
  strings,
  version_symbols,
  version_definitions,
  version_needs,
  dynamic,
};

struct Table {
  TableKind kind = TableKind::strings;
  std::uint64_t vaddr = 0, offset = 0, size = 0;
  std::uint64_t align = 1;
  bool keep_phase = false;  ///< its new place is congruent to the old one modulo 16
  bool movable = true;
  bool shared = false;  ///< some of its bytes are another table's, too: what moves away leaves them

  [[nodiscard]] std::uint64_t end() const { return offset + size; }
};

/// The dynamic tag that holds a table's address; nullopt for those that a program header points at.
[[nodiscard]] std::optional<std::int64_t> address_tag(TableKind kind);
[[nodiscard]] const char* table_name(TableKind kind);

/// Every such table of the file, ascending by offset. A table whose extent the section headers
/// contradict, or whose notes are not known to be reached by PT_NOTE alone, is listed as not
/// movable.
[[nodiscard]] std::vector<Table> find_tables(const ElfImage& image);

/// The bytes of PT_INTERP's name. Linker scripts may let the segment begin with notes; those are
/// not part of it. nullopt when there is none, or it is not where a LOAD maps it.
[[nodiscard]] std::optional<Table> interpreter_table(const ElfImage& image);

/// Bytes that a new interpreter's name may have where the old one stands: those of the old one, and
/// the zeros that PT_INTERP has behind it.
[[nodiscard]] std::uint64_t interpreter_room(const ElfImage& image, const Table& interpreter);

/// True when the section headers can be used for layout: a string table section stands where
/// DT_STRTAB points, and no allocated section lies elsewhere than its LOAD (E08 of
/// tests/elf_cases).
[[nodiscard]] bool sections_agree(const ElfImage& image);

/// The size that a table's section gives it, which may be larger than what is used of it; 0 for a
/// section that reaches into another table, or is not where the table is.
[[nodiscard]] std::uint64_t believed_size(const ElfImage& image, const Table& table,
                                          const Section& section);

/// The section that is this table, by address and type, never by name (patchelf issue 240).
[[nodiscard]] std::optional<std::size_t> section_of(const ElfImage& image, const Table& table);

}  // namespace truewheel::elf
