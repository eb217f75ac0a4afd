// SPDX-License-Identifier: Apache-2.0
#include "elf/symbol_versions.hpp"

#include "elf/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace truewheel::elf {

namespace {

/// Walks the two nested chains of a version table. Links are unsigned and forward, so a chain ends
/// at the LOAD's end at the latest; records may share their inner chains, so the sum of all steps
/// is bounded by the file's size, too.
class ChainWalker {
 public:
  ChainWalker(const ElfImage& image, std::uint64_t vaddr, const char* id, const char* name)
      : image_(image),
        vaddr_(vaddr),
        id_(id),
        name_(name),
        end_(vaddr),
        steps_(image.file().size() / 8) {}

  /// The file offset of a structure of `size` bytes at an address.
  std::uint64_t at(std::uint64_t vaddr, std::uint64_t size) {
    const auto offset = image_.offset_of(vaddr, size);
    if (!offset) fail("a link leaves the LOAD");
    if (steps_-- == 0) fail("its links go round too often");
    end_ = std::max(end_, vaddr + size);
    return *offset;
  }
  std::uint32_t name_at(std::uint32_t string_offset) const {
    if (string_offset >= image_.dynstr_size()) fail("a name is past the dynamic string table");
    return string_offset;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::refused, id_, fmt::format("{} at {:#x}: {}", name_, vaddr_, why));
  }
  [[nodiscard]] std::uint64_t size() const { return end_ - vaddr_; }

 private:
  const ElfImage& image_;
  std::uint64_t vaddr_;
  const char* id_;
  const char* name_;
  std::uint64_t end_;
  std::uint64_t steps_;
};

}  // namespace

VersionTable<VersionNeedRecord> read_version_needs(const ElfImage& image) {
  VersionTable<VersionNeedRecord> table;
  const auto start = image.dynamic_value(dt::kVerNeed);
  if (!start) return table;
  const ByteReader& reader = image.reader();
  ChainWalker walker(image, *start, "elf-version-needs", "DT_VERNEED");
  table.vaddr = *start;
  table.offset = walker.at(*start, kVersionRecordSize);
  for (std::uint64_t place = *start;;) {
    VersionNeedRecord record;
    record.file_offset = walker.at(place, kVersionRecordSize);
    if (reader.u16(record.file_offset) != 1) walker.fail("vn_version is not 1");
    const std::uint16_t count = reader.u16(record.file_offset + 2);
    record.file = walker.name_at(reader.u32(record.file_offset + 4));
    record.aux = reader.u32(record.file_offset + 8);
    record.next = reader.u32(record.file_offset + 12);
    std::uint64_t aux_place = place + record.aux;
    for (std::uint16_t i = 0; i < count; ++i) {
      VersionNeedAux aux;
      aux.file_offset = walker.at(aux_place, kVersionRecordSize);
      aux.hash = reader.u32(aux.file_offset);
      aux.flags = reader.u16(aux.file_offset + 4);
      aux.index = reader.u16(aux.file_offset + 6);
      aux.name = walker.name_at(reader.u32(aux.file_offset + 8));
      if (aux.index >= ver::kHidden)
        walker.fail(fmt::format("vna_other {:#x} is no index", aux.index));
      record.versions.push_back(aux);
      const std::uint32_t next = reader.u32(aux.file_offset + 12);
      if (next == 0) break;
      aux_place += next;
    }
    const std::uint32_t next = record.next;
    table.records.push_back(std::move(record));
    if (next == 0) break;
    place += next;
  }
  table.size = walker.size();
  return table;
}

VersionTable<VersionDefinition> read_version_definitions(const ElfImage& image) {
  VersionTable<VersionDefinition> table;
  const auto start = image.dynamic_value(dt::kVerDef);
  if (!start) return table;
  const ByteReader& reader = image.reader();
  ChainWalker walker(image, *start, "elf-version-definitions", "DT_VERDEF");
  table.vaddr = *start;
  table.offset = walker.at(*start, kVerdefSize);
  for (std::uint64_t place = *start;;) {
    VersionDefinition definition;
    definition.file_offset = walker.at(place, kVerdefSize);
    if (reader.u16(definition.file_offset) != 1) walker.fail("vd_version is not 1");
    definition.flags = reader.u16(definition.file_offset + 2);
    definition.index = reader.u16(definition.file_offset + 4);
    const std::uint16_t count = reader.u16(definition.file_offset + 6);
    definition.hash = reader.u32(definition.file_offset + 8);
    std::uint64_t aux_place = place + reader.u32(definition.file_offset + 12);
    for (std::uint16_t i = 0; i < count; ++i) {
      const std::uint64_t aux = walker.at(aux_place, kVerdauxSize);
      definition.names.push_back(walker.name_at(reader.u32(aux)));
      definition.name_offsets.push_back(aux);
      const std::uint32_t next = reader.u32(aux + 4);
      if (next == 0) break;
      aux_place += next;
    }
    const std::uint32_t next = reader.u32(definition.file_offset + 16);
    table.records.push_back(std::move(definition));
    if (next == 0) break;
    place += next;
  }
  table.size = walker.size();
  return table;
}

std::set<std::uint16_t> named_versions(const std::vector<VersionNeedRecord>& needs,
                                       const std::vector<VersionDefinition>& definitions) {
  std::set<std::uint16_t> indices;
  for (const VersionNeedRecord& need : needs) {
    for (const VersionNeedAux& aux : need.versions) indices.insert(aux.index);
  }
  for (const VersionDefinition& definition : definitions) indices.insert(definition.index);
  return indices;
}

}  // namespace truewheel::elf
