// SPDX-License-Identifier: Apache-2.0
#include "elf/version_wishes.hpp"

#include "base/text.hpp"
#include "elf/format.hpp"
#include "elf/symbol_versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace truewheel::elf {

namespace {

/// Where nothing states the number of symbols they reach up to the next table: its tag stays.
void require_no_symbol_limit(const ElfImage& image, std::int64_t tag) {
  const auto limit = image.dynamic_value(tag), symbols = image.dynamic_value(dt::kSymTab);
  if (!limit || !symbols || image.stated_symbol_count() != 0) return;
  const std::uint64_t size = sizes_of(image.header().bits).symbol;
  const std::uint64_t end = *symbols + image.dynamic_symbol_count() * size;
  if (*limit >= end && *limit - end < size) {
    throw Error(ErrorKind::refused, "elf-symbol-count",
                "the versions would go, and only they tell how many symbols there are");
  }
}

/// The dynamic section says nothing of versions any more.
void drop_version_tags(const ElfImage& image, EntryEditor& entries) {
  require_no_symbol_limit(image, dt::kVerNeed);
  entries.drop_tags({dt::kVerNeed, dt::kVerNeedNum});
  // glibc looks versions up in a table that it makes only for files with needed or defined ones;
  // with DT_VERSYM alone it reads from address 0 (RESOLVE_MAP in dl-machine.h's callers).
  if (image.dynamic_value(dt::kVerDef)) return;
  require_no_symbol_limit(image, dt::kVerSym);
  entries.drop_tags({dt::kVerSym});
}

}  // namespace

void wish_unversioned_symbols(const ElfImage& image, const std::vector<std::string>& names,
                              Wish& wish) {
  const std::uint64_t count = image.dynamic_symbol_count();
  const auto table = image.dynamic_value(dt::kVerSym);
  const auto versions = table ? image.offset_of(*table, count * 2) : std::nullopt;
  const auto symbols = image.dynamic_value(dt::kSymTab);
  const auto first = symbols ? image.offset_of(*symbols) : std::nullopt;
  if (names.empty() || !versions || !first) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    if ((image.reader().u16(*versions + 2 * i) & ~ver::kHidden) <= ver::kGlobal) continue;
    const std::string_view name =
        image.dynamic_string(image.reader().u32(*first + i * sizes_of(image.header().bits).symbol));
    if (!contains(names, name)) continue;
    wish.unversioned_symbols.push_back(i);
    wish.steps.push_back(fmt::format(".gnu.version: '{}' becomes unversioned", printable(name)));
  }
}

void wish_version_needs(const ElfImage& image, const ElfEdit& edit, Wish& wish) {
  wish.needs = read_version_needs(image);
  for (std::size_t i = 0; i < wish.needs.records.size(); ++i) {
    const std::string name(image.dynamic_string(wish.needs.records[i].file));
    if (contains(edit.remove_needed, name)) {
      wish.removed_needs.push_back(i);
      wish.steps.push_back(
          fmt::format(".gnu.version_r: the versions of '{}' go, their symbols become unversioned",
                      printable(name)));
      continue;
    }
    const auto renamed = edit.replace_needed.find(name);
    if (renamed == edit.replace_needed.end() || renamed->second == name) continue;
    wish.renamed_needs.push_back({i, renamed->second});
    wish.steps.push_back(fmt::format(".gnu.version_r: '{}' instead of '{}'",
                                     printable(renamed->second), printable(name)));
  }
}

void wish_version_names(const ElfImage& image, const ElfEdit& edit, Wish& wish) {
  if (edit.rename_versions.empty()) return;
  const auto new_name = [&](std::uint32_t name) {
    const auto found = edit.rename_versions.find(std::string(image.dynamic_string(name)));
    const bool changes = found != edit.rename_versions.end() && found->first != found->second;
    return changes ? std::optional(found->second) : std::nullopt;
  };
  std::set<std::uint64_t> places;
  const auto rename = [&](std::uint64_t name_offset, std::optional<std::uint64_t> hash_offset,
                          const std::string& text) {
    if (!places.insert(name_offset).second) return;  // records may share what they lead to
    wish.renamed_versions.push_back({name_offset, hash_offset, text});
    wish.steps.push_back(
        fmt::format("a version's name at {:#x} becomes '{}'", name_offset, printable(text)));
  };
  for (std::size_t i = 0; i < wish.needs.records.size(); ++i) {
    if (std::binary_search(wish.removed_needs.begin(), wish.removed_needs.end(), i)) continue;
    for (const VersionNeedAux& aux : wish.needs.records[i].versions) {
      if (const auto text = new_name(aux.name)) rename(aux.file_offset + 8, aux.file_offset, *text);
    }
  }
  std::set<std::string> defined;
  for (const VersionDefinition& definition : read_version_definitions(image).records) {
    // The base definition is the file's own name and no version.
    if ((definition.flags & ver::kFlagBase) != 0) continue;
    for (std::size_t i = 0; i < definition.names.size(); ++i) {
      const auto text = new_name(definition.names[i]);
      const bool is_own = i == 0;
      if (text) {
        rename(definition.name_offsets[i],
               is_own ? std::optional(definition.file_offset + 8) : std::nullopt, *text);
      }
      const std::string name =
          text.value_or(std::string(image.dynamic_string(definition.names[i])));
      if (is_own && !defined.insert(name).second) {
        throw Error(ErrorKind::refused, "elf-version-twice",
                    fmt::format("version '{}' would be defined twice", printable(name)));
      }
    }
  }
}

void update_version_tags(const ElfImage& image, const Wish& wish, EntryEditor& entries) {
  if (wish.removed_needs.empty()) return;
  const std::size_t left = wish.needs.records.size() - wish.removed_needs.size();
  if (left == 0) {
    drop_version_tags(image, entries);
  } else {
    entries.set_value(dt::kVerNeedNum, left);
  }
}

}  // namespace truewheel::elf
