// SPDX-License-Identifier: Apache-2.0
//
// Headers that follow what has moved, and what it costs.
#include "base/checked_math.hpp"
#include "elf/draft.hpp"
#include "elf/emptied_load.hpp"
#include "elf/exposed_sections.hpp"
#include "elf/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

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

bool differs(const Section& a, const Section& b) {
  return a.addr != b.addr || a.offset != b.offset || a.size != b.size;
}

/// The LOAD of the input, as it is now: none if its header is another's, or unused.
std::vector<Segment>::iterator find_kept(std::vector<Segment>& segments, const Segment& load) {
  return std::find_if(segments.begin(), segments.end(), [&](const Segment& other) {
    return other.type == pt::kLoad && other.vaddr == load.vaddr && other.offset == load.offset;
  });
}

/// The offset that goes with the address of a section without bytes; none for one of zeros.
std::optional<std::uint64_t> place_of_empty(const Section& section,
                                            const std::vector<Segment>& segments) {
  if ((section.flags & shf::kAlloc) == 0 || section.type == sht::kNobits) return std::nullopt;
  for (const Segment& load : segments) {
    const bool holds = load.type == pt::kLoad && section.addr >= load.vaddr &&
                       section.addr <= load.vaddr + load.memsz;
    if (holds) return load.offset + std::min(load.filesz, section.addr - load.vaddr);
  }
  return std::nullopt;
}

}  // namespace

