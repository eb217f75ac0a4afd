// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

#include <set>
#include <string>
#include <vector>

namespace truewheel::repair {

/// What the run paths of a plan are decided from.
struct RunPathRules {
  elf::RunPathKind kind = elf::RunPathKind::rpath;  ///< of a file that gains an entry
  bool may_use_runpaths = false;  ///< where a DT_RPATH would be inherited to no good
  deps::Libc libc = deps::Libc::glibc;
  std::string libs_folder;
  std::set<std::string> member_folders;  ///< installed folders that hold a member of the wheel
  /// --fix-only: entries that lead nowhere in the wheel go, and all files end with `kind`.
  bool is_tidied = false;
  std::set<std::string> members;   ///< installed paths of the members
  std::set<std::string> own_tops;  ///< the folders at the installation root that are the wheel's
  std::set<std::size_t> moving_programs;  ///< members (indexes) that leave the folder for scripts
  std::set<std::string> elf_folders;      ///< folders with ELF files in or below them
  deps::OutsideFiles outside;             ///< libraries of this machine that are left to the user's
  std::vector<std::string> required;  ///< METADATA's Requires-Dist, which may fill other folders
};

/// The rules for a plan whose files and grafts have their names and places.
[[nodiscard]] RunPathRules run_path_rules(const Examined& examined, const Plan& plan,
                                          const Options& options);

/// Decides every file's run path after names are settled: entries that lead nowhere good go, a
/// file that needs a graft gets the libs folder, a file that needs an excluded library its
/// profile's folders, and a file whose sibling the simulated loader does not find gets the
/// sibling's folder. Files for which nothing has to change keep theirs.
void plan_run_paths(Plan& plan, const RunPathRules& rules);

}  // namespace truewheel::repair
