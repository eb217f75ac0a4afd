// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.hpp"
#include "commands/commands.hpp"
#include <truewheel/error.hpp>

#include <poll.h>
#include <unistd.h>

namespace truewheel::commands {

namespace {

bool somebody_reads() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) != 1 || (output.revents & POLLERR) == 0;
}

}  // namespace

void write_stdout(const std::string& text) {
  with_context("standard output", [&] {
    try {
      write_fully(STDOUT_FILENO, text.data(), text.size());
    } catch (const Error&) {
      if (!somebody_reads()) throw OutputUnread();
      throw;
    }
  });
}

}  // namespace truewheel::commands