/// llvm-strip leaves the section of .dynstr at another offset in files of old patchelf, and
/// eu-strip then clears the strings. Loaders go by the address.
void Draft::put_strings_section_right(Layout& layout) const {
  const auto vaddr = image_->dynamic_value(dt::kStrTab);
  if (!vaddr) return;
  const Table strings{TableKind::strings, *vaddr, image_->dynstr_offset(), image_->dynstr_size()};
  const auto own = section_of(*image_, strings);
  if (!own || layout.sections[*own].size != strings.size) return;
  // Another one that has these bytes may be the one that is right.
  const auto is_there = [&](const Section& other) {
    return &other != &layout.sections[*own] && other.type != sht::kNull &&
           other.type != sht::kNobits && other.offset < strings.end() &&
           strings.offset < other.offset + other.size && other.size != 0;
  };
  if (std::none_of(layout.sections.begin(), layout.sections.end(), is_there))
    layout.sections[*own].offset = strings.offset;
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
  // Compare with the old places, for tables move in chains: a header that has moved stays there,
  // also where another table of its kind was.
  std::vector<bool> has_moved(layout.segments.size(), false);
  for (const Move& move : moves_) {
    const Table& table = move.table;
    for (std::size_t i = 0; i < layout.segments.size(); ++i) {
      Segment& segment = layout.segments[i];
      if (!points_at(segment.type, table.kind) || segment.filesz == 0) continue;
      if (segment.offset < table.offset || segment.offset >= table.end()) continue;
      if (has_moved[i]) continue;
      has_moved[i] = true;
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

bool Draft::is_entered(const Segment& load) const {
  return std::any_of(moves_.begin(), moves_.end(), [&](const Move& move) {
    return move.vaddr >= load.vaddr && move.vaddr - load.vaddr < load.memsz;
  });
}

/// A LOAD that no section is in any more: GNU strip writes it with an offset that no loader takes.
/// Where it held nothing but tables nobody misses it, and its header becomes an unused one.
void Draft::give_up_emptied_loads(const FileMap& map, const std::vector<Table>& tables,
                                  Layout& layout) const {
  const auto holds_section = [](const Segment& load, const std::vector<Section>& sections) {
    return std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
      return (section.flags & shf::kAlloc) != 0 && section.size != 0 &&
             section.addr >= load.vaddr && section.addr < load.vaddr + load.memsz;
    });
  };
  const auto has_left = [&](std::size_t table) {
    return std::any_of(moves_.begin(), moves_.end(), [&](const Move& move) {
      return move.table.offset == tables[table].offset && move.offset != move.table.offset;
    });
  };
  for (const Segment& load : image_->segments()) {
    if (load.type != pt::kLoad || !holds_section(load, image_->sections())) continue;
    const auto own = find_kept(layout.segments, load);
    if (own == layout.segments.end()) continue;  // its header is another LOAD's by now
    if (holds_section(*own, layout.sections)) continue;
    const auto inside = tables_that_fill(*image_, map, tables, load);
    // By the length that it has now, for what moved may be at its new end.
    if (is_entered(*own) || inside.empty() ||
        !std::all_of(inside.begin(), inside.end(), has_left)) {
      layout.empties_load = true;
      continue;
    }
    *own = {};
    layout.steps.push_back(fmt::format("the LOAD at {:#x} gets empty and goes", load.vaddr));
  }
}

/// llvm-strip puts the offset of an empty section behind the last LOAD. Where that one goes, the
/// section would be in none.
void Draft::take_empty_sections_along(Layout& layout) const {
  for (const Segment& load : image_->segments()) {
    if (load.type != pt::kLoad || find_kept(layout.segments, load) != layout.segments.end())
      continue;
    for (Section& section : layout.sections) {
      if (section.size != 0 || section.offset < load.offset ||
          section.offset > load.offset + load.filesz)
        continue;
      section.offset = place_of_empty(section, layout.segments).value_or(section.offset);
    }
  }
}

/// Sections without bytes have an offset all the same. llvm-objcopy and eu-strip put it behind the
/// last LOAD; where tables come to lie around it libelf fills the file with zeros from there, and
/// eu-elflint takes the section's bytes for read from the file. An empty section gets the offset
/// that goes with its address; a zero-initialised one, whose address may be past its LOAD's bytes,
/// goes behind.
void Draft::keep_empty_sections_out(std::uint64_t insertion, std::uint64_t end,
                                    Layout& layout) const {
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
    const std::optional<std::uint64_t> place = place_of_empty(section, image_->segments());
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

/// patchelf moves headers of sections without bytes, like .bss, right behind the program headers.
/// GNU strip pushes what stands there back when these have grown over it; a header that begins
/// behind them says no more and no less.
void Draft::keep_headers_clear(Layout& layout) const {
  const std::uint64_t size = sizes_of(image_->header().bits).segment;
  const std::uint64_t begin = phoff_ + image_->segments().size() * size;
  const std::uint64_t end = phoff_ + layout.segments.size() * size;
  if (phoff_ != image_->header().phoff || begin >= end) return;
  for (Section& section : layout.sections) {
    const auto place =
        section.type == sht::kNobits && section.size != 0 && (section.flags & shf::kAlloc) != 0
            ? image_->offset_of(section.addr)
            : std::nullopt;
    if (!place || *place >= end || *place + section.size <= begin) continue;
    const std::uint64_t cut = std::min(end - *place, section.size);
    section.addr += cut;
    section.offset += cut;
    section.size -= cut;
  }
}

/// Old patchelf puts PT_DYNAMIC, PT_NOTE and PT_INTERP before the LOAD that begins with their
/// bytes, which llvm-objcopy then takes for theirs: the LOAD gets their alignment, and no loader
/// takes it. Only PT_PHDR, and a PT_INTERP that no LOAD is before, stand before LOADs for a reason
/// (gABI, "Program Header").
void Draft::put_loads_first(Layout& layout) const {
  auto& segments = layout.segments;
  const auto first_load = std::find_if(segments.begin(), segments.end(), [](const Segment& other) {
    return other.type == pt::kLoad;
  });
  const auto loads_begin = static_cast<std::size_t>(first_load - segments.begin());
  for (std::size_t i = segments.size(); i-- > 0;) {
    const Segment segment = segments[i];
    if (segment.type == pt::kLoad || segment.type == pt::kNull || segment.type == pt::kPhdr ||
        segment.filesz == 0 || (segment.type == pt::kInterp && i < loads_begin)) {
      continue;
    }
    const auto load = std::find_if(segments.begin() + static_cast<std::ptrdiff_t>(i),
                                   segments.end(), [&](const Segment& other) {
                                     return other.type == pt::kLoad && other.filesz != 0 &&
                                            other.offset == segment.offset;
                                   });
    if (load == segments.end()) continue;
    std::rotate(segments.begin() + static_cast<std::ptrdiff_t>(i),
                segments.begin() + static_cast<std::ptrdiff_t>(i) + 1, load + 1);
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

Layout Draft::finish(const FileMap& map, const std::vector<Table>& tables) const {
  Layout layout;
  layout.segments = segments_;
  layout.sections = image_->sections();
  layout.phoff = phoff_;
  layout.shoff = image_->header().shoff;
  layout.moves = moves_;
  layout.overwrites = overwrites;
  layout.moves_notes = moves_notes_;
  layout.moves_headers = moves_headers_;
  layout.leaves_sections = image_->distrusts_sections() && (!moves_.empty() || new_load_);
  layout.steps = steps;
  for (Segment& segment : layout.segments) {
    if (interpreter && segment.type == pt::kInterp) narrow_to(segment, *interpreter);
  }
  put_strings_section_right(layout);
  update_moved(layout);
  keep_headers_clear(layout);
  put_loads_first(layout);
  place_section_headers(map, layout);
  layout.growth = layout.size - image_->file().size();
  layout.buries_payload = layout.growth != 0 && layout.tail_shift == 0 && map.has_payload();
  give_up_emptied_loads(map, tables, layout);
  take_empty_sections_along(layout);
  layout.exposes_sections =
      exposes_sections(image_->header(), layout.segments, layout.sections) &&
      !exposes_sections(image_->header(), image_->segments(), image_->sections());
  for (const Move& move : moves_) {
    layout.rewritten += move.offset == move.table.offset ? move.size - move.table.size : move.size;
  }
  return layout;
}

}  // namespace truewheel::elf
