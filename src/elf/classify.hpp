// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/elf.hpp>

#include <cstdint>

namespace truewheel::elf {

/// What the kind of an ET_EXEC or ET_DYN file hangs on, wherever it was read from.
struct ProgramTraits {
  std::uint16_t type = 0;
  bool has_dynamic = false;      ///< a dynamic section with entries
  bool has_interpreter = false;  ///< PT_INTERP
  bool has_entry_point = false;  ///< e_entry is not 0
  bool says_pie = false;         ///< DF_1_PIE
  bool has_soname = false;
  bool has_needed = false;
};

/// The kind of a file whose segments have bytes (debug_only is decided before).
///
/// ET_DYN is a library, a program or both at once: libc.so.6 and libQt5Core.so.5 have a PT_INTERP
/// and can be run. DF_1_PIE (binutils 2.26) decides first: glibc's dlopen refuses such a file, so
/// it is a program whatever else it has. Without it, a SONAME makes a library; a file with an
/// interpreter, an entry point and no SONAME is a program of an older linker. DF_1_PIE without
/// interpreter and without NEEDED is a static PIE, which relocates itself (E25).
[[nodiscard]] FileKind kind_from(const ProgramTraits& traits);

/// The kind of a parsed file. Throws Error(refused, "elf-hollow-dynamic") when the section headers
/// say that .dynamic has no bytes while PT_DYNAMIC has valid ones: the loader would see another
/// file than readers of sections do (E08).
[[nodiscard]] FileKind kind_of(const ElfImage& image);

/// True for the kinds whose segments and dynamic section are read for facts.
[[nodiscard]] bool has_program_facts(FileKind kind);

}  // namespace truewheel::elf
