// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/wheel.hpp>

#include <string_view>

namespace truewheel::wheel {

/// METADATA must be of the wheel that the file name speaks of: installers and indexes refuse it
/// otherwise, or install something under another name. Throws Error(refused, "metadata-…"): not
/// UTF-8, no Name or no Version, or another one, also in a second line of the kind.
void check_core_metadata(std::string_view text, const WheelName& name);

}  // namespace truewheel::wheel
