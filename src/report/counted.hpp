// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace truewheel::report {

/// "1 library", "2 libraries".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace truewheel::report
