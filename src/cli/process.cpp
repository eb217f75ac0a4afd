// SPDX-License-Identifier: Apache-2.0
#include "cli/process.hpp"

#include "base/interruption.hpp"
#include "base/openssl_memory.hpp"
#include <truewheel/error.hpp>

#include <cerrno>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <new>
#include <string_view>
#include <unistd.h>

namespace truewheel::cli {
namespace {

void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one, since all below it are open by now.
    static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY));
  }
}

const char*& process_name() {
  static const char* name = "truewheel";
  return name;
}

void tell(std::string_view text) noexcept {
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
}

/// Only what a signal handler may do; files without a name go with the process.
[[noreturn]] void end_at_once(std::string_view message, int code) noexcept {
  remove_what_is_named();
  tell(process_name());
  tell(message);
  _exit(code);
}

void input_was_cut(int /*signal*/) {
  end_at_once(": error: a file became shorter, or could not be read, while it was in use\n",
              exit_code(ErrorKind::io));
}

/// An exception that nobody can catch. Memory may end in a function that promises to throw nothing:
/// CLI11's App::count is one.
[[noreturn]] void exception_was_stopped() noexcept {
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    end_without_memory(exit_code(ErrorKind::io));
  } catch (...) {
  }
  end_at_once(": error: this is a bug in truewheel: an exception was not caught\n",
              exit_code(ErrorKind::internal));
}

}  // namespace

void name_process(const char* literal) { process_name() = literal; }

void prepare_process() {
  static_cast<void>(process_name());  // made before a signal asks for it
  open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, input_was_cut);
  std::set_terminate(exception_was_stopped);
  clean_up_on_interruption();
  prepare_openssl();
}

void end_without_memory(int code) noexcept { end_at_once(": error: not enough memory\n", code); }

}  // namespace truewheel::cli
