// SPDX-License-Identifier: Apache-2.0
#include "elf/retreat.hpp"

#include "base/checked_math.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace truewheel::elf {

namespace {

/// A smaller table is copied: the old bytes stay as they are.
constexpr std::uint64_t kLargeTable = std::uint64_t{64} << 10;
/// Zeros behind the strings for the next edit, if there is room.
constexpr std::uint64_t kReserve = 4096;
constexpr std::uint64_t kLargestGap = 64;
constexpr std::size_t kMostTables = 6;

/// The movable tables directly in front of .dynstr, the nearest first.
std::vector<Table> tables_before(const ElfImage& image, const FileMap& map,
                                 const std::vector<Table>& tables, const Table& strings) {
  std::vector<Table> result;
  // Without sections zeros may be somebody's constants.
  const std::uint64_t largest_gap = sections_agree(image) ? kLargestGap : 1;
  std::uint64_t begin = strings.offset;
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
    if (table->offset >= strings.offset) continue;
    const bool is_next = table->end() <= begin && begin - table->end() < largest_gap &&
                         map.is_free(table->end(), begin);
    if (!is_next || !table->movable || table->shared || !address_tag(table->kind) ||
        table->vaddr - table->offset != strings.vaddr - strings.offset ||
        result.size() == kMostTables) {
      break;
    }
    result.push_back(*table);
    begin = table->offset;
  }
  return result;
}

struct Place {
  Table table;
  std::uint64_t offset = 0, size = 0;
};

/// .dynstr with `size` bytes up to its old end, and what stays of the tables before it; nullopt
/// when they would not keep behind the lowest one that leaves.
std::optional<std::vector<Place>> pack(const std::vector<Table>& before, std::size_t leaving,
                                       const Table& strings, std::uint64_t size) {
  std::uint64_t low = strings.offset;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if ((leaving >> i & 1) != 0) low = before[i].offset;
  }
  if (size > strings.end() - low) return std::nullopt;
  std::uint64_t at = strings.end() - size;
  std::vector<Place> places{{strings, at, size}};
  const std::uint64_t bias = strings.vaddr - strings.offset;
  for (std::size_t i = 0; i < before.size() && before[i].offset >= low; ++i) {
    const Table& table = before[i];
    if ((leaving >> i & 1) != 0) continue;
    if (table.end() <= at) {
      at = table.offset;
      continue;
    }
    if (table.size > at - low) return std::nullopt;
    const std::uint64_t offset = align_down(at - table.size + bias, table.align) - bias;
    if (offset < low) return std::nullopt;
    places.push_back({table, offset, table.size});
    at = offset;
  }
  return places;
}

}  // namespace

void add_retreats(const ElfImage& image, const FileMap& map, const std::vector<Table>& tables,
                  const std::vector<Room>& rooms, const Table& strings, std::uint64_t size,
                  std::vector<Draft>& drafts) {
  if (strings.size < kLargeTable || !strings.movable || strings.shared) return;
  const std::vector<Table> before = tables_before(image, map, tables, strings);
  for (std::size_t leaving = 1; leaving < (std::size_t{1} << before.size()); ++leaving) {
    auto places = pack(before, leaving, strings, size + kReserve);
    if (!places) places = pack(before, leaving, strings, size);
    if (!places) continue;
    Draft draft(image, rooms);
    draft.overwrites = true;
    for (const Place& place : *places) {
      draft.place(place.table, place.offset,
                  place.table.vaddr - (place.table.offset - place.offset), place.size);
    }
    std::string names;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if ((leaving >> i & 1) == 0) continue;
      draft.pending.push_back({before[i], before[i].size});
      names += fmt::format("{}{}", names.empty() ? "" : ", ", table_name(before[i].kind));
    }
    draft.steps.push_back(fmt::format(".dynstr begins earlier; {} before it give way", names));
    drafts.push_back(std::move(draft));
  }
}

}  // namespace truewheel::elf
