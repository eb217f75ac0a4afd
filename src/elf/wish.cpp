// SPDX-License-Identifier: Apache-2.0
#include "elf/wish.hpp"

#include "base/text.hpp"
#include "elf/format.hpp"
#include "elf/string_census.hpp"
#include "elf/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace truewheel::elf {

namespace {

const char* tag_name(std::int64_t tag) { return tag == dt::kRunpath ? "DT_RUNPATH" : "DT_RPATH"; }

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Builds the entries of a Wish, one wish after the other.
class EntryEditor {
 public:
  explicit EntryEditor(const ElfImage& image) : image_(image) {
    for (std::size_t i = 0; i < image.dynamic().size(); ++i) {
      entries_.push_back({image.dynamic()[i].tag, image.dynamic()[i].value, std::nullopt, i});
    }
  }

  /// The text that an entry shall have.
  [[nodiscard]] std::string_view text_of(const WantedEntry& entry) const {
    return entry.text ? std::string_view(*entry.text) : image_.dynamic_string(entry.value);
  }
  /// Exactly one entry with this kind and text. An entry of either kind gives its slot (S3a), one
  /// of the wished kind first; only without any does the section grow.
  void set_run_path(const RunPath& wished, std::vector<std::string>& steps) {
    const std::int64_t tag = wished.kind == RunPathKind::rpath ? dt::kRpath : dt::kRunpath;
    auto chosen = std::find_if(entries_.begin(), entries_.end(),
                               [&](const WantedEntry& entry) { return entry.tag == tag; });
    if (chosen == entries_.end())
      chosen = std::find_if(entries_.begin(), entries_.end(), is_run_path);
    if (chosen == entries_.end()) {
      entries_.push_back({tag, 0, wished.value, std::nullopt});
      steps.push_back(fmt::format("{}: added, '{}'", tag_name(tag), printable(wished.value)));
      return;
    }
    if (chosen->tag != tag) {
      steps.push_back(fmt::format("{} becomes {}", tag_name(chosen->tag), tag_name(tag)));
      chosen->tag = tag;
    }
    if (text_of(*chosen) != wished.value) {
      steps.push_back(fmt::format("{}: '{}' instead of '{}'", tag_name(tag),
                                  printable(wished.value), printable(text_of(*chosen))));
      chosen->text = wished.value;
    }
    const std::size_t kept = static_cast<std::size_t>(chosen - entries_.begin());
    drop_if([&](std::size_t i) { return i != kept && is_run_path(entries_[i]); }, steps);
  }

  void drop_run_paths(std::vector<std::string>& steps) {
    drop_if([&](std::size_t i) { return is_run_path(entries_[i]); }, steps);
  }

  void set_soname(const std::string& soname, std::vector<std::string>& steps) {
    bool found = false;
    for (WantedEntry& entry : entries_) {
      if (entry.tag != dt::kSoname) continue;
      found = true;
      if (text_of(entry) == soname) continue;
      steps.push_back(fmt::format("DT_SONAME: '{}' instead of '{}'", printable(soname),
                                  printable(text_of(entry))));
      entry.text = soname;
    }
    if (found) return;
    entries_.push_back({dt::kSoname, 0, soname, std::nullopt});
    steps.push_back(fmt::format("DT_SONAME: added, '{}'", printable(soname)));
  }

  void edit_needed(const ElfEdit& edit, std::vector<std::string>& steps) {
    drop_if(
        [&](std::size_t i) {
          return entries_[i].tag == dt::kNeeded &&
                 contains(edit.remove_needed, text_of(entries_[i]));
        },
        steps);
    for (WantedEntry& entry : entries_) {
      if (entry.tag != dt::kNeeded) continue;
      const auto renamed = edit.replace_needed.find(std::string(text_of(entry)));
      if (renamed == edit.replace_needed.end() || renamed->second == renamed->first) continue;
      steps.push_back(fmt::format("DT_NEEDED: '{}' instead of '{}'", printable(renamed->second),
                                  printable(renamed->first)));
      entry.text = renamed->second;
    }
    std::vector<WantedEntry> added;
    for (const std::string& name : edit.add_needed) {
      const auto has_name = [&](const WantedEntry& entry) {
        return entry.tag == dt::kNeeded && text_of(entry) == name;
      };
      if (std::any_of(entries_.begin(), entries_.end(), has_name)) continue;
      if (std::any_of(added.begin(), added.end(), has_name)) continue;
      added.push_back({dt::kNeeded, 0, name, std::nullopt});
      steps.push_back(fmt::format("DT_NEEDED: added, '{}'", printable(name)));
    }
    // In front of the others: the loader's search order is the list's order.
    const auto first = std::find_if(entries_.begin(), entries_.end(), [](const WantedEntry& entry) {
      return entry.tag == dt::kNeeded;
    });
    entries_.insert(first == entries_.end() ? entries_.begin() : first, added.begin(), added.end());
  }

