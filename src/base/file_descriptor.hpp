// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/error.hpp>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace truewheel {

/// Owns an open file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor = -1) noexcept : descriptor_(descriptor) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
  }

  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }
  void reset() noexcept {
    // Nothing is lost when close() fails here: what must last was synced before.
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

/// The result of a system call that is made again when a signal interrupts it.
template <class Call>
[[nodiscard]] auto uninterrupted(const Call& call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

/// Error(io) for a failed system call: "cannot link 'x.whl': No space left on device".
[[nodiscard]] inline Error io_error(std::string id, std::string_view attempt, int error_number,
                                    std::string hint = {}) {
  return Error(ErrorKind::io, std::move(id),
               std::string(attempt) + ": " + std::generic_category().message(error_number),
               std::move(hint));
}

}  // namespace truewheel
