// SPDX-License-Identifier: Apache-2.0
#include "elf/hash_tables.hpp"

#include "base/checked_math.hpp"
#include "elf/encode.hpp"
#include "elf/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace truewheel::elf {

namespace {

constexpr std::uint64_t kGnuHeaderSize = 16;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::refused, "elf-hash", what);
}

std::string_view symbol_name(const ElfImage& image, std::uint64_t index) {
  const std::uint64_t table = *image.offset_of(*image.dynamic_value(dt::kSymTab));
  return image.dynamic_string(
      image.reader().u32(table + index * sizes_of(image.header().bits).symbol));
}

bool is_local(const ElfImage& image, std::uint64_t index) {
  const std::uint64_t table = *image.offset_of(*image.dynamic_value(dt::kSymTab));
  const std::uint64_t info = image.is_64() ? 4 : 12;
  return image.reader().u8(table + index * sizes_of(image.header().bits).symbol + info) >> 4 == 0;
}

void append(Buffer& to, const Buffer& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char letter : name) {
    hash = (hash << 4) + static_cast<std::uint8_t>(letter);
    const std::uint32_t high = hash & 0xf0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char letter : name) hash = hash * 33 + static_cast<std::uint8_t>(letter);
  return hash;
}

std::optional<GnuHashTable> GnuHashTable::read(const ElfImage& image) {
  const auto vaddr = image.dynamic_value(dt::kGnuHash);
  if (!vaddr) return std::nullopt;
  const ByteReader& reader = image.reader();
  const std::uint64_t symbols = image.dynamic_symbol_count();  // walks the table, within bounds
  const auto header = image.offset_of(*vaddr, kGnuHeaderSize);
  if (!header) refuse("DT_GNU_HASH is not mapped");
  GnuHashTable table;
  table.offset = *header;
  table.buckets = reader.u32(*header);
  table.first = reader.u32(*header + 4);
  table.bloom_words = reader.u32(*header + 8);
  table.bloom_shift = reader.u32(*header + 12);
  // glibc takes the number of filter words for a mask.
  if (table.buckets == 0 || !is_power_of_two(table.bloom_words) || table.bloom_shift > 31)
    refuse(
        "hash table header out of range: DT_GNU_HASH has no buckets or a filter that loaders "
        "cannot "
        "use");
  const std::uint64_t buckets_at = kGnuHeaderSize + table.bloom_words * image.word_size() + *header;
  const std::uint64_t chains_at = buckets_at + std::uint64_t{4} * table.buckets;
  const auto passes_filter = [&](std::uint32_t hash) {
    const std::uint32_t bits = image.header().bits;
    const std::uint64_t at =
        *header + kGnuHeaderSize + (hash / bits & (table.bloom_words - 1)) * image.word_size();
    const std::uint64_t word = image.is_64() ? reader.u64(at) : reader.u32(at);
    return (word >> hash % bits & word >> (hash >> table.bloom_shift) % bits & 1) != 0;
  };
  table.end = table.first;
  std::uint64_t hashed = 0;
  for (std::uint64_t bucket = 0; bucket < table.buckets; ++bucket) {
    const std::uint32_t start = reader.u32(buckets_at + 4 * bucket);
    if (start == 0) continue;
    if (start < table.first) refuse("a bucket of DT_GNU_HASH names a symbol that is not hashed");
    for (std::uint64_t symbol = start;; ++symbol) {
      if (symbol >= symbols) refuse("a chain of DT_GNU_HASH does not end");
      const std::uint32_t chain = reader.u32(chains_at + 4 * (symbol - table.first));
      const std::uint32_t hash = gnu_hash(symbol_name(image, symbol));
      if (((chain ^ hash) | 1) != 1 || hash % table.buckets != bucket)
        refuse(fmt::format("DT_GNU_HASH does not hold the name of symbol {}", symbol));
      if (!passes_filter(hash))
        refuse(fmt::format("the filter of DT_GNU_HASH keeps symbol {} from being found", symbol));
      // Symbols that are hashed change places, and local ones must stay in front (gABI, sh_info).
      if (is_local(image, symbol))
        refuse(fmt::format("DT_GNU_HASH holds the local symbol {}", symbol));
      table.end = std::max(table.end, symbol + 1);
      ++hashed;
      if ((chain & 1) != 0) break;
    }
  }
  // Each chain has the names of its bucket alone, so as many steps as symbols mean all of them.
  if (hashed != table.end - table.first) refuse("DT_GNU_HASH leaves out symbols between others");
  return table;
}

