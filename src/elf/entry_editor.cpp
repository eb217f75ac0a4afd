// SPDX-License-Identifier: Apache-2.0
#include "elf/entry_editor.hpp"

#include "base/text.hpp"
#include "elf/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace truewheel::elf {

namespace {

const char* tag_name(std::int64_t tag) {
  switch (tag) {
    case dt::kNeeded:
      return "DT_NEEDED";
    case dt::kSoname:
      return "DT_SONAME";
    case dt::kRpath:
      return "DT_RPATH";
    case dt::kRunpath:
      return "DT_RUNPATH";
    case dt::kFilter:
      return "DT_FILTER";
    case dt::kAuxiliary:
      return "DT_AUXILIARY";
    default:
      return "entry";
  }
}

bool is_run_path(const WantedEntry& entry) {
  return entry.tag == dt::kRpath || entry.tag == dt::kRunpath;
}

std::string instead(std::int64_t tag, std::string_view wished, std::string_view old) {
  return fmt::format("{}: '{}' instead of '{}'", tag_name(tag), printable(wished), printable(old));
}

}  // namespace

EntryEditor::EntryEditor(const ElfImage& image, std::vector<std::string>& steps)
    : image_(image), steps_(steps) {
  for (std::size_t i = 0; i < image.dynamic().size(); ++i) {
    entries_.push_back({image.dynamic()[i].tag, image.dynamic()[i].value, std::nullopt, i});
  }
}

std::string_view EntryEditor::text_of(const WantedEntry& entry) const {
  return entry.text ? std::string_view(*entry.text) : image_.dynamic_string(entry.value);
}

bool EntryEditor::has(std::int64_t tag) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const WantedEntry& entry) { return entry.tag == tag; });
}

template <class Condition>
void EntryEditor::drop_if(Condition condition) {
  std::vector<WantedEntry> kept;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!condition(i)) {
      kept.push_back(entries_[i]);
      continue;
    }
    steps_.push_back(fmt::format("{}: '{}' removed", tag_name(entries_[i].tag),
                                 printable(text_of(entries_[i]))));
  }
  entries_ = std::move(kept);
}

void EntryEditor::set_run_path(const RunPath& wished) {
  const std::int64_t tag = wished.kind == RunPathKind::rpath ? dt::kRpath : dt::kRunpath;
  auto chosen = std::find_if(entries_.begin(), entries_.end(),
                             [&](const WantedEntry& entry) { return entry.tag == tag; });
  if (chosen == entries_.end())
    chosen = std::find_if(entries_.begin(), entries_.end(), is_run_path);
  if (chosen == entries_.end()) {
    entries_.push_back({tag, 0, wished.value, std::nullopt});
    steps_.push_back(fmt::format("{}: added, '{}'", tag_name(tag), printable(wished.value)));
    return;
  }
  if (chosen->tag != tag) {
    steps_.push_back(fmt::format("{} becomes {}", tag_name(chosen->tag), tag_name(tag)));
    chosen->tag = tag;
  }
  if (text_of(*chosen) != wished.value) {
    steps_.push_back(instead(tag, wished.value, text_of(*chosen)));
    chosen->text = wished.value;
  }
  const std::size_t kept = static_cast<std::size_t>(chosen - entries_.begin());
  drop_if([&](std::size_t i) { return i != kept && is_run_path(entries_[i]); });
}

void EntryEditor::drop_run_paths() {
  drop_if([&](std::size_t i) { return is_run_path(entries_[i]); });
}

void EntryEditor::set_soname(const std::string& soname) {
  for (WantedEntry& entry : entries_) {
    if (entry.tag != dt::kSoname || text_of(entry) == soname) continue;
    steps_.push_back(instead(dt::kSoname, soname, text_of(entry)));
    entry.text = soname;
  }
  if (has(dt::kSoname)) return;
  entries_.push_back({dt::kSoname, 0, soname, std::nullopt});
  steps_.push_back(fmt::format("DT_SONAME: added, '{}'", printable(soname)));
}

void EntryEditor::edit_needed(const ElfEdit& edit) {
  drop_if([&](std::size_t i) {
    return entries_[i].tag == dt::kNeeded && contains(edit.remove_needed, text_of(entries_[i]));
  });
  for (WantedEntry& entry : entries_) {
    if (entry.tag != dt::kNeeded) continue;
    const auto renamed = edit.replace_needed.find(std::string(text_of(entry)));
    if (renamed == edit.replace_needed.end() || renamed->second == renamed->first) continue;
    steps_.push_back(instead(dt::kNeeded, renamed->second, renamed->first));
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
    steps_.push_back(fmt::format("DT_NEEDED: added, '{}'", printable(name)));
  }
  // In front of the others: the loader's search order is the list's order.
  const auto first = std::find_if(entries_.begin(), entries_.end(), [](const WantedEntry& entry) {
    return entry.tag == dt::kNeeded;
  });
  entries_.insert(first == entries_.end() ? entries_.begin() : first, added.begin(), added.end());
}

void EntryEditor::edit_filtees(const ElfEdit& edit) {
  for (WantedEntry& entry : entries_) {
    if (entry.tag != dt::kFilter && entry.tag != dt::kAuxiliary) continue;
    const auto renamed = edit.replace_filtees.find(std::string(text_of(entry)));
    if (renamed == edit.replace_filtees.end() || renamed->second == renamed->first) continue;
    steps_.push_back(instead(entry.tag, renamed->second, renamed->first));
    entry.text = renamed->second;
  }
}

void EntryEditor::set_no_default_lib(bool wanted) {
  for (WantedEntry& entry : entries_) {
    if (entry.tag != dt::kFlags1 || ((entry.value & df::kNodeflib1) != 0) == wanted) continue;
    steps_.emplace_back(wanted ? "DT_FLAGS_1: gains NODEFLIB" : "DT_FLAGS_1: loses NODEFLIB");
    entry.value ^= df::kNodeflib1;
  }
  if (!wanted || has(dt::kFlags1)) return;
  entries_.push_back({dt::kFlags1, df::kNodeflib1, std::nullopt, std::nullopt});
  steps_.emplace_back("DT_FLAGS_1: added, NODEFLIB");
}

void EntryEditor::add_debug_tag() {
  if (has(dt::kDebug)) return;
  entries_.push_back({dt::kDebug, 0, std::nullopt, std::nullopt});
  steps_.emplace_back("DT_DEBUG: added");
}

void EntryEditor::drop_tags(std::initializer_list<std::int64_t> tags) {
  std::erase_if(entries_, [&](const WantedEntry& entry) {
    return std::find(tags.begin(), tags.end(), entry.tag) != tags.end();
  });
}

void EntryEditor::set_value(std::int64_t tag, std::uint64_t value) {
  for (WantedEntry& entry : entries_) {
    if (entry.tag == tag) entry.value = value;
  }
}

bool EntryEditor::changed() const {
  if (entries_.size() != image_.dynamic().size()) return true;
  return std::any_of(entries_.begin(), entries_.end(), [&](const WantedEntry& entry) {
    if (!entry.old_index || entry.text) return true;
    const DynamicEntry& old = image_.dynamic()[*entry.old_index];
    return entry.tag != old.tag || entry.value != old.value;
  });
}

}  // namespace truewheel::elf
