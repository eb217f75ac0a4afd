// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/hash_tables.hpp"
#include "elf/string_census.hpp"
#include "elf/symbol_versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace truewheel::elf {

namespace {

std::vector<std::string> texts_of(const ElfImage& image, std::int64_t tag) {
  std::vector<std::string> texts;
  for (const DynamicEntry& entry : image.dynamic()) {
    if (entry.tag == tag) texts.emplace_back(image.dynamic_string(entry.value));
  }
  return texts;
}

std::vector<std::string> wished_needed(const ElfImage& before, const ElfEdit& edit) {
  std::vector<std::string> kept;
  for (const std::string& name : texts_of(before, dt::kNeeded)) {
    if (contains(edit.remove_needed, name)) continue;
    const auto renamed = edit.replace_needed.find(name);
    kept.push_back(renamed == edit.replace_needed.end() ? name : renamed->second);
  }
  std::vector<std::string> all;
  for (const std::string& name : edit.add_needed) {
    if (!contains(kept, name) && !contains(all, name)) all.push_back(name);
  }
  all.insert(all.end(), kept.begin(), kept.end());
  return all;
}

/// The name that a version shall have; those of the file itself are none.
std::string wished_version(const ElfEdit* edit, std::string_view name) {
  if (edit == nullptr) return std::string(name);
  const auto renamed = edit->rename_versions.find(std::string(name));
  return renamed == edit->rename_versions.end() ? std::string(name) : renamed->second;
}
/// The hash that goes with it: as before, unless the name is another one.
std::uint32_t wished_hash(const ElfEdit* edit, std::string_view name, std::uint32_t hash) {
  const std::string wished = wished_version(edit, name);
  return wished == name ? hash : sysv_hash(wished);
}

/// A version need as text, so that two lists can be compared.
std::vector<std::string> needs_of(const ElfImage& image, const ElfEdit* edit) {
  std::vector<std::string> lines;
  for (const VersionNeedRecord& record : read_version_needs(image).records) {
    std::string file(image.dynamic_string(record.file));
    if (edit != nullptr) {
      if (contains(edit->remove_needed, file)) continue;
      const auto renamed = edit->replace_needed.find(file);
      if (renamed != edit->replace_needed.end()) file = renamed->second;
    }
    lines.push_back(file);
    for (const VersionNeedAux& aux : record.versions) {
      const std::string_view name = image.dynamic_string(aux.name);
      lines.push_back(fmt::format("  {} {:#x} {} {}", wished_version(edit, name),
                                  wished_hash(edit, name, aux.hash), aux.flags, aux.index));
    }
  }
  return lines;
}

std::vector<std::string> definitions_of(const ElfImage& image, const ElfEdit* edit) {
  std::vector<std::string> lines;
  for (const VersionDefinition& definition : read_version_definitions(image).records) {
    const ElfEdit* wishes = (definition.flags & ver::kFlagBase) != 0 ? nullptr : edit;
    std::string line = fmt::format("{} {}", definition.index, definition.flags);
    for (std::size_t i = 0; i < definition.names.size(); ++i) {
      const std::string_view name = image.dynamic_string(definition.names[i]);
      if (i == 0) line += fmt::format(" {:#x}", wished_hash(wishes, name, definition.hash));
      line += fmt::format(" {}", wished_version(wishes, name));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Entries that the edit is not about: same values in the same order.
void check_other_entries(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                         Complaints& complaints) {
  const auto others = [](const ElfImage& image) {
    static const std::set<std::int64_t> kMayChange = {
        dt::kNeeded, dt::kSoname,  dt::kRpath,      dt::kRunpath,      dt::kStrTab,
        dt::kStrSz,  dt::kSymTab,  dt::kHash,       dt::kGnuHash,      dt::kVerSym,
        dt::kVerDef, dt::kVerNeed, dt::kVerNeedNum, dt::kMipsRldMapRel};
    std::vector<std::pair<std::int64_t, std::string>> result;
    for (const DynamicEntry& entry : image.dynamic()) {
      if (kMayChange.contains(entry.tag)) continue;
      result.emplace_back(entry.tag, is_string_tag(entry.tag)
                                         ? std::string(image.dynamic_string(entry.value))
                                         : std::to_string(entry.value));
    }
    return result;
  };
  auto wished = others(before);
  for (auto& [tag, value] : wished) {
    if (tag != dt::kFilter && tag != dt::kAuxiliary) continue;
    const auto renamed = edit.replace_filtees.find(value);
    if (renamed != edit.replace_filtees.end()) value = renamed->second;
  }
  const auto find = [&](std::int64_t tag) {
    return std::find_if(wished.begin(), wished.end(),
                        [&](const auto& entry) { return entry.first == tag; });
  };
  if (edit.no_default_lib) {
    for (const DynamicEntry& entry : before.dynamic()) {
      if (entry.tag != dt::kFlags1) continue;
      const auto found = std::find(wished.begin(), wished.end(),
                                   std::pair(dt::kFlags1, std::to_string(entry.value)));
      const auto value = *edit.no_default_lib ? entry.value | df::kNodeflib1
                                              : entry.value & ~std::uint64_t{df::kNodeflib1};
      if (found != wished.end()) found->second = std::to_string(value);
    }
    if (*edit.no_default_lib && find(dt::kFlags1) == wished.end())
      wished.emplace_back(dt::kFlags1, std::to_string(df::kNodeflib1));
  }
  if (edit.add_debug_tag && find(dt::kDebug) == wished.end()) wished.emplace_back(dt::kDebug, "0");
  if (others(after) != wished)
    complaints.emplace_back("dynamic entries changed that the edit is not about");
}

/// DT_MIPS_RLD_MAP_REL is relative to its own place, so its target must be the same.
std::optional<std::uint64_t> debug_map(const ElfImage& image) {
  const Segment* dynamic = image.dynamic_segment();
  for (const DynamicEntry& entry : image.dynamic()) {
    if (entry.tag != dt::kMipsRldMapRel || image.header().machine != em::kMips) continue;
    const std::uint64_t target =
        dynamic->vaddr + (entry.file_offset - dynamic->offset) + entry.value;
    return image.is_64() ? target : target & 0xffffffff;
  }
  return std::nullopt;
}

/// What program headers and the ELF header say.
void check_headers_wished(const ElfImage& after, const ElfEdit& edit, Complaints& complaints) {
  if (edit.interpreter) {
    const Segment* segment = after.find_segment(pt::kInterp);
    const auto at =
        segment == nullptr ? std::nullopt : after.offset_of(segment->vaddr, segment->filesz);
    const std::string_view text =
        at ? as_text(after.reader().slice(*at, segment->filesz)) : std::string_view();
    // The kernel reads it by its offset, the dynamic linker by its address.
    if (!at || *at != segment->offset || text.empty() || text.back() != '\0' ||
        text.substr(0, text.find('\0')) != *edit.interpreter) {
      complaints.emplace_back("PT_INTERP is not as wished");
    }
  }
  if (edit.executable_stack) {
    const Segment* segment = after.find_segment(pt::kGnuStack);
    if (segment == nullptr || ((segment->flags & pf::kExecute) != 0) != *edit.executable_stack)
      complaints.emplace_back("PT_GNU_STACK is not as wished");
  }
}

}  // namespace

void check_state(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                 Complaints& complaints) {
  if (texts_of(after, dt::kNeeded) != wished_needed(before, edit))
    complaints.emplace_back("DT_NEEDED is not as wished");
  const auto soname =
      edit.soname ? std::vector<std::string>{*edit.soname} : texts_of(before, dt::kSoname);
  const auto new_soname = texts_of(after, dt::kSoname);
  const bool is_soname =
      edit.soname ? !new_soname.empty() &&
                        std::all_of(new_soname.begin(), new_soname.end(),
                                    [&](const auto& text) { return text == *edit.soname; })
                  : new_soname == soname;
  if (!is_soname) complaints.emplace_back("DT_SONAME is not as wished");
  auto rpath = texts_of(before, dt::kRpath), runpath = texts_of(before, dt::kRunpath);
  if (edit.run_path) {
    rpath.clear();
    runpath.clear();
    if (*edit.run_path)
      ((*edit.run_path)->kind == RunPathKind::rpath ? rpath : runpath)
          .push_back((*edit.run_path)->value);
  }
  if (texts_of(after, dt::kRpath) != rpath || texts_of(after, dt::kRunpath) != runpath) {
    complaints.emplace_back("the run path is not as wished");
  }
  if (needs_of(after, nullptr) != needs_of(before, &edit))
    complaints.emplace_back("the version needs are not as wished");
  const auto count = after.dynamic_value(dt::kVerNeedNum);
  if (count && before.dynamic_value(dt::kVerNeedNum) == read_version_needs(before).records.size() &&
      *count != read_version_needs(after).records.size()) {
    complaints.emplace_back("DT_VERNEEDNUM is not the number of version needs");
  }
  check_other_entries(before, after, edit, complaints);
  check_headers_wished(after, edit, complaints);
  if (debug_map(before) != debug_map(after))
    complaints.emplace_back("DT_MIPS_RLD_MAP_REL points elsewhere");
  if (definitions_of(before, &edit) != definitions_of(after, nullptr))
    complaints.emplace_back("I13: the version definitions are not as wished");
  check_symbols(before, after, edit, complaints);
}

}  // namespace truewheel::elf
