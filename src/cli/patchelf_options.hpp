// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/patchelf.hpp"

#include <string>
#include <variant>
#include <vector>

namespace truewheel::cli {

/// patchelf's command line: a text to print (--help, --version), or what to do. Values may begin
/// with a dash, and options and files may be mixed, so it has a parser of its own. Throws
/// Error(usage, "usage").
[[nodiscard]] std::variant<std::string, commands::PatchelfCommand> patchelf_command(
    const std::vector<std::string>& words);

/// Parses and runs it; the first of `argv` is the program's name. Returns the exit code.
int run_patchelf(int argc, const char* const* argv);

}  // namespace truewheel::cli
