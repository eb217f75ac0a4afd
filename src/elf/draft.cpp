// SPDX-License-Identifier: Apache-2.0
#include "elf/draft.hpp"

#include "base/checked_math.hpp"
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

/// Order inside a new LOAD: what no header points at comes first; .dynstr last, so that it can grow
/// there.
int rank(TableKind kind) {
  switch (kind) {
    case TableKind::notes:
      return 1;
    case TableKind::interpreter:
      return 2;
    case TableKind::dynamic:
      return 3;
    case TableKind::strings:
      return 4;
    default:
      return 0;
  }
}

bool has_header(TableKind kind) {
  return kind == TableKind::notes || kind == TableKind::interpreter || kind == TableKind::dynamic;
}

std::optional<std::uint64_t> phase_of(const Table& table) {
  return table.keep_phase ? std::optional(table.offset) : std::nullopt;
}

bool points_at(std::uint32_t segment_type, TableKind kind) {
  switch (kind) {
    case TableKind::notes:
      return segment_type == pt::kNote || segment_type == pt::kGnuProperty;
    case TableKind::interpreter:
      return segment_type == pt::kInterp;
    case TableKind::dynamic:
      return segment_type == pt::kDynamic;
    default:
      return false;
  }
}

/// Leaves notes that the segment began with out of it.
void narrow_to(Segment& segment, const Table& table) {
  segment.paddr += table.offset - segment.offset;
  segment.vaddr = table.vaddr;
  segment.offset = table.offset;
  segment.filesz = segment.memsz = table.size;
}

Segment new_stack_header() {
  Segment stack;
  stack.type = pt::kGnuStack;
  stack.flags = pf::kRead | pf::kWrite;
  stack.align = 16;
  return stack;
}

bool differs(const Section& a, const Section& b) {
  return a.addr != b.addr || a.offset != b.offset || a.size != b.size;
}

}  // namespace

Draft::Draft(const ElfImage& image, std::vector<Room> free_rooms)
    : rooms(std::move(free_rooms)),
      image_(&image),
      segments_(image.segments()),
      phoff_(image.header().phoff) {}

void Draft::place(const Table& table, std::uint64_t offset, std::uint64_t vaddr,
                  std::uint64_t size) {
  moves_.push_back({table, offset, vaddr, size});
}

