// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_parts.hpp"

#include "base/deflate.hpp"
#include "base/inflate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>

namespace truewheel {
namespace {

Buffer text_like(std::size_t size) {
  std::mt19937 random(7);
  Buffer content(size);
  for (auto& byte : content) byte = static_cast<std::uint8_t>(random() % 17);
  return content;
}

void put_noise(std::span<std::uint8_t> place) {
  std::mt19937_64 random(8);
  for (auto& byte : place) byte = static_cast<std::uint8_t>(random());
}

/// By libdeflate and by our own inflate.
void check_inflates(Bytes stream, const Buffer& content) {
  Buffer whole(content.size());
  CHECK(!inflate_exactly(stream, whole));
  CHECK(whole == content);
  std::size_t at = 0;
  bool is_same = true;
  CHECK(!inflate_in_pieces(stream, content.size(), [&](Bytes piece) {
    is_same = is_same && std::equal(piece.begin(), piece.end(), content.data() + at);
    at += piece.size();
  }));
  CHECK(is_same);
  CHECK(at == content.size());
}

}  // namespace

TEST_CASE("a content compressed in parts inflates to itself, whatever its size") {
  for (const std::size_t size : {std::size_t{100}, kDeflatePart - 1, kDeflatePart, kDeflatePart + 1,
                                 2 * kDeflatePart + 12345}) {
    CAPTURE(size);
    const Buffer content = text_like(size);
    const auto stream = deflate_in_parts(content, 5, 2);
    REQUIRE(stream);
    check_inflates(stream->bytes(), content);
    const auto whole = deflate_smaller(content, 5);
    REQUIRE(whole);
    CHECK(stream->bytes().size() <= whole->size() + whole->size() / 200);
  }
}

TEST_CASE("the number of threads changes no byte of a content compressed in parts") {
  const Buffer content = text_like(3 * kDeflatePart + 1);
  const auto one = deflate_in_parts(content, 1, 1);
  const auto four = deflate_in_parts(content, 1, 4);
  REQUIRE(one);
  REQUIRE(four);
  CHECK(std::ranges::equal(one->bytes(), four->bytes()));
}

TEST_CASE("a part that deflate makes longer stands among others") {
  Buffer content = text_like(3 * kDeflatePart);
  put_noise(std::span(content).subspan(kDeflatePart, kDeflatePart));
  const auto stream = deflate_in_parts(content, 5, 2);
  REQUIRE(stream);
  check_inflates(stream->bytes(), content);
}

TEST_CASE("parts that are not smaller together are no stream") {
  Buffer noise(kDeflatePart + 5);
  put_noise(noise);
  CHECK(!deflate_in_parts(noise, 5, 2));
  CHECK(!deflate_in_parts({}, 5, 2));
}

TEST_CASE("each part of a content is told once when it is compressed") {
  const Buffer content = text_like(2 * kDeflatePart + 7);
  std::atomic<std::size_t> told = 0;
  REQUIRE(deflate_in_parts(content, 1, 2, [&](Bytes part) { told += part.size(); }));
  CHECK(told == content.size());
}

}  // namespace truewheel
