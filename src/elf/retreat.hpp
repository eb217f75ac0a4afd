// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/draft.hpp"
#include "elf/file_map.hpp"

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// Drafts in which a large .dynstr begins earlier and ends where it ended: of the tables in front
/// of it some leave, and the others move down with it. lld and mold put .rela.dyn behind .dynstr,
/// which must not move, and .gnu.hash or .gnu.version in front. A copy of the table would cost its
/// size, a hash table 4 to 8 bytes a symbol.
void add_retreats(const ElfImage& image, const FileMap& map, const std::vector<Table>& tables,
                  const std::vector<Room>& rooms, const Table& strings, std::uint64_t size,
                  std::vector<Draft>& drafts);

}  // namespace truewheel::elf
