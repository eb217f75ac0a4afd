// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/file_map.hpp"
#include "elf/image.hpp"
#include "elf/tables.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::elf {

enum class DynamicMoves { no, yes };

/// A way to get an entry of the program header table for one more LOAD or PT_GNU_STACK (rung S5,
/// slot sources a to e).
struct HeaderSlot {
  enum class Source { null_entry, phdr_entry, empty_note, emptied_load, growth };
  Source source = Source::growth;
  std::size_t entry = 0;                   ///< that gives its place, except for growth
  std::vector<std::size_t> evicted;        ///< indices into the tables that have to leave
  bool displaces_section_headers = false;  ///< growth: the section header table stands in the way
  std::string step;                        ///< ends before the name of what takes the slot
  std::uint64_t spare = 0;                 ///< growth: entries that there is room for besides
};

/// All ways there are. A .dynamic that moves anyway gives its old place. Reasons why growing in
/// place is impossible are added to `reasons`. `entries`: how many headers growing in place is to
/// give room for; `spare`: how many more are to have room behind them.
[[nodiscard]] std::vector<HeaderSlot> find_header_slots(const ElfImage& image, const FileMap& map,
                                                        const std::vector<Table>& tables,
                                                        DynamicMoves dynamic_moves,
                                                        std::vector<std::string>& reasons,
                                                        std::uint64_t entries, std::uint64_t spare);

/// What has to leave so that the table, as it is, has room for so many entries behind it; nullopt
/// where something there cannot.
[[nodiscard]] std::optional<HeaderSlot> find_spare_room(const ElfImage& image, const FileMap& map,
                                                        const std::vector<Table>& tables,
                                                        DynamicMoves dynamic_moves,
                                                        std::uint64_t spare);

/// True when a table of `count` program headers is one that old kernels read: at most a page (I6).
[[nodiscard]] bool fits_kernel_limit(const ElfImage& image, std::uint64_t count);

}  // namespace truewheel::elf
