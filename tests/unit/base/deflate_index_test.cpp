// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_index.hpp"

#include "base/deflate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace {

using namespace truewheel;

/// Text that compresses, with repetitions that reach back over the points of the index.
Buffer sample(std::size_t size) {
  std::mt19937 random(7);
  Buffer content(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto choice = random() % 8;
    content[i] = choice < 5 && i > 30000 ? content[i - 29999] : static_cast<std::uint8_t>(choice);
  }
  return content;
}

}  // namespace

TEST_CASE("an inflate index gives any part of a content without the rest") {
  const Buffer content = sample(20U << 20);
  const auto packed = deflate_smaller(content, 6);
  REQUIRE(packed);
  InflateIndex index;
  Buffer streamed;
  REQUIRE_FALSE(index.build(*packed, content.size(), [&](Bytes piece) {
    streamed.insert(streamed.end(), piece.begin(), piece.end());
  }));
  CHECK(streamed == content);
  std::mt19937 random(8);
  for (int i = 0; i < 40; ++i) {
    const std::size_t offset = random() % content.size();
    const std::size_t length = std::min<std::size_t>(random() % 3'000'000, content.size() - offset);
    Buffer part(length);
    REQUIRE(index.read(*packed, offset, part));
    CHECK(std::equal(part.begin(), part.end(),
                     content.begin() + static_cast<std::ptrdiff_t>(offset)));
  }
  Buffer past(10);
  CHECK_FALSE(index.read(*packed, content.size() - 5, past));
}

TEST_CASE("an inflate index says what is wrong with a stream") {
  const Buffer content = sample(1U << 20);
  auto packed = *deflate_smaller(content, 6);
  InflateIndex index;
  const auto ignore = [](Bytes) {};
  CHECK(index.build(packed, content.size() - 1, ignore) ==
        "the content is longer than the size it is given");
  CHECK(index.build(packed, content.size() + 1, ignore) ==
        "the content is shorter than the size it is given");
  CHECK(index.build(Bytes(packed).first(packed.size() / 2), content.size(), ignore) ==
        "the deflate stream is damaged");
  packed.push_back(0);
  CHECK(index.build(packed, content.size(), ignore) ==
        "data follows the end of the deflate stream");
}
