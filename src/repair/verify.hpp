// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/execute.hpp"

namespace truewheel::repair {

/// Reads the written archive as a stranger's and holds it to the plan: framing, names and order,
/// every member's bytes, RECORD, WHEEL tags, ELF facts, and a simulated load of every file
/// whose name it will bear. Throws Error(withheld, "verify-…") naming what does not hold.
void verify_output(const MappedFile& archive, const LoadedWheel& wheel, const Plan& plan,
                   const Execution& execution, const Options& options);

}  // namespace truewheel::repair
