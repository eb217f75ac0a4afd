// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

#include <string>

namespace truewheel::repair {

/// Where our software bill of materials lies: PEP 770's folder, a file name of our own, so that
/// those of others stay as they are.
[[nodiscard]] std::string sbom_member(const LoadedWheel& wheel);

/// The bill of materials of the finished wheel as CycloneDX 1.4 JSON: one component a graft, what
/// an earlier repair wrote of files that are still there, and who needs whom. Nothing of it depends
/// on the clock. Findings go to `findings`. Call only when the plan has grafts (settled point 19).
[[nodiscard]] std::string planned_sbom(const LoadedWheel& wheel, const Plan& plan,
                                       const deps::Graph& graph, const Options& options,
                                       std::vector<Finding>& findings);

}  // namespace truewheel::repair
