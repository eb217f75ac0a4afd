// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include "elf/layout.hpp"
#include <truewheel/bytes.hpp>
#include <truewheel/elf.hpp>

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// Bytes that a part of the file shall have.
struct Write {
  std::uint64_t offset = 0;
  Buffer bytes;
};

/// The patches and the new tail of a file in which `writes`, by their new offsets, are done. Only
/// what differs becomes a patch: a program header that stays as it is is no change. Two writes to
/// one byte are Error(internal, "elf-writes-overlap"), in a file that contradicts itself
/// Error(refused, "elf-inconsistent").
[[nodiscard]] PatchList assemble(const ElfImage& image, const Layout& layout,
                                 std::vector<Write> writes);

}  // namespace truewheel::elf
