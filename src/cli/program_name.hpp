// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace truewheel::cli {

/// The name that the program was called by, without its folder: a link named `patchelf` makes it
/// patchelf.
[[nodiscard]] std::string program_name(const char* argv0);

}  // namespace truewheel::cli
