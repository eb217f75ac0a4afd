// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_blocks.hpp"

#include "base/bit_writer.hpp"
#include "deflate_support.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace truewheel {
namespace {

std::vector<DeflateBlock> checked_index(Bytes stream, Bytes content) {
  Buffer pieces;
  const auto blocks = index_deflate(
      stream, [&](Bytes piece) { pieces.insert(pieces.end(), piece.begin(), piece.end()); });
  CHECK(std::equal(pieces.begin(), pieces.end(), content.begin(), content.end()));
  std::vector<DeflateBlock> same;
  const Buffer whole = inflate_and_index(stream, content.size(), same);
  CHECK(whole == pieces);
  CHECK(same == blocks);
  check_index(stream, blocks, content.size());
  return blocks;
}

bool all_are(const std::vector<DeflateBlock>& blocks, DeflateBlockType type) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](const DeflateBlock& block) { return block.type == type; });
}

bool is_empty(const DeflateBlock& block) { return block.content_begin == block.content_end; }

bool refused(Bytes stream, std::uint64_t size) {
  std::vector<DeflateBlock> blocks;
  try {
    static_cast<void>(inflate_and_index(stream, size, blocks));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    CHECK(error.id() == "zip-content");
    CHECK(blocks.empty());
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the blocks of every kind of stream are found, with their content") {
  Random random(21);
  const Buffer content = varied_content(random, 150'000);
  for (const int level : {0, 1, 6, 9}) {
    for (const int strategy : {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}) {
      for (const int memory : {1, 9}) {
        checked_index(zlib_stream(content, {level, strategy, memory}), content);
      }
    }
  }
  for (const int flush : {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK}) {
    checked_index(zlib_stream(content, {6, Z_DEFAULT_STRATEGY, 8, flush, 9'999}), content);
  }
  for (const int level : {1, 6, 12}) checked_index(libdeflate_stream(content, level), content);
}

TEST_CASE("a block's type is what its header says") {
  Random random(22);
  const Buffer content = varied_content(random, 100'000);
  CHECK(all_are(checked_index(zlib_stream(content, {0}), content), DeflateBlockType::stored));
  CHECK(
      all_are(checked_index(zlib_stream(content, {6, Z_FIXED}), content), DeflateBlockType::fixed));
  CHECK(all_are(checked_index(zlib_stream(content, {6, Z_HUFFMAN_ONLY}), content),
                DeflateBlockType::dynamic));
}

TEST_CASE("a sync flush shows as an empty stored block that ends at a byte") {
  Random random(23);
  const Buffer content = varied_content(random, 3000);
  const auto blocks =
      checked_index(zlib_stream(content, {6, Z_DEFAULT_STRATEGY, 8, Z_SYNC_FLUSH, 1000}), content);
  const auto flushed = std::count_if(blocks.begin(), blocks.end(), [](const DeflateBlock& block) {
    return is_empty(block) && block.type == DeflateBlockType::stored && block.end_bit % 8 == 0;
  });
  CHECK(flushed == 2);
}

TEST_CASE("empty content is one empty block") {
  const Buffer stream = {3, 0};
  const auto blocks = checked_index(stream, {});
  REQUIRE(blocks.size() == 1);
  CHECK(blocks.front() == DeflateBlock{0, 10, 0, 0, DeflateBlockType::fixed, true});
}

TEST_CASE("content longer than the piece it is inflated into is indexed the same") {
  Random random(24);
  const Buffer content = varied_content(random, 2'500'000);
  CHECK(checked_index(zlib_stream(content, {1}), content).size() > 10);
  const Buffer zeros(3U << 20U);  // the piece ends inside a block, at a match
  checked_index(zlib_stream(zeros, {6}), zeros);
}

TEST_CASE("an indexed stream must end where it is said to and give the size it is said to") {
  Random random(25);
  const Buffer content = varied_content(random, 5000);
  for (const ZlibOptions& options :
       {ZlibOptions{}, ZlibOptions{0}, ZlibOptions{6, Z_DEFAULT_STRATEGY, 1}}) {
    Buffer stream = zlib_stream(content, options);
    CHECK(!refused(stream, 5000));
    CHECK(refused(stream, 4999));
    CHECK(refused(stream, 5001));
    CHECK(refused(stream, 0));
    CHECK(refused(stream, std::numeric_limits<std::uint64_t>::max()));
    for (std::size_t cut = 0; cut < stream.size(); ++cut) {
      CHECK(refused(Bytes(stream).first(cut), 5000));
      CHECK_THROWS_AS(static_cast<void>(index_deflate(Bytes(stream).first(cut), {})), Error);
    }
    stream.push_back(0);
    CHECK(refused(stream, 5000));
    CHECK_THROWS_AS(static_cast<void>(index_deflate(stream, {})), Error);
  }
  CHECK(refused({}, 0));
}

TEST_CASE("a damaged stream is refused or inflated as zlib inflates it") {
  Random random(26);
  const Buffer content = varied_content(random, 2000);
  const Buffer good = zlib_stream(content, {6, Z_DEFAULT_STRATEGY, 1});
  int refusals = 0;
  for (int round = 0; round < 2000; ++round) {
    Buffer stream = good;
    stream[random() % stream.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    if (const auto by_zlib = zlib_inflate(stream, content.size());
        by_zlib && by_zlib->content.size() == content.size()) {
      checked_index(stream, by_zlib->content);
    } else {
      CHECK(refused(stream, content.size()));
      ++refusals;
    }
  }
  CHECK(refusals > 100);
  CHECK(refusals < 2000);
}

TEST_CASE("a stream of mostly empty blocks inflates, but gets no index") {
  BitWriter out(0);
  for (int i = 0; i < 100'000; ++i) out.put(2, 10);  // fixed codes, and at once the end of block
  out.put(3, 10);
  const Buffer stream = out.finish();
  CHECK(index_deflate(stream, [](Bytes) { FAIL("there is no content"); }).empty());
  std::vector<DeflateBlock> blocks(1);
  CHECK(inflate_and_index(stream, 0, blocks).empty());
  CHECK(blocks.empty());
}

}  // namespace truewheel
