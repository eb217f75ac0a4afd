// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace truewheel::deps {

/// The order in which a loader deals with the files that it has loaded: breadth-first, and glibc
/// puts a filtee in front of the file that names it, so that it comes next (elf/dl-deps.c,
/// _dl_map_object_deps).
class LoadQueue {
 public:
  /// The next file, by its number; nullopt when all were dealt with.
  std::optional<std::size_t> next();
  void push(std::size_t file) { files_.push_back(file); }
  /// A filtee of the file that next() gave: one that waits already comes forward, too.
  void push_filtee(std::size_t file);

 private:
  std::vector<std::size_t> files_;
  std::size_t dealt_with_ = 0;
  std::size_t filtees_end_ = 0;  ///< behind the filtees of the current file
};

}  // namespace truewheel::deps
