// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/config_toml.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace truewheel::cli {

/// A configuration file and what it says to truewheel: all of it, or its table [tool.truewheel] if
/// it has one.
struct Configuration {
  std::filesystem::path path;
  toml::table table;
};

/// `file`, else the nearest truewheel.toml, or pyproject.toml with a [tool.truewheel] table, from
/// the current folder upwards; nullopt if there is none.
[[nodiscard]] std::optional<Configuration> find_configuration(
    const std::optional<std::filesystem::path>& file);

/// Throws Error(usage, "config").
[[noreturn]] void wrong_configuration(const std::filesystem::path& path, const std::string& what,
                                      const std::string& hint);

}  // namespace truewheel::cli
