// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace truewheel::deps {

/// A library that a file of this machine brings with it.
struct TreeLibrary {
  std::string name;       ///< as the first file that needed it says
  std::string path;       ///< where the loader finds it; empty: nowhere
  std::string real_path;  ///< with all links followed
  std::string how;        ///< "RUNPATH $ORIGIN/lib", "LD_LIBRARY_PATH /x", "interpreter"
  std::shared_ptr<const elf::ElfFacts> facts;  ///< null when not found
  std::string needed_by = {};                  ///< real path of the first file that needed it
};

/// A file of this machine and everything that the loader loads with it.
struct LoadTree {
  std::string path;
  std::string real_path;
  std::shared_ptr<const elf::ElfFacts> facts;
  std::vector<TreeLibrary> libraries;  ///< in the order in which the loader comes to them
};
/// Follows the loader's own order on this machine, or below the sysroot (glibc: DT_RPATH with
/// inheritance, environment, DT_RUNPATH, ld.so.cache, default folders; musl: environment, the
/// chain's run paths, its path file; ld.so(8)). A name is looked for once. Throws
/// Error(usage, "absent-input"), Error(refused, "elf-…").
[[nodiscard]] LoadTree load_tree(const std::filesystem::path& file, const SearchOptions& options);

}  // namespace truewheel::deps
