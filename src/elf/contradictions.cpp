// SPDX-License-Identifier: Apache-2.0
//
// Where a file contradicts itself, no edit of it can be judged. Asked only after the check of an
// edited file found something, so that it costs nothing and refuses nothing that could be edited.
#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/hash_tables.hpp"
#include "elf/relocations.hpp"

#include <fmt/format.h>

namespace truewheel::elf {

namespace {

/// Tables that the dynamic section points at lie in the file (gABI, "Dynamic Section").
void find_unmapped_tables(const ElfImage& image, Complaints& complaints) {
  constexpr std::int64_t kTables[] = {dt::kStrTab, dt::kSymTab, dt::kHash,      dt::kGnuHash,
                                      dt::kVerSym, dt::kVerDef, dt::kVerNeed,   dt::kRela,
                                      dt::kRel,    dt::kJmpRel, dt::kInitArray, dt::kFiniArray,
                                      dt::kRelr,   dt::kPltGot};
  for (const std::int64_t tag : kTables) {
    const auto vaddr = image.dynamic_value(tag);
    if (vaddr && !image.offset_of(*vaddr, 1))
      complaints.push_back(fmt::format("dynamic tag {:#x} points into no LOAD", tag));
  }
}

/// Relocations go by symbols that exist.
void find_relocations_of_no_symbol(const ElfImage& image, Complaints& complaints) {
  const std::uint64_t symbols = image.dynamic_symbol_count();
  for (const RelocationTable& table : find_relocation_tables(image)) {
    const std::uint64_t size = relocation_size(image, table.has_addend), word = image.word_size();
    for (std::uint64_t at = table.offset; at < table.end(); at += size) {
      const std::uint64_t info =
          image.is_64() ? image.reader().u64(at + word) : image.reader().u32(at + word);
      if (const std::uint64_t symbol = split_relocation_info(image, info).first;
          symbol != 0 && symbol >= symbols) {
        complaints.push_back(fmt::format("a relocation is of symbol {}, of {}", symbol, symbols));
        return;
      }
    }
  }
}

/// Bytes that a LOAD maps and a section without SHF_ALLOC has for its own.
void find_half_loaded_sections(const ElfImage& image, Complaints& complaints) {
  for (std::size_t i = 0; i < image.sections().size(); ++i) {
    const Section& section = image.sections()[i];
    if (!is_unloaded(section) || section.size == 0) continue;
    for (const Segment& load : image.segments()) {
      if (load.type == pt::kLoad && section.offset < load.offset + load.filesz &&
          load.offset < section.offset + section.size) {
        complaints.push_back(fmt::format("section {} is loaded, and says that it is not", i));
        break;
      }
    }
  }
}

}  // namespace

Complaints find_contradictions(Bytes file) {
  Complaints complaints;
  try {
    const ElfImage image(file, DynamicBy::segment_or_section);
    complaints = check_structure(image);
    find_unmapped_tables(image, complaints);
    find_half_loaded_sections(image, complaints);
    find_relocations_of_no_symbol(image, complaints);
    // Tables of other names than the symbols' are refused by their readers.
    static_cast<void>(GnuHashTable::read(image));
    static_cast<void>(SysvHashTable::read(image));
  } catch (const Error& error) {
    complaints.emplace_back(error.what());
  }
  return complaints;
}

}  // namespace truewheel::elf
