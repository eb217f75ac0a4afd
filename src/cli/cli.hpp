// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace truewheel::cli {

/// The whole program: reads the command line and the environment, runs the command, reports
/// failures on stderr. Returns the process exit code (README, exit codes).
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace truewheel::cli
