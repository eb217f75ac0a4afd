// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace truewheel {

/// From here on SIGINT, SIGTERM and SIGHUP take away what RemovedOnInterruption names, and then end
/// the process as they would have. A signal that is ignored stays ignored.
void clean_up_on_interruption();

/// Takes away what RemovedOnInterruption names, for a process that cannot go on. Does only what a
/// signal handler may do.
void remove_what_is_named() noexcept;

/// A folder or a file that a process which is interrupted shall not leave behind, while this lives.
/// A folder goes only if it is empty. Where too many are named at once the rest stays.
class RemovedOnInterruption {
 public:
  explicit RemovedOnInterruption(const std::filesystem::path& path);
  ~RemovedOnInterruption();
  RemovedOnInterruption(RemovedOnInterruption&& other) noexcept;
  RemovedOnInterruption& operator=(RemovedOnInterruption&& other) noexcept;

 private:
  std::optional<std::size_t> slot_;
};

}  // namespace truewheel
