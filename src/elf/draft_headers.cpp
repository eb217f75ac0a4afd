// SPDX-License-Identifier: Apache-2.0
//
// Where the program header of a new LOAD or of PT_GNU_STACK comes from.
#include "elf/draft.hpp"
#include "elf/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

Segment new_stack_header() {
  Segment stack;
  stack.type = pt::kGnuStack;
  stack.flags = pf::kRead | pf::kWrite;
  stack.align = 16;
  return stack;
}

}  // namespace

/// Whether something has moved to where the program headers shall have room up to `end`.
bool Draft::is_entered_before(std::uint64_t end) const {
  return std::any_of(moves_.begin(), moves_.end(), [&](const Move& move) {
    return move.offset < end && phoff_ < move.offset + move.size;
  });
}

bool Draft::make_pending(const std::vector<Table>& tables, const HeaderSlot& slot) {
  for (const std::size_t index : slot.evicted) {
    const Table& table = tables[index];
    moves_notes_ = moves_notes_ || table.kind == TableKind::notes;
    const auto move = std::find_if(moves_.begin(), moves_.end(), [&](const Move& other) {
      return other.table.offset == table.offset;
    });
    if (move != moves_.end()) {
      if (move->offset == table.offset) return false;  // it stays, to grow in place
      continue;
    }
    const bool is_pending = std::any_of(pending.begin(), pending.end(), [&](const Pending& other) {
      return other.table.offset == table.offset;
    });
    if (!is_pending) pending.push_back({table, table.size});
  }
  return true;
}

bool Draft::leave_room(const std::vector<Table>& tables, const HeaderSlot& room) {
  const std::uint64_t size = sizes_of(image_->header().bits).segment;
  if (room.displaces_section_headers ||
      is_entered_before(phoff_ + (segments_.size() + room.spare) * size))
    return false;
  return make_pending(tables, room);
}

/// Makes what stands in a slot's way pending, and PT_PHDR as large as the table will be.
bool Draft::evict(const std::vector<Table>& tables, const HeaderSlot& slot) {
  const std::uint64_t entry_size = sizes_of(image_->header().bits).segment;
  if (slot.source == HeaderSlot::Source::growth &&
      is_entered_before(phoff_ + (segments_.size() + 1 + slot.spare) * entry_size))
    return false;
  if (slot.source == HeaderSlot::Source::emptied_load) {
    const Segment& load = image_->segments()[slot.entry];
    const bool is_used =
        is_entered(load) || std::any_of(rooms.begin(), rooms.end(), [&](const Room& room) {
          return room.segment == slot.entry && room.used != 0;
        });
    if (is_used) return false;
  }
  overwrites = overwrites || (slot.source == HeaderSlot::Source::growth && !slot.evicted.empty());
  if (!make_pending(tables, slot)) return false;
  if (slot.source == HeaderSlot::Source::growth) {
    for (Segment& segment : segments_) {
      if (segment.type != pt::kPhdr) continue;
      segment.filesz = segment.memsz = (segments_.size() + 1) * entry_size;
    }
  }
  displaces_section_headers_ = displaces_section_headers_ || slot.displaces_section_headers;
  return true;
}

