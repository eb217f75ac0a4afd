// SPDX-License-Identifier: Apache-2.0
#include "base/shared_content.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using truewheel::Buffer;
using truewheel::SharedContent;

using Pages = SharedContent::Pages;

TEST_CASE("a version of shared content changes neither the content nor other versions") {
  for (const auto pages : {Pages::on_demand, Pages::at_once}) {
    SharedContent content(10'000, pages);
    std::fill(content.bytes().begin(), content.bytes().end(), std::uint8_t{7});
    const Buffer tail(9'000, 8);
    auto longer = content.version(9'999, tail);
    auto shorter = content.version(5'000, {});
    REQUIRE(longer.bytes().size() == 18'999);
    REQUIRE(shorter.bytes().size() == 5'000);
    longer.bytes()[0] = 1;
    shorter.bytes()[1] = 2;
    CHECK(content.bytes()[0] == 7);
    CHECK(content.bytes()[1] == 7);
    CHECK(shorter.bytes()[0] == 7);
    CHECK(longer.bytes()[9'998] == 7);
    CHECK(longer.bytes()[9'999] == 8);
    CHECK(longer.bytes()[18'998] == 8);
    CHECK(content.bytes()[9'999] == 7);
  }
}

TEST_CASE("a version lives on when the content is forgotten") {
  // Small, of large pages, and too large to be copied.
  for (const std::size_t size : {5'000U, 5'000'001U, 70'000'003U}) {
    SharedContent content(size, Pages::at_once);
    std::fill(content.bytes().begin(), content.bytes().end(), std::uint8_t{3});
    const auto version = content.version(size, {});
    content.forget();
    CHECK(content.bytes().empty());
    CHECK(static_cast<std::size_t>(std::count(version.bytes().begin(), version.bytes().end(), 3)) ==
          size);
  }
}

TEST_CASE("content without bytes is no special case") {
  const SharedContent content(0);
  CHECK(content.bytes().empty());
  const Buffer tail{1, 2};
  CHECK(content.version(0, tail).bytes().size() == 2);
}
