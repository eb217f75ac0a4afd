// SPDX-License-Identifier: Apache-2.0
#include "elf/version_tables.hpp"

#include "elf/format.hpp"
#include "elf/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace truewheel::elf {

namespace {

constexpr std::uint64_t kNeedSize = 16, kNeededSize = 16, kDefinitionSize = 20, kAuxiliarySize = 8;
constexpr std::uint16_t kLargestIndex = 0x7fff;  // the 16th bit of .gnu.version hides a symbol

/// One of the two tables, from its first record to the end of its LOAD.
class RecordTable {
 public:
  RecordTable(const ElfImage& image, std::uint64_t vaddr, std::string_view name)
      : reader_(mapped_bytes(image, vaddr), image.header().order, name), name_(name) {
    if (reader_.size() == 0) {
      refuse("elf-version-unmapped", fmt::format("{} at {:#x} is not mapped", name, vaddr));
    }
  }

  [[nodiscard]] Bytes record(std::uint64_t offset, std::uint64_t size) const {
    if (offset > reader_.size() || size > reader_.size() - offset) {
      refuse("elf-version-range", fmt::format("{}: a record at {:#x} is outside", name_, offset));
    }
    return reader_.slice(offset, size);
  }
  [[nodiscard]] std::uint16_t u16(std::uint64_t offset) const { return reader_.u16(offset); }
  [[nodiscard]] std::uint32_t u32(std::uint64_t offset) const { return reader_.u32(offset); }

  /// The way to the next record: forward by a whole record, or 0 at the end.
  [[nodiscard]] std::uint64_t step(std::uint64_t field, std::uint64_t record_size) const {
    const std::uint32_t next = reader_.u32(field);
    if (next != 0 && next < record_size) {
      refuse("elf-version-chain", fmt::format("{}: records overlap", name_));
    }
    return next;
  }

  void expect_count(std::uint64_t said, std::uint64_t found) const {
    if (said != found) {
      refuse("elf-version-count",
             fmt::format("{}: {} records where {} are announced", name_, found, said));
    }
  }

 private:
  ByteReader reader_;
  std::string_view name_;
};

void check_record_version(std::uint16_t version, std::string_view table) {
  if (version != 1) {
    refuse("elf-version-version", fmt::format("{}: record version {}", table, version));
  }
}

void set_name(VersionTables& tables, std::uint16_t index, VersionName name) {
  if (index >= tables.names.size()) tables.names.resize(std::size_t{index} + 1);
  tables.names[index] = name;
}

void read_needed_versions(const ElfImage& image, const RecordTable& table, std::uint64_t at,
                          std::uint16_t count, NeedView& need, std::size_t& total) {
  for (;;) {
    NeededVersionView needed;
    needed.raw = table.record(at, kNeededSize);
    needed.flags = table.u16(at + 4);
    needed.index = table.u16(at + 6);
    needed.name = image.dynamic_string(table.u32(at + 8));
    if (needed.index > kLargestIndex || ++total > kLargestIndex) {
      refuse("elf-version-index",
             fmt::format(".gnu.version_r: version {} has an index above 15 bits", needed.name));
    }
    need.versions.push_back(needed);
    const std::uint64_t step = table.step(at + 12, kNeededSize);
    if (step == 0) break;
    at += step;
  }
  table.expect_count(count, need.versions.size());
}

void read_needs(const ElfImage& image, VersionTables& tables) {
  const auto address = image.dynamic_value(dt::kVerNeed);
  const auto announced = image.dynamic_value(dt::kVerNeedNum);
  if (!address) return;
  const RecordTable table(image, *address, ".gnu.version_r");
  std::size_t total = 0;
  for (std::uint64_t at = 0;;) {
    NeedView need;
    need.raw = table.record(at, kNeedSize);
    check_record_version(table.u16(at), ".gnu.version_r");
    need.file = image.dynamic_string(table.u32(at + 4));
    // Versions belong to records in order of the file; an offset of 0 would name the record itself.
    const std::uint32_t first = table.u32(at + 8);
    if (first < kNeedSize) refuse("elf-version-chain", ".gnu.version_r: records overlap");
    read_needed_versions(image, table, at + first, table.u16(at + 2), need, total);
    tables.needs.push_back(std::move(need));
    const std::uint64_t step = table.step(at + 12, kNeedSize);
    if (step == 0) break;
    at += step;
  }
  if (announced) table.expect_count(*announced, tables.needs.size());
}

void read_definitions(const ElfImage& image, VersionTables& tables) {
  const auto address = image.dynamic_value(dt::kVerDef);
  const auto announced = image.dynamic_value(dt::kVerDefNum);
  if (!address) return;
  const RecordTable table(image, *address, ".gnu.version_d");
  for (std::uint64_t at = 0;;) {
    DefinitionView definition;
    definition.raw = table.record(at, kDefinitionSize);
    check_record_version(table.u16(at), ".gnu.version_d");
    definition.flags = table.u16(at + 2);
    definition.index = table.u16(at + 4);
    if (definition.index > kLargestIndex || tables.definitions.size() == kLargestIndex) {
      refuse("elf-version-index", ".gnu.version_d: an index is above 15 bits");
    }
    const std::uint32_t first = table.u32(at + 12);
    if (first < kDefinitionSize || table.u16(at + 6) == 0) {
      refuse("elf-version-chain", ".gnu.version_d: a version has no name");
    }
    definition.raw_auxiliary = table.record(at + first, kAuxiliarySize);
    definition.name = image.dynamic_string(table.u32(at + first));
    tables.definitions.push_back(definition);
    const std::uint64_t step = table.step(at + 16, kDefinitionSize);
    if (step == 0) break;
    at += step;
  }
  if (announced) table.expect_count(*announced, tables.definitions.size());
}

}  // namespace

VersionTables read_version_tables(const ElfImage& image) {
  VersionTables tables;
  read_needs(image, tables);
  read_definitions(image, tables);
  for (const DefinitionView& definition : tables.definitions) {
    if ((definition.flags & ver::kFlagBase) != 0) continue;
    set_name(tables, definition.index, {definition.name, {}});
  }
  for (const NeedView& need : tables.needs) {
    for (const NeededVersionView& needed : need.versions) {
      set_name(tables, needed.index, {needed.name, need.file});
    }
  }
  return tables;
}

Bytes mapped_bytes(const ElfImage& image, std::uint64_t vaddr) {
  for (const Segment& segment : image.segments()) {
    if (segment.type != pt::kLoad || vaddr < segment.vaddr) continue;
    const std::uint64_t inside = vaddr - segment.vaddr;
    if (inside >= segment.filesz) continue;
    return image.reader().slice(segment.offset + inside, segment.filesz - inside);
  }
  return {};
}

}  // namespace truewheel::elf
