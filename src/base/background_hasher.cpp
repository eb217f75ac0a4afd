// SPDX-License-Identifier: Apache-2.0
#include "base/background_hasher.hpp"

#include <system_error>

namespace truewheel {

BackgroundHasher::BackgroundHasher(Thread thread) : alone_(thread == Thread::callers) {
  if (alone_) return;
  try {
    thread_ = std::jthread([this] { run(); });
  } catch (const std::system_error&) {
    alone_ = true;  // a limit on threads
  }
}

BackgroundHasher::~BackgroundHasher() {
  {
    const std::lock_guard lock(mutex_);
    no_more_ = true;
  }
  changed_.notify_all();
}

void BackgroundHasher::update(Bytes piece) {
  if (alone_) {
    hasher_.update(piece);
    return;
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return filled_ - hashed_ < kSlots; });
  }
  // Nobody but this thread touches a slot that is not filled.
  slots_[filled_ % kSlots].assign(piece.begin(), piece.end());
  {
    const std::lock_guard lock(mutex_);
    ++filled_;
  }
  changed_.notify_all();
}

Buffer BackgroundHasher::finish() {
  {
    const std::lock_guard lock(mutex_);
    no_more_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  return hasher_.finish();
}

void BackgroundHasher::run() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return filled_ != hashed_ || no_more_; });
      if (filled_ == hashed_) return;
    }
    try {
      // After a failure pieces are only taken away, so that nobody waits for ever.
      if (!failure_) hasher_.update(slots_[hashed_ % kSlots]);
    } catch (...) {
      failure_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      ++hashed_;
    }
    changed_.notify_all();
  }
}

}  // namespace truewheel
