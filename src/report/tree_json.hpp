// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/load_tree.hpp"

#include <string>

namespace truewheel::report {

/// `lddtree`: the keys of `auditwheel lddtree` as far as they are facts of the files, and how each
/// library was found.
[[nodiscard]] std::string tree_json(const deps::LoadTree& tree, deps::Libc libc);

}  // namespace truewheel::report
