// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/hash.hpp"

#include <array>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace truewheel {

/// SHA-256 of pieces, made by a thread of its own while the caller makes the next piece:
/// for a single large member, which no other thread can help with. Holds at most 2 MiB.
class BackgroundHasher {
 public:
  enum class Thread { own, callers };
  explicit BackgroundHasher(Thread thread = Thread::own);
  ~BackgroundHasher();
  BackgroundHasher(const BackgroundHasher&) = delete;
  BackgroundHasher& operator=(const BackgroundHasher&) = delete;

  /// Takes a copy; waits while eight pieces are on their way.
  void update(Bytes piece);
  /// Waits for the last piece; the SHA-256. To be called once.
  [[nodiscard]] Buffer finish();

 private:
  void run();

  static constexpr std::size_t kSlots = 8;
  std::array<Buffer, kSlots> slots_;
  std::size_t filled_ = 0;  ///< pieces that came in
  std::size_t hashed_ = 0;
  bool no_more_ = false;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Hasher hasher_;
  bool alone_;  ///< the caller's thread does the work: none was asked for, or none could be had
  std::jthread thread_;
};

}  // namespace truewheel
