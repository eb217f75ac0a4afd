// SPDX-License-Identifier: Apache-2.0
//
// Rungs S5 and S6 of the ladder: the new LOAD itself.
#include "base/checked_math.hpp"
#include "elf/draft.hpp"
#include "elf/draft_order.hpp"
#include "elf/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace truewheel::elf {

namespace {

/// Zeros behind the strings of a new LOAD, so that a later edit needs no byte of the file.
constexpr std::uint64_t kStringReserve = 256;
/// What a moved program header table may cost in zeros.
constexpr std::uint64_t kLargestHole = std::uint64_t{16} << 20;
/// A LOAD never begins where another program header points: llvm-objcopy takes the first header
/// with the lowest offset for the parent and gives the LOAD that one's alignment.
constexpr std::uint64_t kLoadPad = 16;

bool has_header(TableKind kind) {
  return kind == TableKind::notes || kind == TableKind::interpreter || kind == TableKind::dynamic;
}

}  // namespace

std::uint64_t Draft::new_load_address(std::uint64_t offset, std::uint64_t alignment) const {
  std::uint64_t end = 0;
  // A page of its own by the file's p_align as well, which may be larger than the wished one (I3).
  std::uint64_t page = alignment;
  std::int64_t lowest_bias = std::numeric_limits<std::int64_t>::max();
  for (const Segment& segment : segments_) {
    if (segment.type != pt::kLoad) continue;
    page = std::max(page, segment.align);
    end = std::max(end, checked_add(segment.vaddr, segment.memsz));
    lowest_bias = std::min(lowest_bias, static_cast<std::int64_t>(segment.vaddr - segment.offset));
  }
  for (const Room& room : rooms) end = std::max(end, room.used == 0 ? 0 : room.vaddr + room.used);
  const std::uint64_t in_page = offset & (alignment - 1);
  std::uint64_t vaddr = checked_add(align_up(end, page), in_page);
  // Older qemu-user takes the least vaddr - offset for the load base of a program.
  const bool is_program =
      image_->header().type == et::kExec || image_->find_segment(pt::kInterp) != nullptr;
  if (is_program && static_cast<std::int64_t>(vaddr - offset) < lowest_bias) {
    const std::uint64_t wished = static_cast<std::uint64_t>(lowest_bias) + offset;
    // An address from 2^63 on counts as negative there; the LOADs ascend all the same.
    vaddr = std::max(vaddr, checked_add(align_up(wished - in_page, alignment), in_page));
  }
  return vaddr;
}

bool Draft::is_program() const {
  return image_->header().type == et::kExec || image_->find_segment(pt::kInterp) != nullptr;
}

bool Draft::build_load(const FileMap& map, std::uint64_t alignment, std::uint64_t header_bytes) {
  const bool outgrown = std::any_of(rooms.begin(), rooms.end(),
                                    [](const Room& room) { return room.used > room.capacity; });
  if (outgrown) return false;
  // The section header table, if the file ends with it, makes room and comes behind again.
  std::uint64_t begin = image_->file().size();
  if (!image_->sections().empty() && !displaces_section_headers_) {
    const auto tail = map.movable_tail(image_->header().shoff);
    if (tail && tail->begin == image_->header().shoff) begin = tail->begin;
  }
  NewLoad load;
  load.begin = align_up(begin, 8);
  std::uint64_t vaddr = new_load_address(load.begin, alignment);
  if (header_bytes != 0 && is_program()) {
    // Kernels before 5.18 compute AT_PHDR by the first LOAD's address and offset (I8): keep their
    // difference, even if that leaves a hole in the file as large as the zero-initialised memory.
    const Segment* first = image_->find_segment(pt::kLoad);
    if (first == nullptr) return false;
    const std::uint64_t bias = first->vaddr - first->offset;
    vaddr = align_up(std::max(vaddr, load.begin + bias), alignment);
    const std::uint64_t offset = vaddr - bias;
    if (offset % alignment != 0 || offset - load.begin > kLargestHole) return false;
    load.begin = offset;
  }
  std::stable_sort(pending.begin(), pending.end(), [&](const Pending& a, const Pending& b) {
    // A moved header table stands behind the strings, never at the start (GNU strip breaks such
    // files).
    const auto order = [&](TableKind kind) {
      return header_bytes != 0 && kind == TableKind::strings ? -1 : rank(kind);
    };
    return order(a.table.kind) < order(b.table.kind);
  });
  std::uint64_t at = load.begin;
  if (pending.empty() || has_header(pending.front().table.kind)) at += kLoadPad;
  std::uint32_t flags = pf::kRead;
  bool headers_placed = header_bytes == 0;
  const auto place_headers = [&] {
    if (std::exchange(headers_placed, true)) return;
    at = align_up(at, 8);
    phoff_ = at;
    at += header_bytes;
  };
  for (const Pending& item : pending) {
    at = place_at(at, item.table.align, phase_of(item.table));
    const std::uint64_t reserve = item.table.kind == TableKind::strings ? kStringReserve : 0;
    place(item.table, at, vaddr + (at - load.begin), item.size + reserve);
    at += item.size + reserve;
    if (item.table.kind == TableKind::dynamic) {
      for (const Segment& other : image_->segments()) {
        const bool holds = other.type == pt::kLoad && item.table.vaddr >= other.vaddr &&
                           item.table.vaddr < other.vaddr + other.memsz;
        if (holds) flags |= other.flags & pf::kWrite;
      }
    }
    place_headers();
  }
  place_headers();
  load.end = at;

  Segment segment;
  segment.type = pt::kLoad;
  segment.flags = flags;
  segment.offset = load.begin;
  segment.vaddr = vaddr;
  segment.paddr = vaddr;
  segment.filesz = segment.memsz = at - load.begin;
  segment.align = alignment;
  const bool has_no_paddr =
      std::all_of(segments_.begin(), segments_.end(),
                  [](const Segment& other) { return other.type != pt::kLoad || other.paddr == 0; });
  if (has_no_paddr) segment.paddr = 0;
  if (!image_->is_64()) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
    if (load.end >= kLimit || vaddr + segment.memsz >= kLimit) return false;
  }
  load.segment = segment;
  new_load_ = load;
  pending.clear();
  insert_segment(segment);
  steps.push_back(fmt::format("a new LOAD at {:#x} of {} bytes", vaddr, segment.memsz));
  return true;
}

/// LOADs ascend by address and ours is the highest: directly behind the last one.
void Draft::insert_segment(const Segment& segment) {
  auto behind = segments_.begin();
  for (auto it = segments_.begin(); it != segments_.end(); ++it) {
    if (it->type == pt::kLoad) behind = it + 1;
  }
  segments_.insert(behind, segment);
}

}  // namespace truewheel::elf
