// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace truewheel {
namespace {

/// Hands out items in order, holding back those that would exceed the bytes in flight.
class Dispenser {
 public:
  Dispenser(std::size_t count, std::uint64_t budget,
            const std::function<std::uint64_t(std::size_t)>& cost)
      : count_(count), budget_(budget), cost_(cost) {}

  /// Waits for room; false when there is nothing left or something failed.
  bool take(std::size_t& item, std::uint64_t& cost) {
    std::unique_lock lock(mutex_);
    // Items go out in order, so a large one is never starved by small ones behind it.
    room_.wait(lock, [&] {
      return next_ == count_ || failed_ || in_flight_ == 0 ||
             cost_(next_) <= budget_ - std::min(budget_, in_flight_);
    });
    if (next_ == count_ || failed_) return false;
    item = next_++;
    cost = cost_(item);
    in_flight_ += cost;
    return true;
  }

  void give_back(std::uint64_t cost) {
    const std::lock_guard lock(mutex_);
    in_flight_ -= cost;
    room_.notify_all();
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    room_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable room_;
  const std::size_t count_;
  const std::uint64_t budget_;
  const std::function<std::uint64_t(std::size_t)>& cost_;
  std::size_t next_ = 0;
  std::uint64_t in_flight_ = 0;
  bool failed_ = false;
};

}  // namespace

void parallel_for(std::size_t count, unsigned jobs, std::uint64_t budget,
                  const std::function<std::uint64_t(std::size_t)>& cost,
                  const std::function<void(std::size_t)>& work) {
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  const auto threads = std::min<std::size_t>(jobs, count);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  Dispenser dispenser(count, budget, cost);
  std::vector<std::exception_ptr> failures(count);
  const auto run = [&] {
    std::size_t item = 0;
    std::uint64_t item_cost = 0;
    while (dispenser.take(item, item_cost)) {
      try {
        work(item);
      } catch (...) {
        failures[item] = std::current_exception();
        dispenser.fail();
      }
      dispenser.give_back(item_cost);
    }
  };
  {
    std::vector<std::jthread> pool;
    try {
      for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(run);
    } catch (const std::system_error&) {
      // A limit on threads or memory: those that there are do the work.
    }
    run();
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace truewheel
