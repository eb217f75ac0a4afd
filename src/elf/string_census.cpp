// SPDX-License-Identifier: Apache-2.0
#include "elf/string_census.hpp"

#include "elf/format.hpp"
#include "elf/symbol_versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace truewheel::elf {

namespace {

constexpr std::array kStringTags = {dt::kNeeded,  dt::kSoname,    dt::kRpath,
                                    dt::kRunpath, dt::kAuxiliary, dt::kFilter,
                                    dt::kConfig,  dt::kDepAudit,  dt::kAudit};

/// Tags that are known to be no string offset; every other tag is counted as a user, to be on the
/// safe side.
bool is_known_number_tag(std::int64_t tag) {
  if (tag >= dt::kNull && tag <= dt::kRelrEnt) return !is_string_tag(tag);
  if (tag >= dt::kGnuPrelinked && tag < dt::kAddressRangeLow) return true;
  if (tag >= dt::kGnuHash && tag <= dt::kGnuLiblist) return true;
  return tag >= dt::kVerSym && tag <= dt::kVerNeedNum;
}

void add_symbol_names(const ElfImage& image, std::uint64_t offset, std::uint64_t count,
                      const std::vector<std::uint64_t>& renamed,
                      std::vector<std::uint64_t>& users) {
  const std::uint64_t size = sizes_of(image.header().bits).symbol;
  users.reserve(users.size() + static_cast<std::size_t>(count));
  std::uint32_t last = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t name = image.reader().u32(offset + i * size);
    if (name >= image.dynstr_size()) {
      throw Error(ErrorKind::refused, "elf-symbol-name",
                  fmt::format("symbol {} has its name past the dynamic string table", i));
    }
    if (name == last || std::binary_search(renamed.begin(), renamed.end(), i)) continue;
    users.push_back(name);
    last = name;
  }
}

/// Users by section headers: a .symtab may share .dynstr; of anything else that links to it nothing
/// is known.
void add_section_users(const ElfImage& image, StringCensus& census) {
  const auto& sections = image.sections();
  const auto table = image.dynamic_value(dt::kStrTab);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].type != sht::kStrtab || !table || sections[i].addr != *table) continue;
    if (i == image.header().shstrndx) census.complete = false;
    for (const Section& user : sections) {
      if (user.link != i || user.type == sht::kNull) continue;
      switch (user.type) {
        case sht::kDynsym:
        case sht::kDynamic:
        case sht::kGnuVerdef:
        case sht::kGnuVerneed:
          break;
        case sht::kSymtab:
          if (user.offset > image.file().size() || user.size > image.file().size() - user.offset) {
            census.complete = false;
          } else {
            add_symbol_names(image, user.offset, user.size / sizes_of(image.header().bits).symbol,
                             {}, census.users);
          }
          break;
        default:
          census.complete = false;
      }
    }
  }
}

}  // namespace

bool is_string_tag(std::int64_t tag) {
  return std::find(kStringTags.begin(), kStringTags.end(), tag) != kStringTags.end();
}

StringCensus take_string_census(const ElfImage& image, const std::vector<std::uint64_t>& renamed) {
  StringCensus census;
  if (const std::uint64_t symbols = image.dynamic_symbol_count(); symbols != 0) {
    add_symbol_names(image, *image.offset_of(*image.dynamic_value(dt::kSymTab)), symbols, renamed,
                     census.users);
  }
  for (const VersionNeedRecord& record : read_version_needs(image).records) {
    for (const VersionNeedAux& aux : record.versions) census.users.push_back(aux.name);
  }
  for (const VersionDefinition& definition : read_version_definitions(image).records) {
    census.users.insert(census.users.end(), definition.names.begin(), definition.names.end());
  }
  for (const DynamicEntry& entry : image.dynamic()) {
    if (!is_string_tag(entry.tag) && !is_known_number_tag(entry.tag))
      census.users.push_back(entry.value);
  }
  if (image.dynamic_value(dt::kGnuLiblist))
    census.complete = false;  // prelink's list names libraries
  add_section_users(image, census);
  std::erase_if(census.users, [&](std::uint64_t user) { return user >= image.dynstr_size(); });
  return census;
}

}  // namespace truewheel::elf