Buffer GnuHashTable::build(const ElfImage& image, const std::vector<std::uint32_t>& hashes) const {
  const Encoder encoder(image.header());
  const std::uint32_t bits = image.header().bits;
  std::vector<std::uint64_t> bloom(bloom_words);
  std::vector<std::uint32_t> starts(buckets), chains(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint32_t hash = hashes[i], bucket = hash % buckets;
    bloom[hash / bits & (bloom_words - 1)] |=
        std::uint64_t{1} << hash % bits | std::uint64_t{1} << (hash >> bloom_shift) % bits;
    if (starts[bucket] == 0) starts[bucket] = first + static_cast<std::uint32_t>(i);
    const bool is_last = i + 1 == hashes.size() || hashes[i + 1] % buckets != bucket;
    chains[i] = is_last ? hash | 1 : hash & ~std::uint32_t{1};
  }
  Buffer bytes;
  for (const std::uint32_t word : {buckets, first, bloom_words, bloom_shift})
    append(bytes, encoder.word32(word));
  for (const std::uint64_t word : bloom) append(bytes, encoder.word(word));
  for (const std::uint32_t word : starts) append(bytes, encoder.word32(word));
  for (const std::uint32_t word : chains) append(bytes, encoder.word32(word));
  return bytes;
}

std::optional<SysvHashTable> SysvHashTable::read(const ElfImage& image) {
  const auto vaddr = image.dynamic_value(dt::kHash);
  if (!vaddr) return std::nullopt;
  const ByteReader& reader = image.reader();
  const std::uint64_t count = image.dynamic_symbol_count();
  SysvHashTable table;
  const auto header = image.offset_of(*vaddr, 8);
  if (!header) refuse("DT_HASH is not mapped");
  table.offset = *header;
  table.word = image.hash_word_size(table.offset);
  const bool wide = table.word == 8;
  const auto word = [&](std::uint64_t i) {
    const std::uint64_t at = table.offset + i * table.word;
    return wide ? reader.u64(at) : reader.u32(at);
  };
  table.buckets = word(0);
  table.symbols = word(1);
  const std::uint64_t words = checked_add(2, checked_add(table.buckets, table.symbols));
  if (table.buckets == 0 || !image.offset_of(*vaddr, checked_mul(words, table.word)))
    refuse("DT_HASH has no buckets or is not mapped");
  std::vector<bool> seen(static_cast<std::size_t>(table.symbols));
  for (std::uint64_t bucket = 0; bucket < table.buckets; ++bucket) {
    std::uint64_t symbol = word(2 + bucket);
    for (; symbol != shn::kUndef; symbol = word(2 + table.buckets + symbol)) {
      if (symbol >= table.symbols || symbol >= count || seen[static_cast<std::size_t>(symbol)])
        refuse("a chain of DT_HASH does not end");
      if (sysv_hash(symbol_name(image, symbol)) % table.buckets != bucket)
        refuse(fmt::format("DT_HASH does not hold the name of symbol {}", symbol));
      seen[static_cast<std::size_t>(symbol)] = true;
      table.members.push_back(symbol);
    }
  }
  return table;
}

Buffer SysvHashTable::build(const ElfImage& image, const std::vector<std::uint64_t>& new_members,
                            const std::vector<std::uint32_t>& hashes) const {
  const Encoder encoder(image.header());
  std::vector<std::uint64_t> starts(static_cast<std::size_t>(buckets)),
      chains(static_cast<std::size_t>(symbols)), lasts(static_cast<std::size_t>(buckets));
  for (const std::uint64_t symbol : new_members) {
    const auto bucket =
        static_cast<std::size_t>(hashes[static_cast<std::size_t>(symbol)] % buckets);
    if (starts[bucket] == 0) {
      starts[bucket] = symbol;
    } else {
      chains[static_cast<std::size_t>(lasts[bucket])] = symbol;
    }
    lasts[bucket] = symbol;
  }
  Buffer bytes;
  const auto put = [&](std::uint64_t value) {
    append(bytes,
           word == 8 ? encoder.word(value) : encoder.word32(static_cast<std::uint32_t>(value)));
  };
  put(buckets);
  put(symbols);
  for (const std::uint64_t start : starts) put(start);
  for (const std::uint64_t next : chains) put(next);
  return bytes;
}

}  // namespace truewheel::elf
