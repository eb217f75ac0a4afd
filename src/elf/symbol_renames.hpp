// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace truewheel::elf {

/// What new names of dynamic symbols mean for one file. Where their text goes is not known yet.
///
/// DT_GNU_HASH wants its symbols sorted by bucket, so another name may mean another number; then
/// .gnu.version and the relocations follow.
struct SymbolRenames {
  struct Renamed {
    std::uint64_t index = 0;  ///< the old number
    std::string text;
  };
  /// A table as it will be, as long as before, at its old place.
  struct NewTable {
    std::uint64_t offset = 0;
    Buffer bytes;
  };
  std::vector<Renamed> renamed;      ///< ascending
  std::vector<std::uint64_t> order;  ///< by new number the old one; empty when all numbers stay
  std::vector<NewTable> tables;      ///< DT_HASH, DT_GNU_HASH, relocations; disjoint

  [[nodiscard]] bool empty() const { return renamed.empty(); }
  /// The old numbers of those that are renamed.
  [[nodiscard]] std::vector<std::uint64_t> indices() const;
};

/// Every symbol of .dynsym, needed or defined, that has a name to be replaced. Throws
/// Error(refused) when two definitions would have one name ("elf-symbol-twice"), when a hash table
/// cannot be rebuilt ("elf-hash"), or when something unknown goes by the numbers of symbols that
/// change ("elf-symbol-order").
[[nodiscard]] SymbolRenames plan_symbol_renames(const ElfImage& image,
                                                const std::map<std::string, std::string>& names);

}  // namespace truewheel::elf
