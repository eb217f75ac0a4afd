// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/loaded_wheel.hpp"
#include "repair/plan.hpp"

namespace truewheel::repair {

/// True for a program of `.data/scripts` that needs what is in site-packages.
[[nodiscard]] bool moves_beside_libraries(const LoadedWheel& wheel, const PlannedFile& file);

/// Programs of `.data/scripts` land in a bin folder from which no run path leads to the wheel's
/// libraries: they move beside these. Whatever else is installed to the prefix has to do without.
/// Throws Error(unfit) for what needs a library that it cannot reach ("elf-without-place") and for
/// a place that is taken ("shim-name-taken").
void plan_shims(const LoadedWheel& wheel, Plan& plan);

}  // namespace truewheel::repair
