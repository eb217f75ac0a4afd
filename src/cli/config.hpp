// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::cli {

/// Long name of an option -> where its value comes from, if not from the command line:
/// "AUDITWHEEL_PLAT", "pyproject.toml: line 3: plat".
using Origins = std::map<std::string, std::string>;

/// Fills in the options of a command that the command line left open: first from auditwheel's
/// variables, then from TRUEWHEEL_<OPTION> in the environment, then from the configuration file. A
/// key of [tool.truewheel] is the long name of an option of any command ("rpath-kind", "profile" or
/// "profiles"); [tool.truewheel.check] and its like speak to one command. The file is `file`, else
/// the nearest truewheel.toml, or pyproject.toml with a [tool.truewheel] table, from the current
/// folder upwards. Throws Error(usage, "config…") for what is no TOML, an unknown key (naming the
/// nearest), and a value of a wrong type.
[[nodiscard]] Origins apply_configuration(CLI::App& program, CLI::App& command,
                                          const std::optional<std::filesystem::path>& file);

/// auditwheel's command line has no configuration but these variables.
[[nodiscard]] Origins apply_auditwheels_environment(CLI::App& command);

/// --config, which every command with a configuration has.
void add_config_option(CLI::App& app, std::string& file);

}  // namespace truewheel::cli
