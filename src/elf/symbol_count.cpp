// SPDX-License-Identifier: Apache-2.0
//
// How many dynamic symbols there are, which no header says.
#include "base/checked_math.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include "elf/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

/// Symbols by DT_GNU_HASH: one more than the end of the chain that begins last. 0 when no chain
/// says it.
std::uint64_t count_by_gnu_hash(const ElfImage& image, std::uint64_t table) {
  const ByteReader& reader = image.reader();
  const auto header = image.offset_of(table, 16);
  if (!header) refuse("elf-hash", "DT_GNU_HASH is not mapped");
  const std::uint64_t buckets = reader.u32(*header);
  const std::uint64_t first = reader.u32(*header + 4);
  const std::uint64_t bloom = reader.u32(*header + 8);
  const std::uint64_t buckets_at = table + 16 + bloom * image.word_size();
  const auto bucket_offset = image.offset_of(buckets_at, buckets * 4);
  if (!bucket_offset)
    refuse("elf-hash", "hash table header out of range: the buckets of DT_GNU_HASH are not mapped");
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const std::uint64_t symbol = reader.u32(*bucket_offset + 4 * i);
    if (symbol != 0 && symbol < first)
      refuse("elf-hash", fmt::format("a bucket of DT_GNU_HASH begins before symbol {}", first));
    last = std::max(last, symbol);
  }
  if (last < first || last == 0) return 0;
  for (std::uint64_t symbol = last;; ++symbol) {
    const auto chain = image.offset_of(buckets_at + 4 * (buckets + symbol - first), 4);
    if (!chain) refuse("elf-hash", "a chain of DT_GNU_HASH does not end");
    if ((reader.u32(*chain) & 1) != 0) return symbol + 1;
  }
}

/// The first address behind `start` at which another table or the end of the LOAD lies.
std::uint64_t next_table(const ElfImage& image, std::uint64_t start) {
  std::uint64_t next = start;
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kLoad && segment.vaddr <= start &&
        start < segment.vaddr + segment.filesz) {
      next = segment.vaddr + segment.filesz;
    }
  }
  for (const DynamicEntry& entry : image.dynamic()) {
    const bool is_address =
        entry.tag == dt::kStrTab || entry.tag == dt::kHash || entry.tag == dt::kGnuHash ||
        entry.tag == dt::kVerSym || entry.tag == dt::kVerDef || entry.tag == dt::kVerNeed ||
        entry.tag == dt::kRela || entry.tag == dt::kRel || entry.tag == dt::kJmpRel ||
        entry.tag == dt::kRelr || entry.tag == dt::kInit;
    if (is_address && entry.value > start) next = std::min(next, entry.value);
  }
  return next;
}

/// Without sections, a GNU hash table that hashes nothing says nothing of the undefined symbols:
/// they reach up to the next table, or, where an edit has moved that away, to the first bytes that
/// can be no symbol.
std::uint64_t count_plausible_symbols(const ElfImage& image, std::uint64_t table) {
  const std::uint64_t size = sizes_of(image.header().bits).symbol;
  const std::uint64_t limit = (next_table(image, table) - table) / size;
  const std::uint64_t start = *image.offset_of(table, size);
  for (std::uint64_t i = 1; i < limit; ++i) {
    if (!image.may_be_symbol(start + i * size)) return i;
  }
  return limit;
}

}  // namespace

bool ElfImage::may_be_symbol(std::uint64_t offset) const {
  const std::uint64_t size = sizes_of(header_.bits).symbol;
  if (offset > reader_.size() || size > reader_.size() - offset) return false;
  const std::uint8_t info = reader_.u8(offset + (is_64() ? 4 : 12));
  const std::uint16_t section = reader_.u16(offset + (is_64() ? 6 : 14));
  const std::uint32_t name = reader_.u32(offset);
  constexpr std::uint8_t kLastBinding = 2, kFirstOsBinding = 10, kLastType = 10;
  const bool has_binding = info >> 4 <= kLastBinding || info >> 4 >= kFirstOsBinding;
  const bool is_empty = name == 0 && section == shn::kUndef;
  return name < dynstr_size_ && !is_empty && has_binding && (info & 0xf) <= kLastType;
}

std::uint64_t ElfImage::hash_word_size(std::uint64_t offset) const {
  // Alpha and 64-bit S/390 have words of 8 bytes (their psABIs). mold writes 4 on S/390 as well,
  // and glibc goes by DT_GNU_HASH beside it; the first two words of such a table, taken for one,
  // count more buckets than a file can have.
  const bool wide = is_64() && (header_.machine == em::kAlpha || header_.machine == em::kS390);
  const bool is_narrow_all_the_same =
      wide && dynamic_value(dt::kGnuHash) && reader_.u64(offset) > file_.size();
  return wide && !is_narrow_all_the_same ? 8 : 4;
}

std::uint64_t ElfImage::stated_symbol_count() const {
  const auto table = dynamic_value(dt::kSymTab);
  const std::uint64_t symbol_size = sizes_of(header_.bits).symbol;
  std::uint64_t count = 0;
  if (const auto hash = dynamic_value(dt::kHash)) {
    const auto at = offset_of(*hash, 8);
    if (!at) refuse("elf-hash", "DT_HASH is not mapped");
    const std::uint64_t word = hash_word_size(*at);
    const std::uint64_t buckets = word == 8 ? reader_.u64(*at) : reader_.u32(*at);
    const std::uint64_t chains = word == 8 ? reader_.u64(*at + 8) : reader_.u32(*at + 4);
    // The chains are as many as the symbols, whose number is judged below.
    if (buckets > file_.size() / word || !offset_of(*hash, word * (2 + buckets)))
      refuse("elf-hash", fmt::format("{} buckets of DT_HASH are not mapped", buckets));
    count = std::max(count, chains);
  }
  if (const auto hash = dynamic_value(dt::kGnuHash)) {
    count = std::max(count, count_by_gnu_hash(*this, *hash));
  }
  if (const auto symbols = dynamic_value(dt::kMipsSymtabno);
      symbols && header_.machine == em::kMips) {
    count = std::max(count, *symbols);
  }
  // A linker script may put other data behind the symbols, into their section: it says the number
  // where no hash table does.
  if (count != 0) return count;
  for (const Section& section : sections_) {
    if (table && section.type == sht::kDynsym && section.addr == *table) {
      count = std::max(count, section.size / symbol_size);
    }
  }
  return count;
}

std::uint64_t ElfImage::dynamic_symbol_count() const {
  const auto table = dynamic_value(dt::kSymTab);
  if (!table) return 0;
  const std::uint64_t symbol_size = sizes_of(header_.bits).symbol;
  if (!offset_of(*table, symbol_size)) {
    // A file without any dynamic symbol may point behind its last byte.
    return 0;
  }
  std::uint64_t count = stated_symbol_count();
  if (count == 0) {
    count = count_plausible_symbols(*this, *table);
    if (count == 0) refuse("elf-symbol-count", "another table begins within the first symbol");
  }
  if (count > file_.size() / symbol_size || !offset_of(*table, count * symbol_size)) {
    refuse("elf-symbol-count", fmt::format("{} dynamic symbols do not fit into the file", count));
  }
  return count;
}

}  // namespace truewheel::elf
