// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace truewheel::deps {

/// True for a file that a loader takes as a library of another one: glibc refuses programs, and
/// files without a dynamic section (dl-load.c: "cannot dynamically load position-independent
/// executable").
[[nodiscard]] bool can_be_needed(const elf::ElfFacts& facts);

/// The files of a layout by base name and by path, built once for many questions.
class LayoutIndex {
 public:
  explicit LayoutIndex(const std::vector<WheelFile>& files);

  /// The file with exactly this path.
  [[nodiscard]] std::optional<std::size_t> at(const std::string& path) const;
  /// All files with this base name, ascending.
  [[nodiscard]] const std::vector<std::size_t>& named(std::string_view name) const;
  /// True if some file lies in or below this folder; "" is the root.
  [[nodiscard]] bool has_folder(const std::string& folder) const;

  /// Who asks: the file itself, or a library of this machine that was reached through it.
  enum class Asking { itself, from_outside };

  /// The candidates for a NEEDED entry of `needing`, best first (find_sibling).
  [[nodiscard]] std::vector<std::size_t> siblings(std::size_t needing, std::string_view needed,
                                                  Asking asking = Asking::itself) const;

  /// True if two such candidates lie as near to `needing` as each other.
  [[nodiscard]] bool is_as_near(std::size_t needing, std::size_t left, std::size_t right) const;

 private:
  const std::vector<WheelFile>& files_;
  std::unordered_map<std::string, std::size_t> by_path_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
  std::unordered_map<std::string, bool> folders_;
};

}  // namespace truewheel::deps
