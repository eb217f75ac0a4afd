// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/file_map.hpp"
#include "elf/header_slots.hpp"
#include "elf/image.hpp"
#include "elf/rooms.hpp"
#include "elf/tables.hpp"
#include <truewheel/elf.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace truewheel::elf {

/// Everything the planner looks at, read once.
struct Ground {
  Ground(const ElfImage& the_image, const EditOptions& options)
      : image(the_image),
        map(the_image),
        tables(find_tables(the_image)),
        alignment(load_alignment(the_image, options)),
        rooms(find_rooms(the_image, map, tables, alignment)) {}

  [[nodiscard]] std::optional<std::size_t> find(TableKind kind) const {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].kind == kind) return i;
    }
    return std::nullopt;
  }

  const ElfImage& image;
  FileMap map;
  std::vector<Table> tables;
  std::uint64_t alignment;
  std::vector<Room> rooms;
};

}  // namespace truewheel::elf
