// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace truewheel::elf {

/// The hash of DT_HASH and of version records (gABI, "Hash Table").
[[nodiscard]] std::uint32_t sysv_hash(std::string_view name);
/// The hash of DT_GNU_HASH (glibc `elf/dl-lookup.c`, dl_new_hash).
[[nodiscard]] std::uint32_t gnu_hash(std::string_view name);

/// DT_GNU_HASH: four words, a Bloom filter, buckets, and a chain word for every symbol from
/// `first` up to `end`. The symbols there must lie sorted by their bucket.
struct GnuHashTable {
  std::uint64_t offset = 0;  ///< in the file
  std::uint32_t buckets = 0, first = 0, bloom_words = 0, bloom_shift = 0;
  std::uint64_t end = 0;  ///< one more than the last hashed symbol; `first` when none is

  /// Empty without DT_GNU_HASH. Throws Error(refused, "elf-hash") when it cannot be rebuilt: its
  /// numbers are none, or its chains are not what the symbols' names say.
  [[nodiscard]] static std::optional<GnuHashTable> read(const ElfImage& image);

  /// The same table, as long as before, for symbols of these hashes: one for each of
  /// [first, end), sorted by bucket.
  [[nodiscard]] Buffer build(const ElfImage& image, const std::vector<std::uint32_t>& hashes) const;
};

/// DT_HASH: buckets of linked lists through an array with one entry a symbol.
struct SysvHashTable {
  std::uint64_t offset = 0, word = 4;  ///< Alpha and 64-bit S/390 have words of 8 bytes
  std::uint64_t buckets = 0, symbols = 0;
  std::vector<std::uint64_t> members;  ///< in the order of a walk through all chains

  /// As GnuHashTable::read.
  [[nodiscard]] static std::optional<SysvHashTable> read(const ElfImage& image);

  /// The same table for symbols of these names' hashes, by number; `members` in the order in which
  /// those of one bucket shall be found.
  [[nodiscard]] Buffer build(const ElfImage& image, const std::vector<std::uint64_t>& new_members,
                             const std::vector<std::uint32_t>& hashes) const;
};

}  // namespace truewheel::elf
