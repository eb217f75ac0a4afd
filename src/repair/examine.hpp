// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/loaded_wheel.hpp"

#include <vector>

namespace truewheel::repair {

/// A library of the layout that another file of the wheel can stand in for.
struct Fold {
  std::size_t member = 0;  ///< index into wheel.members
  std::size_t kept = 0;    ///< the same, of the file that takes its place
  bool is_gone = false;    ///< the member leaves the wheel; else only its users leave it
};

/// A loaded wheel with its dependency graph and what every policy says of it.
struct Examined {
  LoadedWheel wheel;
  std::vector<deps::WheelFile>
      layout;  ///< the wheel's dynamic ELF files; graph.nodes begins with these
  std::vector<std::size_t> member_of;  ///< layout index -> index into wheel.members
  deps::Graph graph;
  policy::Verdict verdict;
  std::vector<Fold> folds;  ///< under InspectOptions::own_files_only; gone members have no layout
};

/// Where --fix-only stands for a pattern: what the wheel lacks is the user's machine's.
inline constexpr const char* kFixOnlyOrigin = "--fix-only";

/// Resolves and evaluates. Pure wheels come back with an empty layout.
[[nodiscard]] Examined examine(LoadedWheel wheel, const InspectOptions& options);

/// Looks once more at a wheel that was examined without driver groups, with what they leave out,
/// as repair does. False, and nothing is done, where that changes nothing.
[[nodiscard]] bool leave_driver_libraries_out(Examined& examined, InspectOptions options);

/// A place in the layout that the loader sees: site-packages, or a tree that has no fixed way
/// there.
struct Place {
  std::string path;
  std::string tree;
};
/// Where a member is after installation. `.data/scripts` and `.data/data` share the prefix that
/// they are installed to; a program of `.data/scripts` that needs nothing of the prefix
/// (`keeps_place` is false) is looked at where a script could start it beside the wheel's
/// libraries.
[[nodiscard]] Place place_of(const LoadedMember& member, const LoadedWheel& wheel,
                             bool keeps_place);

/// The folder for programs of `.data/scripts` that need libraries of the wheel: "mooncake.scripts".
[[nodiscard]] std::string scripts_folder(const wheel::WheelName& name);

}  // namespace truewheel::repair
