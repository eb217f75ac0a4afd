// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include "elf/layout.hpp"
#include "elf/loads.hpp"
#include "elf/relocations.hpp"
#include "elf/rewrite.hpp"
#include "elf/string_census.hpp"
#include "elf/string_table.hpp"
#include "elf/tables.hpp"
#include "elf/wish.hpp"
#include <truewheel/elf.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

/// The interpreter's bytes are written over: they must be its own.
void refuse_shared_interpreter(const ElfImage& image, const std::vector<Table>& tables) {
  const Table own = *interpreter_table(image);
  const Sizes& sizes = sizes_of(image.header().bits);
  const auto overlaps = [&](std::uint64_t begin, std::uint64_t end) {
    return begin < own.end() && own.offset < end;
  };
  const char* other = nullptr;
  for (const Table& table : tables) {
    if (table.kind != TableKind::interpreter && overlaps(table.offset, table.end()))
      other = table_name(table.kind);
  }
  for (const Section& section : image.sections()) {
    const bool has_bytes = (section.flags & shf::kAlloc) != 0 && section.type != sht::kNobits;
    if (has_bytes && section.size != 0 && section.offset != own.offset &&
        overlaps(section.offset, section.offset + section.size)) {
      other = "a section";
    }
  }
  const Header& header = image.header();
  if (overlaps(0, sizes.header) ||
      overlaps(header.phoff, header.phoff + header.phnum * sizes.segment) ||
      (!image.sections().empty() &&
       overlaps(header.shoff, header.shoff + image.sections().size() * sizes.section))) {
    other = "the headers";
  }
  if (other != nullptr) {
    throw Error(ErrorKind::refused, "elf-tables-overlap",
                fmt::format("PT_INTERP and {} overlap", other));
  }
}

/// The byte of EI_OSABI is written over: a segment that begins within the ELF header may have it
/// for its own, as the NUL of PT_INTERP.
void refuse_shared_ident(const ElfImage& image) {
  constexpr std::uint64_t kIdentSize = 16;
  for (const Segment& segment : image.segments()) {
    const bool is_read = segment.type == pt::kInterp || segment.type == pt::kDynamic ||
                         segment.type == pt::kNote || segment.type == pt::kGnuProperty;
    if (is_read && segment.filesz != 0 && segment.offset < kIdentSize) {
      throw Error(
          ErrorKind::refused, "elf-tables-overlap",
          fmt::format("a program header of type {:#x} and the ELF header overlap", segment.type));
    }
  }
}

/// The loader writes an address into DT_DEBUG.
void refuse_debug_tag_in_read_only_section(const ElfImage& image, const Wish& wish) {
  const auto is_debug = [](const WantedEntry& entry) { return entry.tag == dt::kDebug; };
  if (image.dynamic_value(dt::kDebug) ||
      std::none_of(wish.entries.begin(), wish.entries.end(), is_debug) ||
      is_writable(image.segments(), image.dynamic_segment()->vaddr)) {
    return;
  }
  throw Error(ErrorKind::refused, "elf-dynamic-read-only",
              "the dynamic section is read-only, and the loader would write to its DT_DEBUG");
}

