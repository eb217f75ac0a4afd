// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace truewheel::cli {

/// The name that is meant, if at most `wrong` letters are too many, too few or others; else "".
[[nodiscard]] std::string nearest_of(const std::set<std::string>& names, std::string_view word,
                                     std::size_t wrong);

}  // namespace truewheel::cli
