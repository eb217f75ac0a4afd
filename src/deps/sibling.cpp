// SPDX-License-Identifier: Apache-2.0
#include "deps/sibling.hpp"

#include "base/text.hpp"
#include "deps/machine.hpp"

#include <algorithm>
#include <tuple>

namespace truewheel::deps {
namespace {

constexpr std::uint32_t kDf1Pie = 0x08000000;

/// How many leading folders two folders share.
std::size_t shared_depth(std::string_view left, std::string_view right) {
  if (left.empty() || right.empty()) return 0;
  const auto left_parts = split(left, '/');
  const auto right_parts = split(right, '/');
  const auto [end, other] =
      std::mismatch(left_parts.begin(), left_parts.end(), right_parts.begin(), right_parts.end());
  static_cast<void>(other);
  return static_cast<std::size_t>(end - left_parts.begin());
}

/// How far a file is from one in another folder: the same folder first, then by the folders they
/// share.
std::tuple<bool, std::size_t> distance(std::string_view from_folder, std::string_view path) {
  const std::string_view folder = folder_name(path);
  return {folder != from_folder, ~shared_depth(folder, from_folder)};
}

}  // namespace

bool can_be_needed(const elf::ElfFacts& facts) {
  if (facts.kind == elf::FileKind::shared_object) return true;
  // A library that can also be run (libc.so.6 and its like) has an interpreter and an entry point
  // but not the flag, and the flag is all that glibc asks for.
  return facts.kind == elf::FileKind::pie && (facts.dt_flags_1 & kDf1Pie) == 0;
}

LayoutIndex::LayoutIndex(const std::vector<WheelFile>& files) : files_(files) {
  folders_.emplace("", true);
  for (std::size_t i = 0; i < files.size(); ++i) {
    by_path_.emplace(files[i].path, i);
    by_name_[std::string(base_name(files[i].path))].push_back(i);
    for (auto folder = folder_name(files[i].path); !folder.empty(); folder = folder_name(folder)) {
      if (!folders_.emplace(folder, true).second) break;
    }
  }
}

std::optional<std::size_t> LayoutIndex::at(const std::string& path) const {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return std::nullopt;
  return found->second;
}

const std::vector<std::size_t>& LayoutIndex::named(std::string_view name) const {
  static const std::vector<std::size_t> none;
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? none : found->second;
}

bool LayoutIndex::has_folder(const std::string& folder) const { return folders_.contains(folder); }

std::vector<std::size_t> LayoutIndex::siblings(std::size_t needing, std::string_view needed,
                                               Asking asking) const {
  const WheelFile& from = files_[needing];
  const std::string_view from_folder = folder_name(from.path);

  std::vector<std::size_t> candidates;
  for (const std::size_t index : named(base_name(needed))) {
    const elf::ElfFacts& facts = *files_[index].facts;
    // The loader matches a file that needs its own SONAME with itself; a wrapper that needs a
    // library of its own file name means another file.
    if (asking == Asking::itself && index == needing && facts.soname != needed) continue;
    if (files_[index].tree != from.tree) continue;
    if (can_be_needed(facts) && same_machine(facts, *from.facts)) candidates.push_back(index);
  }
  const auto rank = [&](std::size_t index) {
    const std::string_view path = files_[index].path;
    return std::tuple(index != needing, distance(from_folder, path), path);
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](std::size_t left, std::size_t right) { return rank(left) < rank(right); });
  return candidates;
}

bool LayoutIndex::is_as_near(std::size_t needing, std::size_t left, std::size_t right) const {
  const auto from = folder_name(files_[needing].path);
  return distance(from, files_[left].path) == distance(from, files_[right].path);
}

std::optional<std::size_t> find_sibling(const std::vector<WheelFile>& files, std::size_t needing,
                                        std::string_view needed) {
  const auto candidates = LayoutIndex(files).siblings(needing, needed);
  if (candidates.empty()) return std::nullopt;
  return candidates.front();
}

}  // namespace truewheel::deps
