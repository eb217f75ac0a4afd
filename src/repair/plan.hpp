// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/examine.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace truewheel::repair {

/// A NEEDED entry that a file of the wheel answers, after the plan: by its new name.
struct PlannedEdge {
  std::string needed;
  std::size_t target = 0;  ///< index into Plan::files
};

/// An ELF file of the finished wheel: one that was there, or a graft.
struct PlannedFile {
  std::string path;                   ///< in the installed layout
  std::string tree;                   ///< as in deps::WheelFile
  std::optional<std::size_t> member;  ///< index into LoadedWheel::members; unset for a graft
  std::optional<deps::NodeId> node;   ///< set for a graft: the host file
  elf::ElfFacts facts;                ///< as they will be
  elf::ElfEdit edit;
  std::vector<std::string> reasons;
  std::vector<PlannedEdge> edges;
  std::vector<std::string> site_entries;    ///< expanded, for the excluded libraries it needs
  std::vector<std::string> system_entries;  ///< absolute, only under --system-rpath
  bool needs_excluded = false;
};

/// A program of `.data/scripts` that needs libraries of the wheel: it moves beside them and a
/// script takes its place.
struct ShimPlan {
  std::size_t file = 0;    ///< index into Plan::files
  std::string old_member;  ///< "x-1.data/scripts/tool": becomes the script
  std::string new_member;  ///< "x.scripts/tool"
  std::string script;
};

/// A text that becomes a member of the finished wheel.
struct AddedFile {
  std::string member;
  std::string text;
};

/// All decisions of a repair. Executing it decides nothing.
struct Plan {
  std::vector<PlannedFile>
      files;                  ///< the wheel's dynamic ELF files in layout order, then the grafts
  std::vector<Graft> grafts;  ///< parallel to the grafts in `files`
  std::vector<ShimPlan> shims;
  std::vector<Exclusion> exclusions;
  std::vector<FoldedCopy> folded;
  std::set<std::size_t> gone;             ///< indexes into LoadedWheel::members: copies that leave
  std::set<std::size_t> made_executable;  ///< the same: programs that get their execute bit
  policy::TagChoice tags;
  wheel::WheelName name;            ///< with the chosen platform tags
  std::string wheel_text;           ///< the WHEEL file of the result
  std::string libs_folder;          ///< "mooncake.libs"
  std::optional<std::string> sbom;  ///< the bill of materials of the result, if it changes
  std::vector<AddedFile> licences;  ///< of the packages that grafts come from, sorted by member
  std::vector<Finding> findings;
};

/// Pure: decides from an examined wheel and the options. Throws Error(unfit) for what cannot be
/// repaired.
[[nodiscard]] Plan make_plan(const Examined& examined, const Options& options);

/// The files of a plan as the loader will see them.
[[nodiscard]] std::vector<deps::WheelFile> planned_layout(const Plan& plan);

}  // namespace truewheel::repair
