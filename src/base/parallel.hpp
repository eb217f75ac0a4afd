// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace truewheel {

/// Runs `work(i)` for every i below `count` on `jobs` threads (0: one a core), the costliest first,
/// so that the threads end together; at most `budget` bytes are in flight by `cost(i)`, and a
/// single item above the budget runs alone. The exception of the item that began first is rethrown
/// after all threads have ended, so that a message does not depend on who was faster.
void parallel_for(std::size_t count, unsigned jobs, std::uint64_t budget,
                  const std::function<std::uint64_t(std::size_t)>& cost,
                  const std::function<void(std::size_t)>& work);

/// `jobs`, or 1 where `items` of `bytes` in all end sooner than a thread has started.
[[nodiscard]] unsigned jobs_worth(std::size_t items, std::uint64_t bytes, unsigned jobs);

}  // namespace truewheel
