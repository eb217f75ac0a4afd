// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/file_map.hpp"
#include "elf/image.hpp"
#include "elf/tables.hpp"
#include <truewheel/elf.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace truewheel::elf {

/// Free space behind the bytes of a LOAD: alignment padding in file and memory (rung S4), or the
/// end of the file behind the last LOAD (our own from an earlier edit, patchelf's, or a linker's
/// without .bss).
struct Room {
  std::size_t segment = 0;
  std::uint64_t offset = 0, vaddr = 0;  ///< of its first byte
  std::uint64_t load_end = 0;           ///< file offset; padding may begin inside the LOAD already
  std::uint64_t capacity = 0;           ///< bytes that are free as the file stands
  std::uint64_t used = 0;
  bool grows = false;           ///< the rest of the file can move back, so that it never gets full
  bool writable = false;        ///< .dynamic may go there
  bool makes_writable = false;  ///< it becomes so by giving our own LOAD the W flag (I11)

  /// Takes `size` bytes at the alignment, or, with `phase`, at an offset congruent to it modulo 16.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t size, std::uint64_t align,
                                                  std::optional<std::uint64_t> phase,
                                                  bool may_grow);
};

/// The alignment that a new LOAD gets: the option, else the largest p_align of the file, else what
/// the machine's loaders ask for (invariant I1 of docs/elf-rewriting.md).
[[nodiscard]] std::uint64_t load_alignment(const ElfImage& image, const EditOptions& options);

/// All rooms, the best first: that of the LOAD with .dynstr, then read-only ones, writable ones,
/// executable ones.
[[nodiscard]] std::vector<Room> find_rooms(const ElfImage& image, const FileMap& map,
                                           const std::vector<Table>& tables,
                                           std::uint64_t alignment);

/// `at` or the next place that is aligned or in phase.
[[nodiscard]] std::uint64_t place_at(std::uint64_t at, std::uint64_t align,
                                     std::optional<std::uint64_t> phase);

}  // namespace truewheel::elf
