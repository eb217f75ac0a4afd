// SPDX-License-Identifier: Apache-2.0
#include "elf/check.hpp"
#include "elf/emptied_load.hpp"
#include "elf/format.hpp"
#include "elf/loads.hpp"
#include "elf/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

Bytes bytes_of(const ElfImage& image, std::uint64_t offset, std::uint64_t size) {
  return image.reader().slice(offset, size);
}

bool same_bytes(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::vector<Segment> loads_of(const ElfImage& image) {
  std::vector<Segment> loads;
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kLoad) loads.push_back(segment);
  }
  return loads;
}

bool may_follow_its_table(std::uint32_t type) {
  return type == pt::kNote || type == pt::kGnuProperty || type == pt::kInterp ||
         type == pt::kDynamic || type == pt::kPhdr;
}

/// LOADs that held only tables may have gone with them.
void drop_emptied_loads(const ElfImage& before, const std::vector<Segment>& new_loads,
                        std::vector<Segment>& old_loads) {
  std::erase_if(old_loads, [&](const Segment& load) {
    const bool is_gone =
        std::none_of(new_loads.begin(), new_loads.end(), [&](const Segment& other) {
          return other.vaddr == load.vaddr && other.offset == load.offset;
        });
    return is_gone && !tables_that_fill(before, FileMap(before), find_tables(before), load).empty();
  });
}

void check_loads_kept(const ElfImage& before, const ElfImage& after, Complaints& complaints) {
  auto old_loads = loads_of(before);
  const auto new_loads = loads_of(after);
  drop_emptied_loads(before, new_loads, old_loads);
  if (new_loads.size() < old_loads.size() || new_loads.size() > old_loads.size() + 1) {
    complaints.push_back(fmt::format("{} LOADs became {}", old_loads.size(), new_loads.size()));
    return;
  }
  for (std::size_t i = 0; i < old_loads.size(); ++i) {
    const Segment &a = old_loads[i], &b = new_loads[i];
    if (a.offset != b.offset || a.vaddr != b.vaddr || a.paddr != b.paddr || a.align != b.align) {
      complaints.push_back(fmt::format("LOAD {} moved", i + 1));
    }
    const bool gains_write = i + 1 == old_loads.size() && (a.flags | pf::kWrite) == b.flags &&
                             (a.flags & pf::kExecute) == 0;
    if (a.flags != b.flags && !gains_write)
      complaints.push_back(fmt::format("I11: LOAD {} changed its flags", i + 1));
    if (b.filesz < a.filesz || b.memsz < a.memsz)
      complaints.push_back(fmt::format("LOAD {} shrank", i + 1));
    if (b.filesz != a.filesz && (a.filesz != a.memsz || b.filesz != b.memsz)) {
      complaints.push_back(
          fmt::format("I4: LOAD {} with zero-initialised memory was extended", i + 1));
    }
  }
  if (new_loads.size() == old_loads.size() + 1) {
    const Segment& added = new_loads.back();
    if (added.filesz != added.memsz)
      complaints.emplace_back("I4: the new LOAD has memory without bytes");
    if ((added.flags & pf::kExecute) != 0)
      complaints.emplace_back("I11: the new LOAD is executable");
  }
}

/// PT_INTERP with another name in it and PT_GNU_STACK with another flag are what was wished;
/// check_state() reads back which.
bool is_wished_change(const Segment& before, const Segment& after, const ElfEdit& edit) {
  if (before.type == pt::kInterp) return edit.interpreter && before.flags == after.flags;
  return before.type == pt::kGnuStack && edit.executable_stack &&
         (before.flags & ~pf::kExecute) == (after.flags & ~pf::kExecute) &&
         before.offset == after.offset && before.vaddr == after.vaddr &&
         before.filesz == after.filesz && before.memsz == after.memsz;
}

