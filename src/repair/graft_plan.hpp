// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/examine.hpp"

#include <map>
#include <string>
#include <vector>

namespace truewheel::repair {

/// Which files of this machine go into the wheel, and under which names.
struct GraftSelection {
  std::vector<deps::NodeId> nodes;  ///< in graph order
  std::vector<Graft> grafts;        ///< parallel to nodes
  /// Files that the wheel has from an earlier repair already: node -> index into the layout.
  std::map<deps::NodeId, std::size_t> already_bundled;
};

/// `wanted`: the host files that the policy does not leave to the system. What only an already
/// bundled library needs is not looked at again: it brought its own. `jobs`: threads that hash, 0
/// for one a core.
[[nodiscard]] GraftSelection select_grafts(const Examined& examined,
                                           const std::vector<deps::NodeId>& wanted,
                                           const std::string& libs_folder, unsigned jobs);

}  // namespace truewheel::repair
