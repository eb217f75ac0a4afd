// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/examine.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace truewheel::repair {

/// Second copies of libraries in a wheel: what auditwheel makes of a library that the wheel has
/// itself but that only LD_LIBRARY_PATH found ("libasio-43102265.so" beside "libasio.so"), and one
/// file that is needed under two names.
///
/// Two files are copies of one library when their bytes are equal, when they come from one link
/// (build-id), or when the hash in the name of one is that of the bytes of the other. A bundled
/// copy leaves the wheel, since nobody can know its name but through NEEDED. Any other file stays
/// where a program may open it; only NEEDED entries leave it.
class FoldedCopies {
 public:
  FoldedCopies(const LoadedWheel& wheel, const std::vector<deps::WheelFile>& layout,
               const std::vector<std::size_t>& member_of);

  [[nodiscard]] const std::vector<Fold>& folds() const { return folds_; }

  /// Takes the copies that leave the wheel out of the layout.
  void shrink(std::vector<deps::WheelFile>& layout, std::vector<std::size_t>& member_of) const;

  /// Points the edges of a graph over that layout from each copy to what takes its place.
  void redirect(deps::Graph& graph) const;

 private:
  std::vector<Fold> folds_;
  std::vector<bool> is_gone_;           ///< by index into the layout as it was
  std::vector<std::size_t> new_index_;  ///< layout as it was -> layout without the gone
  /// File of the new layout and NEEDED entry -> the file of the new layout that answers it.
  std::map<std::pair<std::size_t, std::string>, std::size_t> answers_;
};

}  // namespace truewheel::repair
