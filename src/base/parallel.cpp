// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace truewheel {
namespace {

struct Item {
  std::size_t index = 0;
  std::uint64_t cost = 0;
};

/// Hands out items in order, holding back those that would exceed the bytes in flight.
class Dispenser {
 public:
  Dispenser(const std::vector<Item>& items, std::uint64_t budget)
      : items_(items), budget_(budget) {}

  /// Waits for room; the item's place in the order, or nullopt when there is nothing left or
  /// something failed.
  std::optional<std::size_t> take() {
    std::unique_lock lock(mutex_);
    // Items go out in order, so a large one is never starved by small ones behind it.
    room_.wait(lock, [&] {
      return next_ == items_.size() || failed_ || in_flight_ == 0 ||
             items_[next_].cost <= budget_ - std::min(budget_, in_flight_);
    });
    if (next_ == items_.size() || failed_) return std::nullopt;
    in_flight_ += items_[next_].cost;
    return next_++;
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
  const std::vector<Item>& items_;
  const std::uint64_t budget_;
  std::size_t next_ = 0;
  std::uint64_t in_flight_ = 0;
  bool failed_ = false;
};

}  // namespace

unsigned jobs_worth(std::size_t items, std::uint64_t bytes, unsigned jobs) {
  constexpr std::uint64_t kThread = std::uint64_t{64} << 10;  // what is inflated meanwhile
  constexpr std::size_t kItems = 32;
  return items < kItems && bytes < kThread ? 1 : jobs;
}

void parallel_for(std::size_t count, unsigned jobs, std::uint64_t budget,
                  const std::function<std::uint64_t(std::size_t)>& cost,
                  const std::function<void(std::size_t)>& work) {
  std::vector<Item> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = {i, cost(i)};
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.cost > b.cost; });
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  const auto threads = std::min<std::size_t>(jobs, count);
  if (threads <= 1) {
    for (const auto& item : items) work(item.index);
    return;
  }
  Dispenser dispenser(items, budget);
  std::vector<std::exception_ptr> failures(count);
  const auto run = [&] {
    while (const auto place = dispenser.take()) {
      try {
        work(items[*place].index);
      } catch (...) {
        failures[*place] = std::current_exception();
        dispenser.fail();
      }
      dispenser.give_back(items[*place].cost);
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
