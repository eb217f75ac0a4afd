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
/// without a name on the disk that the wheel goes to, from which it is mapped. Where that cannot be
/// written, or would leave no room for the wheel, the rest is in memory, too.
class EncodedStore {
 public:
  /// `copied`: how many bytes of the wheel are no encoded ones, at most.
  EncodedStore(std::filesystem::path folder, std::uint64_t copied)
      : folder_(std::move(folder)), copied_(copied) {}

  /// Any thread may call. A view of the input archive or of a mapped file stays what it is.
  void keep(wheel::EncodedMember& member);

 private:
  /// Where `size` bytes of the file may be written; nullopt when they stay in memory.
  std::optional<std::uint64_t> room_for(std::uint64_t size);
  [[nodiscard]] bool leaves_room(std::uint64_t size) const;
  /// Writing failed: nothing more is put aside, and these bytes take no room.
  void give_up(std::uint64_t offset, std::uint64_t size);

  std::filesystem::path folder_;
  std::uint64_t copied_;
  std::mutex mutex_;
  std::uint64_t in_memory_ = 0;
  FileDescriptor file_;
  bool has_failed_ = false;
  std::uint64_t end_ = 0;
};

}  // namespace truewheel::repair
