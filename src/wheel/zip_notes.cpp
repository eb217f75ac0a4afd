// SPDX-License-Identifier: Apache-2.0
#include "wheel/zip_notes.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace truewheel::wheel {

std::optional<std::string> Oddity::sentence(std::string_view one, std::string_view many) const {
  if (count_ == 0) return std::nullopt;
  if (count_ == 1) return fmt::format("'{}' {}", printable(first_), one);
  return fmt::format("{} members {}, the first of them '{}'", count_, many, printable(first_));
}

}  // namespace truewheel::wheel
