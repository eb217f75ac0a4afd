// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.hpp"
#include "commands/commands.hpp"

#include <unistd.h>

namespace truewheel::commands {

void write_stdout(const std::string& text) {
  with_context("standard output", [&] { write_fully(STDOUT_FILENO, text.data(), text.size()); });
}

}  // namespace truewheel::commands
