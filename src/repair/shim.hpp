// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace truewheel::repair {

/// A script for `.data/scripts` that runs the program of the same distribution at `member` below
/// site-packages. It finds its distribution by its own place first (a prefix, `--target`), then by
/// Python's (`--user`, a virtual environment, an overlay), keeps argv, and replaces its process, so
/// the exit code is the program's.
[[nodiscard]] std::string shim_script(const std::string& member, const std::string& dist_info);

}  // namespace truewheel::repair
