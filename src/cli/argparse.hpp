// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace truewheel::cli {

/// auditwheel's command line is read by Python's argparse, which takes more than CLI11 does;
/// scripts may count on it.

/// Of an option that stands there twice argparse takes the last value.
void take_last_values(CLI::App& command);

/// The words with whole names of auditwheel's options where only their beginnings stand
/// ("--no-update"), as far as these are of one option only.
[[nodiscard]] std::vector<std::string> with_whole_options(std::vector<std::string> words,
                                                          const CLI::App& app);

}  // namespace truewheel::cli
