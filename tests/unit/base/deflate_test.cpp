// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"

#include "base/byte_reader.hpp"
#include "base/inflate.hpp"

#include <doctest/doctest.h>

#include <random>

namespace truewheel {
namespace {

std::optional<std::string_view> inflate_both(Bytes compressed, std::size_t size,
                                             Buffer* content = nullptr) {
  Buffer whole(size);
  const auto problem = inflate_exactly(compressed, whole);
  Buffer pieces;
  const auto problem_in_pieces = inflate_in_pieces(compressed, size, [&](Bytes piece) {
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  });
  CHECK(problem.has_value() == problem_in_pieces.has_value());
  CHECK(pieces.size() <= size);
  if (!problem) CHECK(whole == pieces);
  if (content != nullptr) *content = whole;
  return problem;
}

}  // namespace

TEST_CASE("what is deflated inflates to the same, at every level and over several pieces") {
  std::mt19937 random(7);
  Buffer content;
  for (int i = 0; i < 700'000; ++i) content.push_back(static_cast<std::uint8_t>(random() % 17));
  for (int level = 1; level <= 9; ++level) {
    const auto compressed = deflate_smaller(content, level);
    REQUIRE(compressed);
    CHECK(compressed->size() < content.size());
    Buffer again;
    CHECK(!inflate_both(*compressed, content.size(), &again));
    CHECK(again == content);
  }
}

TEST_CASE("deflate_smaller gives nothing when the result would not be smaller") {
  std::mt19937 random(8);
  Buffer noise;
  for (int i = 0; i < 1000; ++i) noise.push_back(static_cast<std::uint8_t>(random()));
  CHECK(!deflate_smaller(noise, 9));
  CHECK(!deflate_smaller({}, 9));
  CHECK(!deflate_smaller(as_bytes("a"), 9));
}

TEST_CASE("a stream must end where it is said to and give the size it is said to") {
  const Buffer content(2000, 'a');
  const auto compressed = deflate_smaller(content, 6);
  REQUIRE(compressed);
  CHECK(!inflate_both(*compressed, 2000));
  CHECK(inflate_both(*compressed, 1999));
  CHECK(inflate_both(*compressed, 2001));
  CHECK(inflate_both(*compressed, 0));
  for (std::size_t length = 0; length < compressed->size(); ++length) {
    CHECK(inflate_both(Bytes(*compressed).first(length), 2000));
  }
  Buffer longer = *compressed;
  longer.push_back(0);
  CHECK(inflate_both(longer, 2000));
}

TEST_CASE("content of exactly one piece, and of one byte more or less, streams whole") {
  for (const std::size_t size : {262'143UL, 262'144UL, 262'145UL, 524'288UL}) {
    const Buffer content(size, 'p');
    const auto compressed = deflate_smaller(content, 1);
    REQUIRE(compressed);
    CAPTURE(size);
    CHECK(!inflate_both(*compressed, size));
  }
}

TEST_CASE("no claim above the largest ratio is true, and claims near it can be") {
  const Buffer content(10'000'000, 0);
  const auto compressed = deflate_smaller(content, 9);
  REQUIRE(compressed);
  const auto ratio = static_cast<double>(content.size()) / static_cast<double>(compressed->size());
  CHECK(ratio > 900);
  CHECK(ratio <= static_cast<double>(kMaxDeflateRatio));
}

}  // namespace truewheel
