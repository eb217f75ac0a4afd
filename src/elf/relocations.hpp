// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace truewheel::elf {

/// A table of relocations of one kind that a dynamic tag leads to.
struct RelocationTable {
  std::uint64_t offset = 0, size = 0;  ///< in the file
  bool has_addend = false;

  [[nodiscard]] std::uint64_t end() const { return offset + size; }
};

/// The tables of DT_RELA, DT_REL and DT_JMPREL, ascending; DT_JMPREL's is left out where another
/// one covers it, as some linkers have it. Throws Error(refused, "elf-relocations") when one is not
/// mapped or two overlap otherwise.
[[nodiscard]] std::vector<RelocationTable> find_relocation_tables(const ElfImage& image);

/// The size of an entry: two words, or three.
[[nodiscard]] inline std::uint64_t relocation_size(const ElfImage& image, bool has_addend) {
  return image.word_size() * (has_addend ? 3 : 2);
}

/// Symbol and type of r_info.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> split_relocation_info(const ElfImage& image,
                                                                            std::uint64_t info);
/// r_info with another symbol.
[[nodiscard]] std::uint64_t with_relocation_symbol(const ElfImage& image, std::uint64_t info,
                                                   std::uint64_t symbol);

}  // namespace truewheel::elf
