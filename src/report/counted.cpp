// SPDX-License-Identifier: Apache-2.0
#include "report/counted.hpp"

#include <fmt/format.h>

namespace truewheel::report {

std::string counted(std::uint64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) {
    return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  }
  return fmt::format("{} {}s", count, noun);
}

}  // namespace truewheel::report
