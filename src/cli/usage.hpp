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

/// Runs `body`; what it says against a platform's name begins with where the name comes from.
template <class Body>
void with_origin(const Origins& origins, Body&& body) {
  try {
    body();
  } catch (Error& error) {
    const auto origin = origins.find("plat");
    if (error.id() == "platform-name" && origin != origins.end()) {
      error.add_context(origin->second);
    }
    throw;
  }
}

}  // namespace truewheel::cli
