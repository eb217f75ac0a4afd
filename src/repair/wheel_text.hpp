// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/examine.hpp"

#include <string>

namespace truewheel::repair {

/// The WHEEL file of the result: tags equal to the file name's expansion, one Root-Is-Purelib that
/// is true of a platform wheel; every other header as it was.
[[nodiscard]] std::string planned_wheel_text(const LoadedWheel& wheel, const wheel::WheelName& name,
                                             const Options& options);

}  // namespace truewheel::repair
