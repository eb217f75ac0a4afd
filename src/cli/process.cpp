// SPDX-License-Identifier: Apache-2.0
#include "cli/process.hpp"

#include "base/interruption.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace truewheel::cli {
namespace {

constexpr int kReadFailed = 4;

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one, since all below it are open by now.
    static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY));
  }
}

/// Only what a signal handler may do; files without a name go with the process.
void input_was_cut(int /*signal*/) {
  constexpr std::string_view kMessage =
      "truewheel: error: an input became shorter while it was read\n";
  static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  _exit(kReadFailed);
}

}  // namespace

void prepare_process() {
  open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, input_was_cut);
  clean_up_on_interruption();
}

}  // namespace truewheel::cli