void check_segments_kept(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                         Complaints& complaints) {
  for (const Segment& segment : before.segments()) {
    if (segment.type == pt::kLoad || segment.type == pt::kNull || segment.type == pt::kPhdr)
      continue;
    if (segment.type == pt::kNote && segment.filesz == 0) continue;
    const bool kept =
        std::any_of(after.segments().begin(), after.segments().end(), [&](const Segment& other) {
          if (other.type != segment.type || other.align != segment.align) return false;
          if (is_wished_change(segment, other, edit)) return true;
          if (other.flags != segment.flags) return false;
          if (segment.type == pt::kDynamic) return other.filesz >= segment.filesz;
          // Nobody reads p_memsz of PT_INTERP; where it was no size it becomes one.
          const bool has_size = segment.type == pt::kInterp && other.memsz == other.filesz;
          if (other.filesz != segment.filesz || (other.memsz != segment.memsz && !has_size))
            return false;
          if (other.offset == segment.offset && other.vaddr == segment.vaddr) return true;
          return may_follow_its_table(segment.type) &&
                 same_bytes(bytes_of(before, segment.offset, segment.filesz),
                            bytes_of(after, other.offset, other.filesz));
        });
    if (!kept)
      complaints.push_back(
          fmt::format("I9, I10: a program header of type {:#x} changed", segment.type));
  }
  if (!edit.executable_stack && before.find_segment(pt::kGnuStack) == nullptr &&
      after.find_segment(pt::kGnuStack) != nullptr) {
    complaints.emplace_back("I9: there is a PT_GNU_STACK that nobody wished");
  }
  const Segment *old_dynamic = before.dynamic_segment(), *new_dynamic = after.dynamic_segment();
  if (old_dynamic != nullptr && new_dynamic != nullptr &&
      is_writable(before.segments(), old_dynamic->vaddr) &&
      !is_writable(after.segments(), new_dynamic->vaddr)) {
    complaints.emplace_back("PT_DYNAMIC is no longer writable");
  }
}

/// Sections keep their order, names and content; a loaded one may only be elsewhere.
void check_sections_kept(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                         Complaints& complaints) {
  // Without a table the field says nothing, and goes where its place gets other bytes.
  const bool same_names =
      before.sections().empty() || before.header().shstrndx == after.header().shstrndx;
  if (before.sections().size() != after.sections().size() || !same_names) {
    complaints.emplace_back("the section headers are not as many as before");
    return;
  }
  const Segment* dynamic = before.dynamic_segment();
  for (std::size_t i = 0; i < before.sections().size(); ++i) {
    const Section &a = before.sections()[i], &b = after.sections()[i];
    // Whatever type it says it has.
    const bool is_dynamic = dynamic != nullptr && a.offset >= dynamic->offset &&
                            a.offset + a.size <= dynamic->offset + dynamic->filesz;
    const bool may_change_type = a.type == sht::kGnuVerneed && b.type == sht::kProgbits;
    if (a.name_offset != b.name_offset || (a.type != b.type && !may_change_type) ||
        a.flags != b.flags || a.addralign != b.addralign || a.entsize != b.entsize ||
        (a.link != b.link && !may_change_type)) {
      complaints.push_back(fmt::format("section {} changed its header", i));
      continue;
    }
    const bool loaded = (a.flags & shf::kAlloc) != 0;
    if (!loaded && (a.size != b.size || a.addr != b.addr)) {
      complaints.push_back(fmt::format("section {} changed its extent", i));
    }
    const bool has_bytes = a.type != sht::kNobits && a.type != sht::kNull && a.size != 0;
    const bool was_readable =
        a.offset <= before.file().size() && a.size <= before.file().size() - a.offset;
    const bool may_differ =
        is_dynamic || a.type == sht::kSymtab || a.type == sht::kDynamic || a.type == sht::kStrtab ||
        a.type == sht::kGnuVerneed || a.type == sht::kGnuVersym || a.type == sht::kDynsym ||
        (!edit.rename_versions.empty() && a.type == sht::kGnuVerdef) ||
        (!edit.rename_symbols.empty() && (a.type == sht::kHash || a.type == sht::kGnuHash));
    const auto interpreter = edit.interpreter ? interpreter_table(before) : std::nullopt;
    const bool is_interpreter =
        interpreter && a.offset == interpreter->offset && a.size <= interpreter->size;
    if (!has_bytes || !was_readable || may_differ || is_interpreter || a.offset == b.offset)
      continue;
    if (a.size != b.size ||
        !same_bytes(bytes_of(before, a.offset, a.size), bytes_of(after, b.offset, b.size))) {
      complaints.push_back(fmt::format("section {} moved and changed its content", i));
    }
  }
}

}  // namespace

void check_headers_kept(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                        Complaints& complaints) {
  const Header &a = before.header(), &b = after.header();
  if (a.bits != b.bits || a.order != b.order || a.type != b.type || a.machine != b.machine ||
      a.flags != b.flags || a.entry != b.entry || b.os_abi != edit.os_abi.value_or(a.os_abi)) {
    complaints.emplace_back("the ELF header changed in more than its table offsets");
  }
  check_loads_kept(before, after, complaints);
  check_segments_kept(before, after, edit, complaints);
  check_sections_kept(before, after, edit, complaints);
}

}  // namespace truewheel::elf