/// The program headers rarely take all bytes of what gave way for them: the rest is a room for
/// smaller tables, so that a large .gnu.hash goes alone.
void Draft::offer_vacated(const std::vector<Table>& tables, const HeaderSlot& slot) {
  if (slot.source != HeaderSlot::Source::growth || slot.displaces_section_headers) return;
  const std::uint64_t begin =
      phoff_ + (segments_.size() + 1 + slot.spare) * sizes_of(image_->header().bits).segment;
  std::uint64_t end = begin;
  for (const std::size_t index : slot.evicted) {
    const bool leaves = std::any_of(pending.begin(), pending.end(), [&](const Pending& other) {
      return other.table.offset == tables[index].offset;
    });
    if (!leaves) break;
    end = std::max(end, tables[index].end());
  }
  for (const Move& move : moves_) {
    if (move.offset < end && begin < move.offset + move.size) end = std::max(begin, move.offset);
  }
  for (std::size_t i = 0; i < image_->segments().size(); ++i) {
    const Segment& load = image_->segments()[i];
    const bool holds = load.type == pt::kLoad && load.offset <= begin &&
                       end <= load.offset + load.filesz && load.filesz == load.memsz;
    if (!holds || begin == end) continue;
    Room room;
    room.segment = i;
    room.load_end = load.offset + load.filesz;
    room.offset = begin;
    room.vaddr = load.vaddr + (begin - load.offset);
    room.capacity = end - begin;
    room.writable = (load.flags & pf::kWrite) != 0;
    rooms.insert(rooms.begin(), room);
    place_in_rooms(Growth::no);
    return;
  }
}

bool Draft::add_load(const FileMap& map, const std::vector<Table>& tables, const HeaderSlot& slot,
                     std::uint64_t alignment) {
  if (!evict(tables, slot)) return false;
  offer_vacated(tables, slot);
  if (slot.source != HeaderSlot::Source::growth)
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(slot.entry));
  steps.push_back(slot.step + "the LOAD");
  return build_load(map, alignment, 0);
}

void Draft::append_stack_header() {
  segments_.push_back(new_stack_header());
  steps.emplace_back("PT_GNU_STACK is added");
}

bool Draft::add_stack_header(const std::vector<Table>& tables, const HeaderSlot& slot) {
  if (!evict(tables, slot)) return false;
  const Segment stack = new_stack_header();
  if (slot.source == HeaderSlot::Source::growth) {
    segments_.push_back(stack);
  } else {
    // In place, so that other slots keep their indices.
    segments_[slot.entry] = stack;
  }
  steps.push_back(slot.step + "PT_GNU_STACK");
  return true;
}

bool Draft::add_load_and_move_headers(const FileMap& map, Headers place, std::uint64_t alignment) {
  const bool needs_load = place == Headers::in_new_load || !pending.empty();
  const std::uint64_t count = segments_.size() + (needs_load ? 1 : 0);
  if (!fits_kernel_limit(*image_, count)) return false;
  const std::uint64_t bytes = count * sizes_of(image_->header().bits).segment;
  std::uint64_t bytes_in_load = 0;
  if (place == Headers::in_first_load) {
    // Old kernels compute AT_PHDR from the first LOAD (I8), so vaddr - offset must be the same
    // there.
    const Segment* first = image_->find_segment(pt::kLoad);
    std::optional<std::uint64_t> at;
    for (Room& room : rooms) {
      const Segment& load = image_->segments()[room.segment];
      if (first == nullptr || load.vaddr - load.offset != first->vaddr - first->offset) continue;
      if ((at = room.take(bytes, 8, std::nullopt, false))) break;
    }
    if (!at) return false;
    phoff_ = *at;
  } else {
    bytes_in_load = bytes;
  }
  moves_headers_ = true;
  steps.emplace_back(
      "the program header table moves, since nothing behind it can give way: do not strip this "
      "file afterwards");
  if (needs_load && !build_load(map, alignment, bytes_in_load)) return false;
  for (Segment& segment : segments_) {
    if (segment.type != pt::kPhdr) continue;
    const Segment* around = nullptr;
    for (const Segment& load : segments_) {
      if (load.type == pt::kLoad && phoff_ >= load.offset &&
          (around == nullptr || load.offset > around->offset)) {
        around = &load;
      }
    }
    if (around == nullptr) return false;
    segment.offset = phoff_;
    segment.vaddr = around->vaddr + (phoff_ - around->offset);
    segment.paddr = around->paddr + (phoff_ - around->offset);
    segment.filesz = segment.memsz = bytes;
  }
  return true;
}

}  // namespace truewheel::elf
