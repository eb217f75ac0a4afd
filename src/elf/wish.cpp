// SPDX-License-Identifier: Apache-2.0
#include "elf/wish.hpp"

#include "base/text.hpp"
#include "elf/entry_editor.hpp"
#include "elf/format.hpp"
#include "elf/string_census.hpp"
#include "elf/tables.hpp"
#include "elf/version_wishes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace truewheel::elf {

namespace {

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

void rename_symbols(const ElfImage& image, const ElfEdit& edit, Wish& wish) {
  wish.symbols = plan_symbol_renames(image, edit.rename_symbols);
  for (const auto& item : wish.symbols.renamed)
    wish.steps.push_back(
        fmt::format(".dynsym: symbol {} becomes '{}'", item.index, printable(item.text)));
  if (!wish.symbols.order.empty())
    wish.steps.emplace_back("symbols change their numbers: DT_GNU_HASH sorts them by their names");
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
  EntryEditor entries(image, wish.steps);
  entries.edit_needed(edit);
  entries.edit_filtees(edit);
  if (edit.soname) entries.set_soname(*edit.soname);
  if (edit.run_path) {
    if (*edit.run_path) {
      entries.set_run_path(**edit.run_path);
    } else {
      entries.drop_run_paths();
    }
  }
  if (edit.no_default_lib) entries.set_no_default_lib(*edit.no_default_lib);
  if (edit.add_debug_tag) entries.add_debug_tag();
  if (edit.interpreter) edit_interpreter(image, *edit.interpreter, wish);
  if (edit.executable_stack) edit_stack(image, *edit.executable_stack, wish);
  if (edit.os_abi && *edit.os_abi != image.header().os_abi) {
    wish.os_abi = edit.os_abi;
    wish.steps.push_back(
        fmt::format("EI_OSABI: {} instead of {}", *edit.os_abi, image.header().os_abi));
  }
  wish_unversioned_symbols(image, edit.clear_symbol_versions, wish);
  wish_version_needs(image, edit, wish);
  rename_symbols(image, edit, wish);
  wish_version_names(image, edit, wish);
  update_version_tags(image, wish, entries);
  wish.entries_change = entries.changed();
  wish.entries = entries.take();
  return wish;
}

}  // namespace truewheel::elf
