// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace truewheel::elf {

/// A Vernaux: one version needed from a library.
struct VersionNeedAux {
  std::uint64_t file_offset = 0;
  std::uint32_t hash = 0;
  std::uint16_t flags = 0;
  std::uint16_t index = 0;  ///< vna_other: the number that .gnu.version uses
  std::uint32_t name = 0;   ///< string offset
};

/// A Verneed: a library and the versions needed from it. Its links are relative to its own place.
struct VersionNeedRecord {
  std::uint64_t file_offset = 0;
  std::uint32_t file = 0;  ///< string offset of the library's name
  std::uint32_t aux = 0, next = 0;
  std::vector<VersionNeedAux> versions;
};

/// A Verdef: a version that the file defines, and the names of its parents.
struct VersionDefinition {
  std::uint64_t file_offset = 0;
  std::uint16_t flags = 0, index = 0;
  std::uint32_t hash = 0;
  std::vector<std::uint32_t> names;         ///< string offsets; the first one is its own
  std::vector<std::uint64_t> name_offsets;  ///< file offsets of the Verdaux of each
};

template <class Record>
struct VersionTable {
  std::uint64_t vaddr = 0, offset = 0,
                size = 0;  ///< size: up to the end of the last byte that a link reaches
  std::vector<Record> records;
};

inline constexpr std::uint64_t kVersionRecordSize = 16;  ///< Verneed and Vernaux, both classes
inline constexpr std::uint64_t kVerdefSize = 20, kVerdauxSize = 8;

/// The table at DT_VERNEED by following vn_next, as glibc does; DT_VERNEEDNUM is not believed.
/// Empty when there is none. Throws Error(refused, "elf-version-needs") on links or names that
/// leave their table (E20 of tests/elf_cases).
[[nodiscard]] VersionTable<VersionNeedRecord> read_version_needs(const ElfImage& image);

/// The table at DT_VERDEF in the same way; Error(refused, "elf-version-definitions").
[[nodiscard]] VersionTable<VersionDefinition> read_version_definitions(const ElfImage& image);

/// The indices above the global one that some record of these tables gives a version to. glibc has
/// room for the largest of them and reads behind that for a symbol with a larger one.
[[nodiscard]] std::set<std::uint16_t> named_versions(
    const std::vector<VersionNeedRecord>& needs, const std::vector<VersionDefinition>& definitions);

}  // namespace truewheel::elf
