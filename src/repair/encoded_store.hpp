// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file_descriptor.hpp"
#include <truewheel/wheel.hpp>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

namespace truewheel::repair {

/// Keeps what was encoded until it is written: the first 64 MiB in memory, the rest in a file
/// without a name in a folder of the disk that the wheel goes to, from which it is mapped. Where
/// that cannot be written the rest is in memory, too.
class EncodedStore {
 public:
  explicit EncodedStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Any thread may call. A view of the input archive or of a mapped file stays what it is.
  void keep(wheel::EncodedMember& member);

 private:
  /// Where `size` bytes of the file may be written; nullopt when there is no file.
  std::optional<std::uint64_t> room_for(std::uint64_t size);

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::uint64_t in_memory_ = 0;
  FileDescriptor file_;
  bool has_failed_ = false;
  std::uint64_t end_ = 0;
};

}  // namespace truewheel::repair
