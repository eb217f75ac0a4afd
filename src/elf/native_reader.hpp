// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include "elf/notes.hpp"
#include "elf/version_tables.hpp"
#include <truewheel/elf.hpp>

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// All that was read of a file: the facts, and where in the file they come from, for distilling.
struct NativeReading {
  ElfFacts facts;
  VersionTables versions;
  std::vector<Note> notes;
  std::vector<std::uint64_t> symbols;  ///< indices in .dynsym of facts.imports and python_exports
};

/// Reads the facts by bounds-checked reads alone, of segments and the dynamic section, never of
/// sections (but for notes). Costs a walk over the symbol table, whose defined symbols are not
/// kept: what is allocated grows with the imports. Throws Error(refused, "elf-…").
[[nodiscard]] NativeReading read_natively(const ElfImage& image);

}  // namespace truewheel::elf
