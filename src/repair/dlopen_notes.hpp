// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

namespace truewheel::repair {

/// What the plan's files say in `.note.dlopen` (UAPI.12) that they open by name while they run. No
/// run path and no rename reaches such a name: it is a warning when a required one is neither in
/// the wheel nor left to the user's machine, or when it is bundled under another name.
void note_dlopened(const Examined& examined, Plan& plan);

}  // namespace truewheel::repair
