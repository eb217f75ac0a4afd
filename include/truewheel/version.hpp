// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace truewheel {

/// The version of truewheel: the only place the number is written (CMakeLists.txt reads it from
/// here).
inline constexpr const char* kVersion = "0.1.0";

}  // namespace truewheel
