// SPDX-License-Identifier: Apache-2.0
#include "elf/stand_in.hpp"

#include "base/checked_math.hpp"
#include "elf/format.hpp"
#include "elf/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace truewheel::elf {

namespace {

bool is_inside(const Section& section, const Segment& load) {
  return (section.flags & shf::kAlloc) != 0 && section.size != 0 && section.addr >= load.vaddr &&
         section.addr - load.vaddr < load.memsz;
}

/// The LOAD that has .dynamic and no other section.
const Segment* load_of_its_own(const ElfImage& image, const Table& dynamic) {
  if (!sections_agree(image)) return nullptr;
  for (const Segment& load : image.segments()) {
    if (load.type != pt::kLoad || dynamic.vaddr < load.vaddr ||
        dynamic.vaddr - load.vaddr >= load.memsz) {
      continue;
    }
    const bool is_alone =
        std::all_of(image.sections().begin(), image.sections().end(), [&](const Section& section) {
          return !is_inside(section, load) ||
                 (section.offset >= dynamic.offset && section.type != sht::kNobits &&
                  section.offset + section.size <= dynamic.end());
        });
    return is_alone ? &load : nullptr;
  }
  return nullptr;
}

/// Where a table of that size goes in the old place of .dynamic; nullopt if it does not fit.
std::optional<std::uint64_t> place_in(const Table& dynamic, const Table& table,
                                      std::uint64_t size) {
  const std::uint64_t shift = align_up(dynamic.vaddr, table.align) - dynamic.vaddr;
  if (shift > dynamic.size || size > dynamic.size - shift) return std::nullopt;
  return shift;
}

void put_in_place(const Table& dynamic, const Table& table, std::uint64_t size, Draft draft,
                  std::vector<Draft>& drafts) {
  const auto shift = place_in(dynamic, table, size);
  if (!shift) return;
  draft.place(table, dynamic.offset + *shift, dynamic.vaddr + *shift, size);
  draft.overwrites = true;
  draft.steps.push_back(
      fmt::format("{} takes the old place of .dynamic, whose LOAD would have no section",
                  table_name(table.kind)));
  drafts.push_back(std::move(draft));
}

}  // namespace

std::vector<Draft> with_stand_in(const Ground& ground, const Table& dynamic, const Draft& draft) {
  std::vector<Draft> drafts;
  const Segment* load = load_of_its_own(ground.image, dynamic);
  if (load == nullptr) return drafts;
  // What has to go somewhere in any case costs nothing.
  for (std::size_t i = 0; i < draft.pending.size(); ++i) {
    const Pending item = draft.pending[i];
    if (!address_tag(item.table.kind)) continue;
    Draft other = draft;
    other.pending.erase(other.pending.begin() + static_cast<std::ptrdiff_t>(i));
    put_in_place(dynamic, item.table, item.size, std::move(other), drafts);
  }
  const Table* smallest = nullptr;
  for (const Table& table : ground.tables) {
    if (!address_tag(table.kind) || table.kind == TableKind::strings || !table.movable ||
        table.shared || draft.concerns(table) || !place_in(dynamic, table, table.size) ||
        (smallest != nullptr && smallest->size <= table.size) ||
        find_reference(ground.image, table.vaddr, table.vaddr + table.size)) {
      continue;
    }
    smallest = &table;
  }
  if (smallest != nullptr) put_in_place(dynamic, *smallest, smallest->size, draft, drafts);
  return drafts;
}

}  // namespace truewheel::elf