  void edit_filtees(const ElfEdit& edit, std::vector<std::string>& steps) {
    for (WantedEntry& entry : entries_) {
      if (entry.tag != dt::kFilter && entry.tag != dt::kAuxiliary) continue;
      const auto renamed = edit.replace_filtees.find(std::string(text_of(entry)));
      if (renamed == edit.replace_filtees.end() || renamed->second == renamed->first) continue;
      steps.push_back(fmt::format("{}: '{}' instead of '{}'",
                                  entry.tag == dt::kFilter ? "DT_FILTER" : "DT_AUXILIARY",
                                  printable(renamed->second), printable(renamed->first)));
      entry.text = renamed->second;
    }
  }

  void set_no_default_lib(std::vector<std::string>& steps) {
    for (WantedEntry& entry : entries_) {
      if (entry.tag != dt::kFlags1) continue;
      if ((entry.value & df::kNodeflib1) == 0) steps.emplace_back("DT_FLAGS_1: gains NODEFLIB");
      entry.value |= df::kNodeflib1;
      return;
    }
    entries_.push_back({dt::kFlags1, df::kNodeflib1, std::nullopt, std::nullopt});
    steps.emplace_back("DT_FLAGS_1: added, NODEFLIB");
  }

  void add_debug_tag(std::vector<std::string>& steps) {
    const bool there = std::any_of(entries_.begin(), entries_.end(), [](const WantedEntry& entry) {
      return entry.tag == dt::kDebug;
    });
    if (there) return;
    entries_.push_back({dt::kDebug, 0, std::nullopt, std::nullopt});
    steps.emplace_back("DT_DEBUG: added");
  }

  void drop_tags(std::initializer_list<std::int64_t> tags) {
    std::erase_if(entries_, [&](const WantedEntry& entry) {
      return std::find(tags.begin(), tags.end(), entry.tag) != tags.end();
    });
  }
  void set_value(std::int64_t tag, std::uint64_t value) {
    for (WantedEntry& entry : entries_) {
      if (entry.tag == tag) entry.value = value;
    }
  }
  [[nodiscard]] bool changed() const {
    if (entries_.size() != image_.dynamic().size()) return true;
    return std::any_of(entries_.begin(), entries_.end(), [&](const WantedEntry& entry) {
      if (!entry.old_index || entry.text) return true;
      const DynamicEntry& old = image_.dynamic()[*entry.old_index];
      return entry.tag != old.tag || entry.value != old.value;
    });
  }
  [[nodiscard]] std::vector<WantedEntry> take() { return std::move(entries_); }

 private:
  static bool is_run_path(const WantedEntry& entry) {
    return entry.tag == dt::kRpath || entry.tag == dt::kRunpath;
  }
  template <class Condition>
  void drop_if(Condition condition, std::vector<std::string>& steps) {
    std::vector<WantedEntry> kept;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!condition(i)) {
        kept.push_back(entries_[i]);
        continue;
      }
      const char* name = entries_[i].tag == dt::kNeeded ? "DT_NEEDED" : tag_name(entries_[i].tag);
      steps.push_back(fmt::format("{}: '{}' removed", name, printable(text_of(entries_[i]))));
    }
    entries_ = std::move(kept);
  }

  const ElfImage& image_;
  std::vector<WantedEntry> entries_;
};

void check_text(const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    throw Error(ErrorKind::usage, "elf-wish-nul", "a name or run path to be set holds a NUL");
  }
}

/// The reader refuses a library's name with a control character, so none is made.
void check_library_name(const std::string& name) {
  check_text(name);
  if (has_control_character(name)) {
    throw Error(ErrorKind::usage, "elf-wish-control-character",
                "a library's name to be set holds a control character");
  }
}

void check_edit_texts(const ElfEdit& edit) {
  if (edit.run_path && *edit.run_path) check_text((*edit.run_path)->value);
  if (edit.soname) check_library_name(*edit.soname);
  for (const auto* names : {&edit.replace_needed, &edit.replace_filtees}) {
    for (const auto& [old_name, new_name] : *names) check_library_name(new_name);
  }
  for (const std::string& name : edit.add_needed) check_library_name(name);
  for (const auto* names : {&edit.rename_symbols, &edit.rename_versions}) {
    for (const auto& [old_name, new_name] : *names) {
      check_text(new_name);
      if (old_name.empty() || new_name.empty())
        throw Error(ErrorKind::usage, "elf-wish-empty", "a name to be replaced or set is empty");
    }
  }
  if (!edit.interpreter) return;
  check_text(*edit.interpreter);
  if (edit.interpreter->empty())
    throw Error(ErrorKind::usage, "elf-wish-empty", "the interpreter to be set is empty");
}

void edit_interpreter(const ElfImage& image, const std::string& wished, Wish& wish) {
  if (image.find_segment(pt::kInterp) == nullptr) {
    throw Error(ErrorKind::refused, "elf-no-interpreter",
                "the file has no PT_INTERP: it is a library or a static program");
  }
  const auto table = interpreter_table(image);
  if (!table) {
    throw Error(ErrorKind::refused, "elf-interpreter-fixed",
                "PT_INTERP has no bytes of its own in a LOAD");
  }
  std::string_view old = as_text(image.reader().slice(table->offset, table->size));
  if (old.back() != '\0') {
    // load_elf_binary in Linux's fs/binfmt_elf.c looks at the last byte.
    throw Error(ErrorKind::refused, "elf-interpreter",
                "PT_INTERP does not end with a NUL: no kernel starts this program");
  }
  old = old.substr(0, old.find('\0'));
  if (old == wished) return;
  wish.interpreter = wished;
  wish.steps.push_back(
      fmt::format("PT_INTERP: '{}' instead of '{}'", printable(wished), printable(old)));
}