void Draft::place_in_rooms(Growth growth) {
  std::stable_sort(pending.begin(), pending.end(), [&](const Pending& a, const Pending& b) {
    // At the end of the file the strings come last, else the largest first.
    if (growth == Growth::yes) return rank(a.table.kind) < rank(b.table.kind);
    return a.size > b.size;
  });
  const Segment* dynamic = image_->dynamic_segment();
  const bool must_be_writable = dynamic != nullptr && [&] {
    return std::any_of(
        image_->segments().begin(), image_->segments().end(), [&](const Segment& load) {
          return load.type == pt::kLoad && (load.flags & pf::kWrite) != 0 &&
                 dynamic->vaddr >= load.vaddr && dynamic->vaddr < load.vaddr + load.memsz;
        });
  }();
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

/// Makes what stands in a slot's way pending, and PT_PHDR as large as the table will be.
bool Draft::evict(const std::vector<Table>& tables, const HeaderSlot& slot) {
  if (slot.source == HeaderSlot::Source::growth) {
    const std::uint64_t headers_end =
        phoff_ + (segments_.size() + 1) * sizes_of(image_->header().bits).segment;
    const bool collides = std::any_of(moves_.begin(), moves_.end(), [&](const Move& move) {
      return move.offset < headers_end && phoff_ < move.offset + move.size;
    });
    if (collides) return false;
  }
  for (const std::size_t index : slot.evicted) {
    const Table& table = tables[index];
    overwrites = true;
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
  const std::uint64_t entry_size = sizes_of(image_->header().bits).segment;
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
      phoff_ + (segments_.size() + 1) * sizes_of(image_->header().bits).segment;
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

void Draft::update_moved(Layout& layout) const {
  for (const Room& room : rooms) {
    if (room.used == 0) continue;
    for (Segment& segment : layout.segments) {
      if (segment.type != pt::kLoad || segment.vaddr != image_->segments()[room.segment].vaddr)
        continue;
      segment.filesz = std::max(segment.filesz, room.offset + room.used - segment.offset);
      segment.memsz = segment.filesz;
    }
  }
  // Compare with the old places, for tables move in chains.
  for (const Move& move : moves_) {
    const Table& table = move.table;
    for (Segment& segment : layout.segments) {
      if (!points_at(segment.type, table.kind) || segment.filesz == 0) continue;
      if (segment.offset < table.offset || segment.offset >= table.end()) continue;
      segment.paddr += move.vaddr - table.vaddr;
      segment.vaddr += move.vaddr - table.vaddr;
      segment.offset += move.offset - table.offset;
      if (table.kind == TableKind::dynamic || table.kind == TableKind::interpreter)
        segment.filesz = segment.memsz = move.size;
    }
    const auto own = section_of(*image_, table);
    for (std::size_t i = 0; i < layout.sections.size(); ++i) {
      const Section& old = image_->sections()[i];
      if ((old.flags & shf::kAlloc) == 0 || old.type == sht::kNobits || old.size == 0) continue;
      if (old.offset < table.offset || old.offset + old.size > table.end()) {
        if (own != i) continue;
      }
      // A section of the table's own is put right where it says another offset.
      const std::uint64_t inside = own == i ? 0 : old.offset - table.offset;
      if (old.addr - table.vaddr != inside) continue;
      layout.sections[i].addr = move.vaddr + inside;
      layout.sections[i].offset = move.offset + inside;
      const bool is_interpreter =
          table.kind == TableKind::interpreter && old.offset == table.offset;
      if ((own == i || is_interpreter) && move.size != table.size)
        layout.sections[i].size = move.size;
    }
  }
}

bool Draft::empties_load(const Layout& layout) const {
  const auto count_inside = [](const Segment& load, const std::vector<Section>& sections) {
    return std::count_if(sections.begin(), sections.end(), [&](const Section& section) {
      return (section.flags & shf::kAlloc) != 0 && section.size != 0 &&
             section.addr >= load.vaddr && section.addr < load.vaddr + load.memsz;
    });
  };
  return std::any_of(
      image_->segments().begin(), image_->segments().end(), [&](const Segment& load) {
        return load.type == pt::kLoad && count_inside(load, image_->sections()) != 0 &&
               count_inside(load, layout.sections) == 0;
      });
}

/// Sections without bytes have an offset all the same. llvm-objcopy and eu-strip put it behind the
/// last LOAD; where tables come to lie around it libelf fills the file with zeros from there, and
/// eu-elflint takes the section's bytes for read from the file. An empty section gets the offset
/// that goes with its address; a zero-initialised one, whose address may be past its LOAD's bytes,
/// goes behind.
void Draft::keep_empty_sections_out(std::uint64_t insertion, std::uint64_t end,
                                    Layout& layout) const {
  const auto own_place = [&](const Section& section) -> std::optional<std::uint64_t> {
    if ((section.flags & shf::kAlloc) == 0 || section.type == sht::kNobits) return std::nullopt;
    for (const Segment& load : image_->segments()) {
      const bool holds = load.type == pt::kLoad && section.addr >= load.vaddr &&
                         section.addr <= load.vaddr + load.memsz;
      if (holds) return load.offset + std::min(load.filesz, section.addr - load.vaddr);
    }
    return std::nullopt;
  };
  const auto ends_its_load = [&](const Section& section) {
    return std::any_of(image_->segments().begin(), image_->segments().end(),
                       [&](const Segment& load) {
                         return load.type == pt::kLoad && section.addr >= load.vaddr &&
                                section.addr < load.vaddr + load.memsz &&
                                section.offset <= load.offset + load.filesz;
                       });
  };
  for (std::size_t i = 0; i < layout.sections.size(); ++i) {
    Section& section = layout.sections[i];
    const bool is_empty = section.type == sht::kNobits || section.size == 0;
    if (!is_empty || section.type == sht::kNull || differs(section, image_->sections()[i]))
      continue;
    const std::optional<std::uint64_t> place = own_place(section);
    const bool in_gain = section.offset >= insertion && section.offset < layout.size;
    if (in_gain && section.offset != place && !ends_its_load(section)) {
      section.offset =
          place.value_or(std::max(end, section.offset + (layout.size - image_->file().size())));
    }
    for (const Move& move : moves_) {
      if (section.offset <= move.offset || section.offset >= move.offset + move.size) continue;
      section.offset = place.value_or(move.offset + move.size);
    }
  }
}

void Draft::place_section_headers(const FileMap& map, Layout& layout) const {
  const std::uint64_t old_size = image_->file().size();
  layout.keep = old_size;
  layout.size = old_size;
  // What is put in front of the file's unloaded rest pushes it back.
  std::optional<FileMap::Tail> tail;
  std::uint64_t end = 0, insertion = old_size;
  for (const Room& room : rooms) {
    if (room.used <= room.capacity) continue;
    tail = map.movable_tail(room.load_end);
    end = room.offset + room.used;
    insertion = room.load_end;
  }
  if (new_load_) {
    end = new_load_->end;
    if (new_load_->begin < old_size) tail = map.movable_tail(image_->header().shoff);
    insertion = std::min(new_load_->begin, old_size);
  }
  const bool has_sections = !image_->sections().empty();
  if (tail && tail->begin < old_size && end > tail->begin) {
    layout.keep = tail->begin;
    layout.tail_shift = align_up(end - tail->begin, tail->align);
    layout.size = old_size + layout.tail_shift;
    for (Section& section : layout.sections) {
      const bool loaded = (section.flags & shf::kAlloc) != 0 || section.type == sht::kNull;
      if (!loaded && section.offset >= tail->begin) section.offset += layout.tail_shift;
    }
    if (has_sections && layout.shoff >= tail->begin) layout.shoff += layout.tail_shift;
  } else {
    layout.size = std::max(old_size, end);
  }
  if (!has_sections) return;
  keep_empty_sections_out(insertion, end, layout);
  // A table that a LOAD maps stays as it is, as every other loaded byte; the new one stands at the
  // end.
  bool changed = sections_change;
  for (std::size_t i = 0; i < layout.sections.size(); ++i) {
    changed = changed || differs(layout.sections[i], image_->sections()[i]);
  }
  if (displaces_section_headers_ || (changed && map.section_headers_are_loaded())) {
    layout.shoff = align_up(layout.size, 8);
    layout.size = layout.shoff + layout.sections.size() * sizes_of(image_->header().bits).section;
  }
}

Layout Draft::finish(const FileMap& map) const {
  Layout layout;
  layout.segments = segments_;
  layout.sections = image_->sections();
  layout.phoff = phoff_;
  layout.shoff = image_->header().shoff;
  layout.moves = moves_;
  layout.overwrites = overwrites;
  layout.moves_notes = moves_notes_;
  layout.moves_headers = moves_headers_;
  layout.steps = steps;
  for (Segment& segment : layout.segments) {
    if (interpreter && segment.type == pt::kInterp) narrow_to(segment, *interpreter);
  }
  update_moved(layout);
  place_section_headers(map, layout);
  layout.growth = layout.size - image_->file().size();
  layout.empties_load = empties_load(layout);
  for (const Move& move : moves_) {
    layout.rewritten += move.offset == move.table.offset ? move.size - move.table.size : move.size;
  }
  return layout;
}

}  // namespace truewheel::elf
