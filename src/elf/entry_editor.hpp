// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/wish.hpp"
#include <truewheel/elf.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::elf {

/// Builds the entries of a Wish, one wish after the other. What it does it tells in `steps`.
class EntryEditor {
 public:
  EntryEditor(const ElfImage& image, std::vector<std::string>& steps);

  /// Exactly one entry with this kind and text. An entry of either kind gives its slot (S3a), one
  /// of the wished kind first; only without any does the section grow.
  void set_run_path(const RunPath& wished);
  void drop_run_paths();
  void set_soname(const std::string& soname);
  /// Removed, replaced and added names. Each is the old one, so their order does not matter.
  void edit_needed(const ElfEdit& edit);
  void edit_filtees(const ElfEdit& edit);
  void set_no_default_lib(bool wanted);
  void add_debug_tag();
  void drop_tags(std::initializer_list<std::int64_t> tags);
  void set_value(std::int64_t tag, std::uint64_t value);

  [[nodiscard]] bool changed() const;
  [[nodiscard]] std::vector<WantedEntry> take() { return std::move(entries_); }

 private:
  /// The text that an entry shall have.
  [[nodiscard]] std::string_view text_of(const WantedEntry& entry) const;
  [[nodiscard]] bool has(std::int64_t tag) const;
  template <class Condition>
  void drop_if(Condition condition);

  const ElfImage& image_;
  std::vector<std::string>& steps_;
  std::vector<WantedEntry> entries_;
};

}  // namespace truewheel::elf
