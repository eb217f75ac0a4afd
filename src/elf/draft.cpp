// SPDX-License-Identifier: Apache-2.0
#include "elf/draft.hpp"

#include "elf/draft_order.hpp"
#include "elf/format.hpp"
#include "elf/loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace truewheel::elf {

Draft::Draft(const ElfImage& image, std::vector<Room> free_rooms)
    : rooms(std::move(free_rooms)),
      image_(&image),
      segments_(image.segments()),
      phoff_(image.header().phoff) {}

void Draft::place(const Table& table, std::uint64_t offset, std::uint64_t vaddr,
                  std::uint64_t size) {
  moves_.push_back({table, offset, vaddr, size});
}

bool Draft::concerns(const Table& table) const {
  const auto is_table = [&](const auto& other) { return other.table.offset == table.offset; };
  return std::any_of(moves_.begin(), moves_.end(), is_table) ||
         std::any_of(pending.begin(), pending.end(), is_table);
}

void Draft::place_in_rooms(Growth growth) {
  std::stable_sort(pending.begin(), pending.end(), [&](const Pending& a, const Pending& b) {
    // At the end of the file the strings come last, else the largest first.
    if (growth == Growth::yes) return rank(a.table.kind) < rank(b.table.kind);
    return a.size > b.size;
  });
  const Segment* dynamic = image_->dynamic_segment();
  const bool must_be_writable =
      dynamic != nullptr && is_writable(image_->segments(), dynamic->vaddr);
  std::vector<Pending> left;
  for (const Pending& item : pending) {
    bool placed = false;
    for (Room& room : rooms) {
      const bool needs_write = item.table.kind == TableKind::dynamic && must_be_writable;
      if (needs_write && !room.writable && !room.makes_writable) continue;
      const bool executable = (image_->segments()[room.segment].flags & pf::kExecute) != 0;
      if (item.table.kind == TableKind::dynamic && executable) continue;
      const auto at =
          room.take(item.size, item.table.align, phase_of(item.table), growth == Growth::yes);
      if (!at) continue;
      place(item.table, *at, room.vaddr + (*at - room.offset), item.size);
      if (needs_write && !room.writable) {
        for (Segment& segment : segments_) {
          if (segment.type == pt::kLoad &&
              segment.vaddr == image_->segments()[room.segment].vaddr) {
            segment.flags |= pf::kWrite;
          }
        }
      }
      const bool is_padding = room.used <= room.capacity;
      steps.push_back(fmt::format("{} moves to the {} the LOAD at {:#x}",
                                  table_name(item.table.kind), is_padding ? "room in" : "end of",
                                  image_->segments()[room.segment].vaddr));
      placed = true;
      break;
    }
    if (!placed) left.push_back(item);
  }
  pending = std::move(left);
}

}  // namespace truewheel::elf
