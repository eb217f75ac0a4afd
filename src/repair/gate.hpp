// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.hpp"
#include <truewheel/repair.hpp>

#include <string>
#include <vector>

namespace truewheel::repair {

/// Holds a finished wheel that has no name yet against the rules of `check`. `--verify=strict`
/// throws Error(unfit, "strict-findings") that lists every finding which is an error. Under
/// `--fix-only` they become warnings that say what is left to the build, or to a repair that
/// bundles. Otherwise nothing is looked at: a repair of a wheel with other faults is a repair all
/// the same.
void hold_against_rules(const MappedFile& archive, const std::string& file_name,
                        const Options& options, std::vector<Finding>& findings);

}  // namespace truewheel::repair