/// Files that load as they are, but in which a change would break something that this editor does
/// not understand (docs/elf-rewriting.md, Refusals).
void refuse_uneditable(const ElfImage& image, const Wish& wish) {
  if (image.dynamic().empty()) {
    // The kernel reads PT_INTERP whatever else the file has; a name that fits needs no more.
    if (wish.changes_interpreter_only() &&
        wish.interpreter->size() < interpreter_room(image, *interpreter_table(image)))
      return refuse_shared_interpreter(image, find_tables(image));
    throw Error(ErrorKind::refused, "elf-not-dynamic", "the file has no dynamic section to edit");
  }
  if ((image.dynamic_flags_1() & df::kPie1) != 0 && image.find_segment(pt::kInterp) == nullptr) {
    throw Error(ErrorKind::refused, "elf-static",
                "a static program has no dynamic linker that would read the change");
  }
  if (image.dynamic_value(dt::kGnuPrelinked) || image.dynamic_value(dt::kChecksum)) {
    throw Error(ErrorKind::refused, "elf-prelinked",
                "the file is prelinked: a change voids its checksum",
                "undo it first with prelink --undo");
  }
  refuse_debug_tag_in_read_only_section(image, wish);
  const Sizes& sizes = sizes_of(image.header().bits);
  const std::uint64_t headers = image.header().phoff;
  const std::uint64_t headers_end = headers + image.header().phnum * sizes.segment;
  const Table* previous = nullptr;
  const std::vector<Table> tables = find_tables(image);
  for (const Table& table : tables) {
    // Old patchelf left PT_NOTEs behind where its program headers are now; nobody edits those.
    if (table.kind == TableKind::notes) continue;
    if (table.kind == TableKind::interpreter) continue;
    const bool hits_headers =
        table.offset < sizes.header || (table.offset < headers_end && headers < table.end());
    if (hits_headers || (previous != nullptr && table.offset < previous->end())) {
      throw Error(ErrorKind::refused, "elf-tables-overlap",
                  fmt::format("{} and {} overlap", table_name(table.kind),
                              hits_headers ? "the headers" : table_name(previous->kind)));
    }
    previous = &table;
  }
  for (const RelocationTable& relocations : find_relocation_tables(image)) {
    const auto overlaps = [&](std::uint64_t begin, std::uint64_t end) {
      return begin < relocations.end() && relocations.offset < end;
    };
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const Table& other) {
      return other.kind != TableKind::notes && overlaps(other.offset, other.end());
    });
    if (table != tables.end() || overlaps(0, sizes.header) || overlaps(headers, headers_end)) {
      throw Error(ErrorKind::refused, "elf-tables-overlap",
                  fmt::format("the relocations and {} overlap",
                              table == tables.end() ? "the headers" : table_name(table->kind)));
    }
  }
  if (wish.interpreter) refuse_shared_interpreter(image, tables);
  bool load_seen = false;
  for (const Segment& segment : image.segments()) {
    load_seen = load_seen || segment.type == pt::kLoad;
    if (segment.type != pt::kPhdr) continue;
    const bool covered = image.offset_of(segment.vaddr, segment.filesz) == segment.offset;
    if (load_seen || !covered) {
      throw Error(ErrorKind::refused, "elf-phdr", "PT_PHDR stands behind a LOAD or in none");
    }
  }
}

/// Where nothing states the number of symbols, what has its name past .dynstr is taken for none.
/// With a longer .dynstr it would be taken for one.
void require_same_symbols(const ElfImage& image, std::uint64_t strings_size) {
  if (strings_size <= image.dynstr_size()) return;
  const std::uint64_t count = image.dynamic_symbol_count();
  if (count == 0 || image.stated_symbol_count() != 0) return;
  const std::uint64_t behind =
      *image.dynamic_value(dt::kSymTab) + count * sizes_of(image.header().bits).symbol;
  const auto place = image.offset_of(behind, 4);
  const std::uint32_t name = place ? image.reader().u32(*place) : 0;
  if (place && name >= image.dynstr_size() && name < strings_size) {
    throw Error(ErrorKind::refused, "elf-symbol-count",
                "only the size of .dynstr tells how many symbols there are, and it would grow");
  }
}

/// Symbols that no LOAD maps are none; they must not come into being with what the edit maps.
void require_no_new_symbols(const ElfImage& image, const Layout& layout) {
  const auto symbols = image.dynamic_value(dt::kSymTab);
  if (!symbols || image.offset_of(*symbols, 1)) return;
  const bool is_mapped =
      std::any_of(layout.segments.begin(), layout.segments.end(), [&](const Segment& load) {
        return load.type == pt::kLoad && load.vaddr <= *symbols &&
               *symbols - load.vaddr < load.filesz;
      });
  if (is_mapped) {
    throw Error(ErrorKind::refused, "elf-symbol-count",
                "DT_SYMTAB points into no LOAD, and the edit would map what is there");
  }
}

std::string first_of(const Complaints& complaints) {
  constexpr std::size_t kMostNamed = 5;
  const auto told = static_cast<std::ptrdiff_t>(std::min(complaints.size(), kMostNamed));
  return join({complaints.begin(), complaints.begin() + told}, "; ");
}

}  // namespace

bool ElfEdit::empty() const {
  return !run_path && !soname && replace_needed.empty() && replace_filtees.empty() &&
         remove_needed.empty() && add_needed.empty() && !interpreter && !executable_stack &&
         !os_abi && !no_default_lib && !add_debug_tag && clear_symbol_versions.empty() &&
         rename_symbols.empty() && rename_versions.empty();
}