void edit_stack(const ElfImage& image, bool executable, Wish& wish) {
  const Segment* segment = image.find_segment(pt::kGnuStack);
  if (segment == nullptr && image.dynamic().empty()) {
    throw Error(ErrorKind::refused, "elf-no-stack-header",
                "the file has no PT_GNU_STACK, and is no file that one can be added to");
  }
  wish.adds_stack_header = segment == nullptr;
  if (segment != nullptr && ((segment->flags & pf::kExecute) != 0) == executable) return;
  wish.executable_stack = executable;
  wish.steps.push_back(fmt::format("PT_GNU_STACK: becomes {}executable", executable ? "" : "not "));
}

/// Symbols of these names that have a version of their own: neither local nor the global one.
void edit_symbol_versions(const ElfImage& image, const std::vector<std::string>& names,
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

/// .gnu.version_r follows DT_NEEDED: glibc asserts that every library it names is a needed one
/// (patchelf issues 84 and 214, `needed != NULL` in dl-version.c).
void edit_version_needs(const ElfImage& image, const ElfEdit& edit, Wish& wish) {
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

void rename_symbols(const ElfImage& image, const ElfEdit& edit, Wish& wish) {
  wish.symbols = plan_symbol_renames(image, edit.rename_symbols);
  for (const auto& item : wish.symbols.renamed)
    wish.steps.push_back(
        fmt::format(".dynsym: symbol {} becomes '{}'", item.index, printable(item.text)));
  if (!wish.symbols.order.empty())
    wish.steps.emplace_back("symbols change their numbers: DT_GNU_HASH sorts them by their names");
}

/// Both tables of versions. The base definition is the file's own name and no version.
void rename_versions(const ElfImage& image, const ElfEdit& edit, Wish& wish) {
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

std::vector<std::string> Wish::texts() const {
  std::vector<std::string> result;
  for (const WantedEntry& entry : entries) {
    if (entry.text) result.push_back(*entry.text);
  }
  for (const RenamedNeed& need : renamed_needs) result.push_back(need.text);
  for (const auto& item : symbols.renamed) result.push_back(item.text);
  for (const RenamedVersion& version : renamed_versions) result.push_back(version.text);
  return result;
}

std::vector<std::uint64_t> Wish::kept_strings() const {
  std::vector<std::uint64_t> result;
  for (const WantedEntry& entry : entries) {
    if (is_string_tag(entry.tag) && !entry.text) result.push_back(entry.value);
  }
  for (std::size_t i = 0; i < needs.records.size(); ++i) {
    const bool changes =
        std::find(removed_needs.begin(), removed_needs.end(), i) != removed_needs.end() ||
        std::any_of(renamed_needs.begin(), renamed_needs.end(),
                    [&](const RenamedNeed& need) { return need.record == i; });
    if (!changes) result.push_back(needs.records[i].file);
  }
  return result;
}

Wish make_wish(const ElfImage& image, const ElfEdit& edit) {
  check_edit_texts(edit);
  Wish wish;
  EntryEditor entries(image);
  entries.edit_needed(edit, wish.steps);
  entries.edit_filtees(edit, wish.steps);
  if (edit.soname) entries.set_soname(*edit.soname, wish.steps);
  if (edit.run_path) {
    if (*edit.run_path) {
      entries.set_run_path(**edit.run_path, wish.steps);
    } else {
      entries.drop_run_paths(wish.steps);
    }
  }
  if (edit.no_default_lib) entries.set_no_default_lib(wish.steps);
  if (edit.add_debug_tag) entries.add_debug_tag(wish.steps);
  if (edit.interpreter) edit_interpreter(image, *edit.interpreter, wish);
  if (edit.executable_stack) edit_stack(image, *edit.executable_stack, wish);
  if (edit.os_abi && *edit.os_abi != image.header().os_abi) {
    wish.os_abi = edit.os_abi;
    wish.steps.push_back(
        fmt::format("EI_OSABI: {} instead of {}", *edit.os_abi, image.header().os_abi));
  }
  edit_symbol_versions(image, edit.clear_symbol_versions, wish);
  edit_version_needs(image, edit, wish);
  rename_symbols(image, edit, wish);
  rename_versions(image, edit, wish);
  if (!wish.removed_needs.empty()) {
    const std::size_t left = wish.needs.records.size() - wish.removed_needs.size();
    if (left == 0) {
      drop_version_tags(image, entries);
    } else {
      entries.set_value(dt::kVerNeedNum, left);
    }
  }
  wish.entries_change = entries.changed();
  wish.entries = entries.take();
  return wish;
}

}  // namespace truewheel::elf
