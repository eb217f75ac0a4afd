// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

#include <string>

namespace truewheel::repair {

/// Where our software bill of materials lies: PEP 770's folder, a file name of our own, so that
/// those of others stay as they are.
[[nodiscard]] std::string sbom_member(const LoadedWheel& wheel);

/// Plans the bill of materials of the finished wheel as CycloneDX 1.4 JSON: one component a graft,
/// what an earlier repair wrote of files that are still there, and who needs whom; and with it the
/// licence files of the packages that the grafts come from. Nothing of it depends on the clock.
/// Call only when the plan has grafts: without any the wheel has no bill.
void plan_sbom(const LoadedWheel& wheel, const deps::Graph& graph, const Options& options,
               Plan& plan);

}  // namespace truewheel::repair
