// SPDX-License-Identifier: Apache-2.0
#include "elf/layout.hpp"

#include "elf/draft.hpp"
#include "elf/format.hpp"
#include "elf/ground.hpp"
#include "elf/header_slots.hpp"
#include "elf/rooms.hpp"
#include "elf/stand_in.hpp"
#include "elf/string_drafts.hpp"

#include <algorithm>
#include <tuple>

namespace truewheel::elf {

namespace {

/// Spare entries that a moved .dynamic gets, so that the next edit finds some.
constexpr std::uint64_t kSpareSlots = 8;
/// Program headers that old patchelf is left room for where its own way of making some would fail.
/// It adds one, and leaves the section headers in an order in which it makes room itself.
constexpr std::uint64_t kSpareHeaders = 1;

/// Processor tags whose values are known not to depend on where .dynamic lies, DT_MIPS_RLD_MAP_REL
/// apart, which the writer corrects (E44 of tests/elf_cases).
bool knows_processor_tags(const ElfImage& image) {
  const auto is_known_machine = [&] {
    switch (image.header().machine) {
      case em::kX86_64:
      case em::k386:
      case em::kAarch64:
      case em::kArm:
      case em::kPpc:
      case em::kPpc64:
      case em::kS390:
      case em::kRiscv:
      case em::kMips:
      case em::kSparc:
      case em::kSparc32Plus:
      case em::kSparcV9:
      case em::kAlpha:
      case em::kIa64:
      case em::kLoongArch:
        return true;
      default:
        return false;
    }
  }();
  return std::all_of(
      image.dynamic().begin(), image.dynamic().end(), [&](const DynamicEntry& entry) {
        const bool is_processor_tag = entry.tag >= dt::kProcessorLow && entry.tag < dt::kAuxiliary;
        return !is_processor_tag || (is_known_machine && entry.tag <= dt::kMipsXhash);
      });
}

/// Why .dynamic must stay; nullopt when it may move.
std::optional<std::string> dynamic_obstacle(const ElfImage& image) {
  if (image.header().type == et::kDyn && image.find_segment(pt::kInterp) == nullptr &&
      image.header().entry != 0 && !image.dynamic_value(dt::kNeeded)) {
    return ".dynamic is full and must stay: a dynamic linker reaches its own _DYNAMIC from code";
  }
  if (!knows_processor_tags(image))
    return ".dynamic is full and must stay: a processor's tag in it is unknown";
  return std::nullopt;
}

/// Rung S4 for .dynamic: it grows where it ends its LOAD. Even one that must stay may, and a LOAD
/// of its own keeps its section.
std::optional<Draft> with_grown_dynamic(const Table& dynamic, Draft draft, std::uint64_t least,
                                        std::uint64_t best) {
  for (Room& room : draft.rooms) {
    const bool is_behind = room.offset == dynamic.end() && room.used == 0 &&
                           room.vaddr - room.offset == dynamic.vaddr - dynamic.offset;
    if (!is_behind) continue;
    for (const std::uint64_t size : {best, least}) {
      if (size < dynamic.size || !room.take(size - dynamic.size, 1, std::nullopt, false)) continue;
      draft.place(dynamic, dynamic.offset, dynamic.vaddr, size);
      draft.steps.emplace_back(".dynamic grows where it ends its LOAD");
      return draft;
    }
  }
  return std::nullopt;
}

/// .dynamic with `least` bytes in each draft: moved, with room for later entries, or grown.
std::vector<Draft> draft_dynamic(const Ground& ground, const std::vector<Draft>& drafts,
                                 std::uint64_t least) {
  const Table& dynamic = ground.tables[*ground.find(TableKind::dynamic)];
  const std::uint64_t best = least + kSpareSlots * sizes_of(ground.image.header().bits).dynamic;
  const auto obstacle = dynamic_obstacle(ground.image);
  std::vector<Draft> result;
  for (const Draft& draft : drafts) {
    if (auto grown = with_grown_dynamic(dynamic, draft, least, best))
      result.push_back(std::move(*grown));
    if (obstacle) continue;
    Draft moved = draft;
    moved.pending.push_back({dynamic, best});
    moved.steps.emplace_back(".dynamic is full and moves, with room for later entries");
    for (Draft& other : with_stand_in(ground, dynamic, moved)) result.push_back(std::move(other));
    result.push_back(std::move(moved));
  }
  if (result.empty() && obstacle && !drafts.empty())
    throw Error(ErrorKind::refused, "elf-dynamic-fixed", *obstacle);
  return result;
}

/// Puts what a draft has pending into zero-cost rooms; the rest goes to the end of the file in
/// every possible way.
void finish_draft(const Ground& ground, Draft draft, const std::vector<HeaderSlot>& slots,
                  std::vector<Layout>& layouts) {
  draft.place_in_rooms(Draft::Growth::no);
  if (draft.pending.empty()) {
    layouts.push_back(draft.finish(ground.map, ground.tables));
    return;
  }
  if (Draft grown = draft; grown.place_in_rooms(Draft::Growth::yes), grown.pending.empty()) {
    layouts.push_back(grown.finish(ground.map, ground.tables));
  }
  for (const HeaderSlot& slot : slots) {
    Draft with_load = draft;
    if (with_load.add_load(ground.map, ground.tables, slot, ground.alignment)) {
      layouts.push_back(with_load.finish(ground.map, ground.tables));
    }
  }
}

/// PT_GNU_STACK in each slot that there is; a LOAD that the rest needs gets another one.
void finish_with_stack_header(const Ground& ground, const Draft& draft,
                              const std::vector<HeaderSlot>& slots,
                              const std::vector<HeaderSlot>& double_slots,
                              std::vector<Layout>& layouts) {
  for (const HeaderSlot& slot : slots) {
    if (slot.source == HeaderSlot::Source::emptied_load) continue;
    Draft with_header = draft;
    if (!with_header.add_stack_header(ground.tables, slot)) continue;
    std::vector<HeaderSlot> others;
    for (const HeaderSlot& other : slots) {
      if (other.source != slot.source) others.push_back(other);
    }
    // The table may grow by a second entry.
    for (const HeaderSlot& other : double_slots) {
      if (other.source == HeaderSlot::Source::growth && other.source == slot.source)
        others.push_back(other);
    }
    finish_draft(ground, std::move(with_header), others, layouts);
  }
}

/// The drafts that can leave room for old patchelf's next program header, doing so.
std::vector<Draft> with_spare_room(const Ground& ground, const std::vector<Draft>& drafts,
                                   DynamicMoves dynamic_moves) {
  std::vector<Draft> result;
  const auto room =
      find_spare_room(ground.image, ground.map, ground.tables, dynamic_moves, kSpareHeaders);
  if (!room) return result;
  for (Draft draft : drafts) {
    if (draft.leave_room(ground.tables, *room)) result.push_back(std::move(draft));
  }
  return result;
}

/// Rung S6. Not with PT_PHDR-less rules of its own: it is tried only where nothing else is
/// possible.
void finish_with_moved_headers(const Ground& ground, Draft draft, std::vector<Layout>& layouts) {
  draft.place_in_rooms(Draft::Growth::no);
  for (const auto place : {Draft::Headers::in_first_load, Draft::Headers::in_new_load}) {
    Draft moved = draft;
    if (moved.add_load_and_move_headers(ground.map, place, ground.alignment)) {
      layouts.push_back(moved.finish(ground.map, ground.tables));
      return;
    }
  }
}

const Layout& best_of(const std::vector<Layout>& layouts, const std::vector<std::string>& reasons) {
  if (layouts.empty()) {
    std::string all = "there is no room for what the edit adds";
    for (auto reason = reasons.begin(); reason != reasons.end(); ++reason) {
      // Two ways may fail for one reason.
      if (std::find(reasons.begin(), reason, *reason) == reason) all += "; " + *reason;
    }
    throw Error(ErrorKind::refused, "elf-no-room", all);
  }
  return *std::min_element(layouts.begin(), layouts.end(), [](const Layout& a, const Layout& b) {
    return std::tie(a.empties_load, a.exposes_sections, a.growth, a.overwrites, a.moves_notes,
                    a.rewritten) < std::tie(b.empties_load, b.exposes_sections, b.growth,
                                            b.overwrites, b.moves_notes, b.rewritten);
  });
}

}  // namespace

const Move* Layout::find(TableKind kind) const {
  const auto found = std::find_if(moves.begin(), moves.end(),
                                  [&](const Move& move) { return move.table.kind == kind; });
  return found == moves.end() ? nullptr : &*found;
}

std::uint64_t dynamic_slots(const ElfImage& image) {
  const Segment* dynamic = image.dynamic_segment();
  if (dynamic == nullptr) return 0;
  std::uint64_t size = dynamic->filesz;
  const Table table{TableKind::dynamic, dynamic->vaddr, dynamic->offset, dynamic->filesz};
  if (const auto section = section_of(image, table))
    size = std::min(size, image.sections()[*section].size);
  return size / sizes_of(image.header().bits).dynamic;
}

Layout choose_layout(const ElfImage& image, const LayoutRequest& request,
                     const EditOptions& options) {
  const bool dynamic_moves = request.dynamic_slots > dynamic_slots(image);
  const bool strings_grow = request.strings_size > image.dynstr_size();
  const auto interpreter = request.interpreter_size == 0 ? std::nullopt : interpreter_table(image);
  const bool interpreter_moves =
      interpreter && request.interpreter_size > interpreter_room(image, *interpreter);
  if (!dynamic_moves && !strings_grow && !interpreter_moves && !request.stack_header) {
    Draft in_place(image, {});
    in_place.sections_change = request.sections_change;
    in_place.interpreter = interpreter;
    return in_place.finish(FileMap(image), {});
  }

  std::vector<std::string> reasons;
  const Ground ground(image, options);
  std::vector<Draft> drafts = draft_strings(ground, request.strings_size);
  for (Draft& draft : drafts) {
    draft.sections_change = request.sections_change;
    draft.interpreter = interpreter;
  }
  if (dynamic_moves) {
    drafts = draft_dynamic(ground, drafts,
                           request.dynamic_slots * sizes_of(image.header().bits).dynamic);
  }

  if (interpreter_moves) {
    const auto index = ground.find(TableKind::interpreter);
    if (!index || !ground.tables[*index].movable) {
      throw Error(ErrorKind::refused, "elf-interpreter-fixed",
                  "the new interpreter is longer than the old one, which cannot move: PT_INTERP is "
                  "in no LOAD or overlaps another table");
    }
    for (Draft& draft : drafts)
      draft.pending.push_back({ground.tables[*index], request.interpreter_size});
  }

  if (drafts.empty())
    reasons.emplace_back(
        ".dynstr cannot move, nor what stands behind it: it overlaps another table, "
        "its section says something else, or its place tells how many symbols there are");
  std::vector<Layout> layouts;
  const auto try_rooms = [&](const std::vector<Draft>& from) {
    if (request.stack_header) return;
    for (const Draft& draft : from) finish_draft(ground, draft, {}, layouts);
  };
  const auto try_slots = [&](const std::vector<Draft>& from, DynamicMoves moves,
                             std::uint64_t spare) {
    const auto find_slots = [&](std::vector<std::string>& why, std::uint64_t entries) {
      return find_header_slots(image, ground.map, ground.tables, moves, why, entries, spare);
    };
    const auto slots = find_slots(reasons, 1);
    if (!request.stack_header) {
      for (const Draft& draft : from) finish_draft(ground, draft, slots, layouts);
      return;
    }
    std::vector<std::string> known;
    const auto double_slots = find_slots(known, 2);
    for (const Draft& draft : from)
      finish_with_stack_header(ground, draft, slots, double_slots, layouts);
  };
  try_rooms(drafts);
  const auto is_free = [](const Layout& layout) {
    return layout.growth == 0 && !layout.empties_load;
  };
  DynamicMoves moves = dynamic_moves ? DynamicMoves::yes : DynamicMoves::no;
  // Only now look for a program header: the veto list reads all relocations.
  if (std::none_of(layouts.begin(), layouts.end(), is_free)) try_slots(drafts, moves, 0);
  // Programs of old patchelf have .dynamic right behind the program headers.
  if (layouts.empty() && !dynamic_moves && !dynamic_obstacle(image)) {
    moves = DynamicMoves::yes;
    try_slots(drafts, moves, 0);
  }
  if (!layouts.empty() && best_of(layouts, reasons).exposes_sections) {
    const std::vector<Draft> roomy = with_spare_room(ground, drafts, moves);
    try_rooms(roomy);
    try_slots(roomy, moves, kSpareHeaders);
  }
  if (layouts.empty()) {
    for (Draft& draft : drafts) {
      if (request.stack_header) draft.append_stack_header();
      finish_with_moved_headers(ground, draft, layouts);
    }
  }
  return best_of(layouts, reasons);
}

}  // namespace truewheel::elf
