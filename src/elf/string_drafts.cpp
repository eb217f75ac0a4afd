// SPDX-License-Identifier: Apache-2.0
#include "elf/string_drafts.hpp"

#include "base/checked_math.hpp"
#include "elf/format.hpp"
#include "elf/retreat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace truewheel::elf {

namespace {

/// Rung S4, growing in place: .dynstr is the last thing in its LOAD.
void add_growth_at_end(const Ground& ground, const Table& strings, std::uint64_t size,
                       std::vector<Draft>& drafts) {
  for (std::size_t i = 0; i < ground.rooms.size(); ++i) {
    const std::uint64_t end = ground.rooms[i].offset;
    if (end < strings.end() || end - strings.end() >= 64 || !ground.map.is_free(strings.end(), end))
      continue;
    // Zeros that no section is known to leave out may be somebody's constants.
    if (end != strings.end() && !sections_agree(ground.image)) continue;
    Draft draft(ground.image, ground.rooms);
    const std::uint64_t padding = end - strings.end(), growth = size - strings.size;
    if (growth > padding && !draft.rooms[i].take(growth - padding, 1, std::nullopt, true)) continue;
    draft.place(strings, strings.offset, strings.vaddr, size);
    draft.steps.emplace_back(".dynstr grows where it ends its LOAD");
    drafts.push_back(std::move(draft));
  }
}

/// Where .dynstr may grow to if the movable tables behind it give way.
struct Neighbours {
  std::vector<Table> tables;   ///< directly behind .dynstr, ascending
  std::uint64_t boundary = 0;  ///< file offset of what stays
};

Neighbours find_neighbours(const Ground& ground, const Table& strings) {
  Neighbours result;
  result.boundary = strings.end();
  const bool trusts_sections = sections_agree(ground.image);
  for (const Table& table : ground.tables) {
    if (table.offset < strings.end()) continue;
    // .dynamic has its own rules; a table that is not next to the others has something unknown
    // before it.
    // Without sections zeros are known to be alignment only where it asks for them.
    const std::uint64_t largest_gap = trusts_sections                     ? 63
                                      : ground.image.distrusts_sections() ? 0
                                                                          : table.align - 1;
    const bool is_next = table.offset - result.boundary <= largest_gap &&
                         ground.map.is_free(result.boundary, table.offset);
    if (!table.movable || table.shared || !is_next || table.kind == TableKind::dynamic ||
        table.kind == TableKind::interpreter || table.kind == TableKind::notes ||
        table.vaddr - strings.vaddr != table.offset - strings.offset) {
      break;
    }
    result.tables.push_back(table);
    result.boundary = table.end();
  }
  // Padding up to the next section is free as well, inside the LOAD. Without sections nobody knows
  // what is there.
  if (trusts_sections) {
    for (const Segment& load : ground.image.segments()) {
      if (load.type != pt::kLoad || strings.offset < load.offset ||
          strings.end() > load.offset + load.filesz)
        continue;
      const std::uint64_t load_end = load.offset + load.filesz;
      std::uint64_t next = load_end;
      for (const Section& section : ground.image.sections()) {
        const bool counts =
            section.type != sht::kNull && section.type != sht::kNobits && section.size != 0;
        if (counts && section.offset >= result.boundary) next = std::min(next, section.offset);
      }
      for (const Segment& segment : ground.image.segments()) {
        if (segment.type == pt::kLoad || segment.type == pt::kGnuRelro || segment.filesz == 0)
          continue;
        if (segment.offset >= result.boundary) next = std::min(next, segment.offset);
      }
      if (ground.map.is_zero(result.boundary, next)) result.boundary = next;
    }
  }
  return result;
}

/// Rungs S4b-slide and S4b: .dynstr grows in place; the tables behind it slide back or leave, in
/// each combination.
void add_displacements(const Ground& ground, const Table& strings, std::uint64_t size,
                       std::vector<Draft>& drafts) {
  const Neighbours neighbours = find_neighbours(ground, strings);
  const std::uint64_t needed_end = strings.offset + size;
  const auto count = std::min<std::size_t>(neighbours.tables.size(), 6);
  for (std::size_t leaving = 0; leaving < (std::size_t{1} << count); ++leaving) {
    Draft draft(ground.image, ground.rooms);
    std::uint64_t limit =
        count == neighbours.tables.size() ? neighbours.boundary : neighbours.tables[count].offset;
    std::vector<const Table*> staying;
    std::string names;
    for (std::size_t i = 0; i < count; ++i) {
      const Table& table = neighbours.tables[i];
      if ((leaving >> i & 1) == 0) {
        staying.push_back(&table);
        continue;
      }
      draft.pending.push_back({table, table.size});
      names += fmt::format("{}{}", names.empty() ? "" : ", ", table_name(table.kind));
    }
    std::string slid;
    if (!staying.empty() && staying.front()->offset < needed_end) {
      // Pack what stays against the boundary, last table first.
      for (auto table = staying.rbegin(); table != staying.rend(); ++table) {
        const std::uint64_t end_vaddr = (*table)->vaddr + (limit - (*table)->offset);
        if ((*table)->size > end_vaddr) return;
        const std::uint64_t vaddr = align_down(end_vaddr - (*table)->size, (*table)->align);
        const std::uint64_t offset = (*table)->offset + vaddr - (*table)->vaddr;
        if (vaddr != (*table)->vaddr) {
          draft.place(**table, offset, vaddr, (*table)->size);
          slid = table_name((*table)->kind);
        }
        limit = offset;
      }
    } else if (!staying.empty()) {
      limit = staying.front()->offset;
    }
    if (limit < needed_end) continue;
    if (leaving != 0 || !slid.empty()) draft.overwrites = true;
    // What gave way leaves bytes that are of no use but to the next edit's strings.
    draft.place(strings, strings.offset, strings.vaddr,
                draft.overwrites ? limit - strings.offset : size);
    if (leaving == 0 && slid.empty()) {
      draft.steps.emplace_back(".dynstr grows into the padding behind it");
    } else {
      draft.steps.push_back(
          fmt::format(".dynstr grows in place{}{}{}{}", slid.empty() ? "" : ", tables slide back",
                      names.empty() ? "" : "; ", names, names.empty() ? "" : " give way"));
    }
    drafts.push_back(std::move(draft));
  }
}

}  // namespace

std::vector<Draft> draft_strings(const Ground& ground, std::uint64_t size) {
  std::vector<Draft> drafts;
  const auto index = ground.find(TableKind::strings);
  if (!index || ground.tables[*index].size >= size) {
    drafts.emplace_back(ground.image, ground.rooms);
    return drafts;
  }
  const Table& strings = ground.tables[*index];
  add_growth_at_end(ground, strings, size, drafts);
  if (strings.movable) {
    Draft copy(ground.image, ground.rooms);
    copy.pending.push_back({strings, size});
    drafts.push_back(std::move(copy));
  }
  add_displacements(ground, strings, size, drafts);
  add_retreats(ground.image, ground.map, ground.tables, ground.rooms, strings, size, drafts);
  return drafts;
}

}  // namespace truewheel::elf
