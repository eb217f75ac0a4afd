// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/config.hpp"
#include <CLI/CLI.hpp>
#include <truewheel/error.hpp>

#include <set>
#include <string>
#include <string_view>

namespace truewheel::cli {

/// What a command line that does not parse lacks, with the option or command that was meant if one
/// is near.
[[nodiscard]] Error usage_error(const CLI::App& app, const CLI::ParseError& error);

/// "did you mean --plat? " for a slip of the pen, else "".
[[nodiscard]] std::string suggestion(const std::set<std::string>& names, std::string_view word);

/// Puts where a value comes from before what is said against it, if not from the command line:
/// "pyproject.toml: line 3: profile". The option is what the message begins with ("--strip is …"),
/// or what the error's id stands for.
void add_origin(Error& error, const Origins& origins);

/// Runs `body`; its errors go through add_origin().
template <class Body>
void with_origin(const Origins& origins, Body&& body) {
  try {
    body();
  } catch (Error& error) {
    add_origin(error, origins);
    throw;
  }
}

}  // namespace truewheel::cli
