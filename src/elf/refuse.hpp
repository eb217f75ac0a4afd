// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/error.hpp>

#include <string>

namespace truewheel::elf {

/// Malformed input: the file stays as it is, and nobody reads on.
[[noreturn]] inline void refuse(const char* id, const std::string& what) {
  throw Error(ErrorKind::refused, id, what);
}

}  // namespace truewheel::elf
