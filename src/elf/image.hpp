// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/byte_reader.hpp"
#include <truewheel/bytes.hpp>
#include <truewheel/elf.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace truewheel::elf {

/// On-disk headers, widened to 64 bits and native order on reading (one shape for ELF32/64 and both
/// orders).
struct Header {
  unsigned bits = 64;
  ByteOrder order = ByteOrder::little;
  std::uint8_t os_abi = 0;
  std::uint16_t type = 0, machine = 0;
  std::uint32_t flags = 0;
  std::uint64_t entry = 0, phoff = 0, shoff = 0;
  std::uint16_t phnum = 0;
  std::uint64_t shnum = 0, shstrndx = 0;  ///< extended numbering resolved (E06)
};

struct Segment {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, vaddr = 0, paddr = 0, filesz = 0, memsz = 0, align = 0;
};

struct Section {
  std::uint32_t name_offset = 0, type = 0;
  std::uint64_t flags = 0, addr = 0, offset = 0, size = 0;
  std::uint32_t link = 0, info = 0;
  std::uint64_t addralign = 0, entsize = 0;
};

/// Whether a section has bytes and is not loaded: its bytes are its own, whatever else it says.
[[nodiscard]] bool is_unloaded(const Section& section);

struct DynamicEntry {
  std::int64_t tag = 0;
  std::uint64_t value = 0;
  std::uint64_t file_offset = 0;  ///< of the entry itself
};

/// What zeros behind the bytes of a LOAD are taken for, where a table may have grown over them.
enum class Zeros { are_padding, may_be_content };

/// What leads to .dynamic. Loaders know PT_DYNAMIC only. The link editor goes by the section
/// (elf_link_add_object_symbols in binutils' bfd/elflink.c), so that an edit of a file
/// without PT_DYNAMIC, which a linker script forgot, is an edit of that.
enum class DynamicBy { segment, segment_or_section };

/// A bounds-checked view of one ELF file: headers, program headers, sections if they can be
/// trusted, .dynamic by way of PT_DYNAMIC, and addresses as offsets. Construction refuses what
/// no loader takes (E02-E05, E10, E11, E13, E14, E17 of tests/elf_cases); counts never allocate
/// more than the file's own size asks for.
class ElfImage {
 public:
  explicit ElfImage(Bytes file, DynamicBy by = DynamicBy::segment);

  [[nodiscard]] Bytes file() const { return file_; }
  [[nodiscard]] const ByteReader& reader() const { return reader_; }
  [[nodiscard]] const Header& header() const { return header_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// Empty when there is no table or it cannot be trusted (E04, E07, E08): sections are optional
  /// metadata.
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  /// There are section headers, but they contradict the dynamic section, so that sections() is
  /// empty.
  [[nodiscard]] bool distrusts_sections() const { return distrusts_sections_; }
  [[nodiscard]] std::string_view section_name(const Section& section) const;  ///< "" if unreadable

  [[nodiscard]] const Segment* find_segment(
      std::uint32_t type) const;  ///< the first one of that type
  /// PT_DYNAMIC, or the extent of the section that stands for it; nullptr when there is neither.
  [[nodiscard]] const Segment* dynamic_segment() const;
  [[nodiscard]] bool is_64() const { return header_.bits == 64; }
  [[nodiscard]] std::uint64_t word_size() const { return is_64() ? 8 : 4; }

  /// .dynamic up to and without its first DT_NULL; empty when nothing leads to it.
  [[nodiscard]] const std::vector<DynamicEntry>& dynamic() const { return dynamic_; }
  [[nodiscard]] std::optional<std::uint64_t> dynamic_value(
      std::int64_t tag) const;  ///< the first one's value
  /// DT_FLAGS_1 as glibc reads it: the last one counts (elf/get-dynamic-info.h). 0 without one.
  [[nodiscard]] std::uint64_t dynamic_flags_1() const;
  /// The text a dynamic entry's value points at in .dynstr.
  [[nodiscard]] std::string_view dynamic_string(std::uint64_t string_offset) const;
  /// The dynamic string table: where DT_STRTAB maps to, DT_STRSZ long. Size 0 when there is none.
  [[nodiscard]] std::uint64_t dynstr_offset() const { return dynstr_offset_; }
  [[nodiscard]] std::uint64_t dynstr_size() const { return dynstr_size_; }

  /// File offset of an address that a LOAD maps from the file, with `length` bytes behind it;
  /// nullopt if none does.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t vaddr,
                                                       std::uint64_t length = 1) const;

  /// Bytes of each word of the DT_HASH table at this file offset.
  [[nodiscard]] std::uint64_t hash_word_size(std::uint64_t offset) const;
  /// Number of .dynsym entries: DT_HASH's nchain, the DT_GNU_HASH walk or DT_MIPS_SYMTABNO,
  /// whichever is largest; the section's where none of them has any.
  [[nodiscard]] std::uint64_t dynamic_symbol_count() const;
  /// That number where a section or a hash table says it; 0 where it has to be guessed by what
  /// stands behind the table.
  [[nodiscard]] std::uint64_t stated_symbol_count() const;
  /// False for bytes that can be no entry of .dynsym, by which a guess knows its end.
  [[nodiscard]] bool may_be_symbol(std::uint64_t offset) const;

 private:
  void require_one_of_each() const;
  void read_dynamic(const Segment& dynamic);
  void find_strings();
  /// Has LOADs reach over relocations and the other tables; whoever needs these finds out whether
  /// they are there.
  void find_tables_of_pages();
  void require_tables_off_header() const;
  /// offset_of(), for tables that loaders read: LOADs may count as long as their pages.
  [[nodiscard]] std::optional<std::uint64_t> mapped_place(std::uint64_t vaddr, std::uint64_t length,
                                                          Zeros zeros);
  /// Each table that the dynamic section names is a loaded section of its type, and that of the
  /// strings has nothing else.
  [[nodiscard]] bool sections_know_tables() const;
  [[nodiscard]] std::optional<Segment> find_dynamic_section() const;
  bool distrusts_sections_ = false;

  Bytes file_;
  ByteReader reader_;
  Header header_;
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::optional<Segment> dynamic_by_section_;
  std::vector<DynamicEntry> dynamic_;
  std::uint64_t dynstr_offset_ = 0, dynstr_size_ = 0;
};

}  // namespace truewheel::elf
