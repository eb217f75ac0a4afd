// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace truewheel::cli {

/// auditwheel's command line: `show`, `repair` and `lddtree` with its options, aliases, environment
/// variables and exit codes; options of ours come on top. `argv[0]` is
/// the name, and what follows is auditwheel's. Returns the exit code: 2 for usage, an absent file
/// and an unmet --plat, 1 for every other failure.
[[nodiscard]] int run_auditwheel(int argc, const char* const* argv);

}  // namespace truewheel::cli