PatchList plan_edit(Bytes file, const ElfEdit& edit, const EditOptions& options) {
  PatchList nothing;
  nothing.keep = file.size();
  if (edit.empty()) return nothing;

  // S0: compare before touching anything, so that an edit that is in force already has no patch.
  const ElfImage image(file, DynamicBy::segment_or_section);
  const Wish wish = make_wish(image, edit);
  if (wish.changes_nothing()) return nothing;
  if (wish.os_abi) refuse_shared_ident(image);
  if (wish.changes_dynamic_linking() || wish.adds_stack_header) refuse_uneditable(image, wish);

  // S1, S2: strings, with the census of who uses which byte.
  StringPlan strings;
  strings.size = image.dynstr_size();
  StringCensus census = take_string_census(image, wish.symbols.indices());
  if (const auto texts = wish.texts(); !texts.empty()) {
    if (image.dynstr_size() == 0) {
      throw Error(ErrorKind::refused, "elf-no-strings", "the file has no dynamic string table");
    }
    const auto kept = wish.kept_strings();
    census.users.insert(census.users.end(), kept.begin(), kept.end());
    const Bytes table = image.reader().slice(image.dynstr_offset(), image.dynstr_size());
    strings = plan_strings(table, census.users, texts,
                           census.complete ? Reclaim::unused_bytes : Reclaim::nothing);
    if (!image.is_64() && strings.size > 0xffffffff) {
      throw Error(ErrorKind::refused, "elf-no-room", "the dynamic string table would pass 4 GiB");
    }
  }

  // S3 to S6: room. From here on everything is decided.
  LayoutRequest request;
  request.strings_size = strings.size;
  if (wish.entries_change) request.dynamic_slots = wish.entries.size() + 1;
  if (wish.interpreter) request.interpreter_size = wish.interpreter->size() + 1;
  request.stack_header = wish.adds_stack_header;
  request.sections_change = !wish.removed_needs.empty();
  const Layout layout = choose_layout(image, request, options);
  require_no_new_symbols(image, layout);
  const Move* moved = layout.find(TableKind::strings);
  require_same_symbols(image, moved == nullptr ? strings.size : moved->size);
  return rewrite(image, wish, strings, layout);
}

void put_patches(std::span<std::uint8_t> version, const PatchList& patches) {
  const std::uint64_t end = std::min<std::uint64_t>(patches.keep, version.size());
  for (const Patch& patch : patches.patches) {
    if (patch.offset > end || patch.bytes.size() > end - patch.offset) {
      throw Error(ErrorKind::internal, "elf-patch-range", "a patch leaves the bytes that are kept");
    }
    std::copy(patch.bytes.begin(), patch.bytes.end(),
              version.begin() + static_cast<std::ptrdiff_t>(patch.offset));
  }
}

Buffer apply(Bytes file, const PatchList& patches) {
  if (patches.keep > file.size()) {
    throw Error(ErrorKind::internal, "elf-patch-range",
                "a patch list keeps more than the file has");
  }
  Buffer result;
  result.reserve(static_cast<std::size_t>(patches.keep) + patches.tail.size());
  result.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(patches.keep));
  put_patches(result, patches);
  result.insert(result.end(), patches.tail.begin(), patches.tail.end());
  return result;
}

void require_sound_edit(Bytes before, Bytes after, const ElfEdit& wishes, const PatchList& patches,
                        Unpatched unpatched) {
  if (patches.changes_nothing(before.size())) return;
  const auto broken = check_edit(before, after, wishes, patches, unpatched);
  if (broken.empty()) return;
  // A file that contradicts itself is refused; only a sound one shows a bug of ours.
  if (const auto contradictions = find_contradictions(before); !contradictions.empty()) {
    throw Error(ErrorKind::refused, "elf-inconsistent",
                fmt::format("the file contradicts itself: {}", first_of(contradictions)));
  }
  throw Error(ErrorKind::internal, "elf-edit-broken",
              fmt::format("the edited file breaks an invariant: {}", first_of(broken)));
}

Edited edit(Bytes file, const ElfEdit& wishes, const EditOptions& options) {
  Edited result;
  result.patches = plan_edit(file, wishes, options);
  result.bytes = elf::apply(file, result.patches);
  require_sound_edit(file, result.bytes, wishes, result.patches);
  return result;
}

}  // namespace truewheel::elf
