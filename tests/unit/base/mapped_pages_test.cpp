// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace truewheel {
namespace {

TEST_CASE(
    "base: memory in pages begins with zeros and keeps its bytes when it gets longer or shorter") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{5'000'001}}) {
    auto pages = MappedPages::memory(size);
    REQUIRE(pages.bytes().size() == size);
    CHECK(std::count(pages.bytes().begin(), pages.bytes().end(), 0) ==
          static_cast<std::ptrdiff_t>(size));
    std::fill(pages.bytes().begin(), pages.bytes().end(), std::uint8_t{3});
    pages.resize(size + 10'000);
    REQUIRE(pages.bytes().size() == size + 10'000);
    CHECK(std::count(pages.bytes().begin(), pages.bytes().end(), 3) ==
          static_cast<std::ptrdiff_t>(size));
    pages.bytes().back() = 9;
    pages.resize(1);
    CHECK(pages.bytes().size() == 1);
    CHECK(pages.bytes()[0] == 3);
  }
}

TEST_CASE("base: memory of no bytes is no special case") {
  auto nothing = MappedPages::memory(0);
  CHECK(nothing.bytes().empty());
  nothing.resize(7);
  CHECK(nothing.bytes().size() == 7);
  nothing.resize(0);
  CHECK(nothing.bytes().empty());
}

TEST_CASE("base: memory that can never be is an error") {
  CHECK_THROWS(static_cast<void>(MappedPages::memory(std::uint64_t{1} << 62U)));
}

}  // namespace
}  // namespace truewheel
