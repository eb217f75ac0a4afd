// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace truewheel::repair {

/// A shell script for `.data/scripts` that runs the program of the same distribution at `member`
/// below site-packages. It finds its distribution by its own place first (a virtual environment, a
/// prefix, `--user`, `--target`), then by what Python says (a script that was copied elsewhere, an
/// overlay), keeps the arguments, and replaces its process, so that the exit code and signals are
/// the program's.
[[nodiscard]] std::string shim_script(const std::string& member, const std::string& dist_info);

}  // namespace truewheel::repair
