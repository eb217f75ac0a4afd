// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

using truewheel::parallel_for;

TEST_CASE("parallel_for visits every item once, also with items above the budget") {
  std::vector<std::atomic<int>> visits(500);
  parallel_for(
      visits.size(), 4, 100, [](std::size_t i) { return i % 7 == 0 ? 1000U : 10U; },
      [&](std::size_t i) { ++visits[i]; });
  for (const auto& count : visits) CHECK(count == 1);
}

TEST_CASE("parallel_for never has more bytes in flight than its budget") {
  std::atomic<std::uint64_t> in_flight{0};
  std::atomic<std::uint64_t> most{0};
  parallel_for(
      200, 8, 30, [](std::size_t) { return 10U; },
      [&](std::size_t) {
        const auto now = in_flight += 10;
        auto seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        in_flight -= 10;
      });
  CHECK(most <= 30);
}

TEST_CASE("parallel_for reports the failure of the first item, whoever was faster") {
  for (int round = 0; round < 20; ++round) {
    try {
      parallel_for(
          64, 4, 1000, [](std::size_t) { return 1U; },
          [](std::size_t i) {
            if (i % 3 == 1) throw std::runtime_error(std::to_string(i));
          });
      FAIL("nothing was thrown");
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()) == "1");
    }
  }
}
