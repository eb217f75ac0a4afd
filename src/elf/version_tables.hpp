// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace truewheel::elf {

/// A Vernaux record: one version needed.
struct NeededVersionView {
  Bytes raw;  ///< the 16 bytes of the record
  std::string_view name;
  std::uint16_t flags = 0;
  std::uint16_t index = 0;  ///< what .gnu.version entries say
};

/// A Verneed record: the versions needed from one library.
struct NeedView {
  Bytes raw;  ///< the 16 bytes of the record
  std::string_view file;
  std::vector<NeededVersionView> versions;
};

/// A Verdef record with its first Verdaux, which names it; the others name its parents.
struct DefinitionView {
  Bytes raw;            ///< the 20 bytes of the record
  Bytes raw_auxiliary;  ///< the 8 bytes of the first Verdaux
  std::string_view name;
  std::uint16_t flags = 0;
  std::uint16_t index = 0;
};

/// What a version index stands for.
struct VersionName {
  std::string_view name;
  std::string_view file;  ///< of a needed version; empty for a defined one
};

/// .gnu.version_r and .gnu.version_d by way of DT_VERNEED and DT_VERDEF, in file order.
///
/// The chains are walked by their `next` fields, as glibc does; the counts beside them
/// (DT_VERNEEDNUM, vn_cnt, DT_VERDEFNUM) must say the same, since readers that go by the counts
/// would see other versions than the loader (E20). Throws Error(refused, "elf-version-…"); nothing
/// loops, since every step goes forward by a record at least and indices are 15 bits.
struct VersionTables {
  std::vector<NeedView> needs;
  std::vector<DefinitionView> definitions;
  std::vector<VersionName> names;  ///< by index; holes and the two reserved ones are empty
};

[[nodiscard]] VersionTables read_version_tables(const ElfImage& image);

/// The file's bytes from an address to the end of the LOAD that maps it; empty if none does.
[[nodiscard]] Bytes mapped_bytes(const ElfImage& image, std::uint64_t vaddr);

}  // namespace truewheel::elf
