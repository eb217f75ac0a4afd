// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include "elf/tables.hpp"
#include <truewheel/elf.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::elf {

/// What an edit needs room for.
struct LayoutRequest {
  std::uint64_t strings_size = 0;  ///< of the string table afterwards
  std::uint64_t dynamic_slots =
      0;  ///< entries of .dynamic afterwards, its DT_NULL included; 0: as now
  std::uint64_t interpreter_size = 0;  ///< of PT_INTERP's text, its NUL included; 0: it stays
  bool stack_header = false;           ///< there is to be a PT_GNU_STACK, and there is none
  bool sections_change = false;        ///< a section header changes for another reason than a move
};

/// A table at its new place. The size differs when a string table or .dynamic grows; the place may
/// be the old one.
struct Move {
  Table table;
  std::uint64_t offset = 0, vaddr = 0, size = 0;
};

/// Where everything goes: decided here completely, so that writing decides nothing.
struct Layout {
  std::vector<Segment> segments;
  std::vector<Section> sections;  ///< same order, same indices as before
  std::uint64_t phoff = 0, shoff = 0;
  std::vector<Move> moves;
  std::uint64_t keep = 0;        ///< bytes of the old file that stay where they are
  std::uint64_t tail_shift = 0;  ///< what follows them in the old file comes that much later
  std::uint64_t size = 0;        ///< of the file afterwards

  bool empties_load =
      false;  ///< a LOAD keeps no section: GNU strip then writes it with an unaligned offset
  bool exposes_sections = false;  ///< to old patchelf, which then writes program headers over some
  bool leaves_sections = false;   ///< tables move, and there are section headers that cannot follow
  std::uint64_t growth = 0;
  bool overwrites = false;  ///< tables give way in place
  bool moves_notes = false;
  std::uint64_t rewritten = 0;  ///< bytes of all tables that are written anew
  bool moves_headers = false;   ///< rung S6
  bool buries_payload = false;  ///< what is added stands behind somebody's data
  std::vector<std::string> steps;

  [[nodiscard]] const Move* find(TableKind kind) const;
};

/// How many entries .dynamic has room for, in PT_DYNAMIC and in its section.
[[nodiscard]] std::uint64_t dynamic_slots(const ElfImage& image);

/// Rungs S3 to S6 of docs/elf-rewriting.md: of all layouts whose preconditions hold the one that
/// exposes no section to old patchelf, then the one that adds the fewest bytes; ties go to the one
/// that overwrites no old table, then to the one that moves no note. Throws Error(refused,
/// "elf-no-room") with all reasons when there is none.
[[nodiscard]] Layout choose_layout(const ElfImage& image, const LayoutRequest& request,
                                   const EditOptions& options);

}  // namespace truewheel::elf
