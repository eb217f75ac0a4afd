// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace truewheel::elf {

/// True when all bytes of the range are zero. It lies in `file`.
[[nodiscard]] bool is_zero(Bytes file, std::uint64_t begin, std::uint64_t end);

/// What every byte of a file is for, as far as its headers tell: the answer to "is this place
/// free?".
class FileMap {
 public:
  explicit FileMap(const ElfImage& image);

  /// The first byte at or behind `offset` that something begins at or goes on over; the file's size
  /// if nothing does.
  [[nodiscard]] std::uint64_t next_used(std::uint64_t offset) const;
  /// True when nothing but a LOAD as a whole owns a byte of the range, and all of them are zero:
  /// alignment.
  [[nodiscard]] bool is_free(std::uint64_t begin, std::uint64_t end) const;
  [[nodiscard]] bool is_zero(std::uint64_t begin, std::uint64_t end) const;

  /// The end of the file that may be moved as a whole: from `begin` on only sections that are not
  /// loaded, and the section header table. The loader never reads them, so only their own headers
  /// must follow.
  struct Tail {
    std::uint64_t begin = 0;  ///< of its first byte
    std::uint64_t align = 8;  ///< the distance it moves is a multiple of it
  };
  /// nullopt when something behind `begin` is loaded, unknown, or too large to be rewritten.
  [[nodiscard]] std::optional<Tail> movable_tail(std::uint64_t begin) const;

  /// True when the file goes on behind everything that its headers name, with more than alignment.
  /// False without section headers.
  [[nodiscard]] bool has_payload() const;

  [[nodiscard]] std::uint64_t section_headers_end() const { return section_headers_end_; }
  /// True when a LOAD maps bytes of the section header table (Go, patchelf 0.19).
  [[nodiscard]] bool section_headers_are_loaded() const;

 private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
    bool is_load = false;  ///< a LOAD or PT_GNU_RELRO: what it is made of is known by others
    bool loaded = false;   ///< by a program header, or wanted to be by its section's flags
  };
  const ElfImage& image_;
  std::vector<Range> ranges_;  ///< ascending by begin
  std::uint64_t section_headers_end_ = 0;
};

}  // namespace truewheel::elf
