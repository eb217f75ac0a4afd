// SPDX-License-Identifier: Apache-2.0
#include "base/bit_writer.hpp"
#include "base/deflate_decoder.hpp"
#include "base/inflate_in_order.hpp"
#include "deflate_support.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <mutex>

namespace truewheel {
namespace {

constexpr std::size_t kLimit = std::size_t{4} << 20U;

// What zlib takes, both forms of the inflater take with the same bytes and blocks; what it refuses,
// both refuse.
bool check_against_zlib(Bytes stream) {
  const auto by_zlib = zlib_inflate(stream, kLimit);
  PiecewiseInflater pieces(stream, BlockIndex::made);
  Buffer content;
  for (Bytes piece = pieces.next(); !piece.empty() && content.size() <= kLimit;
       piece = pieces.next()) {
    content.insert(content.end(), piece.begin(), piece.end());
  }
  const bool taken = !pieces.problem() && content.size() <= kLimit;
  REQUIRE(taken == by_zlib.has_value());
  Buffer whole(by_zlib ? by_zlib->content.size() : std::min(content.size(), kLimit));
  std::vector<DeflateBlock> blocks;
  const auto problem = inflate_whole(stream, whole, &blocks);
  REQUIRE(problem.has_value() != taken);
  {
    const PortableDecoding portable;
    Buffer again(whole.size());
    REQUIRE(inflate_whole(stream, again, nullptr).has_value() == problem.has_value());
    REQUIRE((problem || again == whole));
  }
  if (!taken) return false;
  REQUIRE(content == by_zlib->content);
  REQUIRE(whole == by_zlib->content);
  REQUIRE(blocks == by_zlib->blocks);
  REQUIRE(pieces.take_blocks() == by_zlib->blocks);
  return true;
}

void check_damaged_forms(const Buffer& stream) {
  for (std::size_t cut = 0; cut < stream.size(); ++cut) {
    REQUIRE(!check_against_zlib(Bytes(stream).first(cut)));
  }
  Buffer flipped = stream;
  for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    check_against_zlib(flipped);
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
  }
  flipped.push_back(0);
  REQUIRE(!check_against_zlib(flipped));
}

// A dynamic block from its code lengths, written plainly: each in four bits, the last block.
class DynamicBlock {
 public:
  DynamicBlock(const std::vector<unsigned>& literals, const std::vector<unsigned>& distances) {
    out_.put(1, 1);
    out_.put(2, 2);
    out_.put(static_cast<unsigned>(literals.size()) - 257, 5);
    out_.put(static_cast<unsigned>(distances.size()) - 1, 5);
    out_.put(15, 4);
    // 16 symbols of four bits: the lengths 0 to 15 themselves.
    for (unsigned i = 0; i < 19; ++i) out_.put(i < 3 ? 0 : 4, 3);
    for (const auto* lengths : {&literals, &distances}) {
      for (const unsigned length : *lengths) put_code(length, 4);
    }
  }
  /// Huffman codes stand in a stream from their highest bit down.
  void put_code(unsigned code, unsigned length) {
    for (unsigned i = length; i > 0; --i) out_.put(code >> (i - 1), 1);
  }
  Buffer finish() { return out_.finish(); }

 private:
  BitWriter out_{0};
};

std::vector<unsigned> lengths(std::size_t size,
                              std::initializer_list<std::pair<std::size_t, unsigned>> used) {
  std::vector<unsigned> all(size, 0);
  for (const auto& [symbol, length] : used) all[symbol] = length;
  return all;
}

}  // namespace

TEST_CASE("random streams of every coder inflate as zlib inflates them, block for block") {
  constexpr int kStrategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
  constexpr int kFlushes[] = {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK};
  for (unsigned round = 0; round < 300; ++round) {
    CAPTURE(round);
    Random random(8000 + round);
    const std::size_t size = random() % (random() % 5 == 0 ? 600'000 : 9'000);
    const Buffer content = varied_content(random, size);
    if (round % 20 == 1 && size < 100'000) {
      CHECK(check_against_zlib(zopfli_stream(content)));
      continue;
    }
    if (round % 6 == 0) {
      CHECK(check_against_zlib(libdeflate_stream(content, 1 + static_cast<int>(random() % 12))));
      continue;
    }
    ZlibOptions options;
    options.level = static_cast<int>(random() % 10);
    options.strategy = kStrategies[random() % 5];
    options.memory = 1 + static_cast<int>(random() % 9);
    options.flush = kFlushes[random() % 4];
    options.flush_every = random() % 3 == 0 ? 500 + random() % 20'000 : 0;
    CHECK(check_against_zlib(zlib_stream(content, options)));
  }
}

TEST_CASE("a stream inflates from its restart points, on one thread and on several") {
  for (unsigned round = 0; round < 40; ++round) {
    CAPTURE(round);
    Random random(9000 + round);
    const Buffer content = varied_content(random, random() % 3'000'000);
    ZlibOptions options;
    options.level = static_cast<int>(random() % 10);
    options.memory = 1 + static_cast<int>(random() % 9);
    const Buffer stream =
        round % 4 == 0 ? libdeflate_stream(content, 6) : zlib_stream(content, options);
    PiecewiseInflater first(stream, BlockIndex::made);
    first.keep_restarts(1 + random() % 200'000);
    while (!first.next().empty()) continue;
    REQUIRE(!first.problem());
    const auto restarts = first.take_restarts();
    if (content.size() > 1'000'000) CHECK(restarts.size() > 2);
    for (const unsigned jobs : {1U, 3U}) {
      Buffer again;
      std::mutex mutex;
      std::size_t used = 0;
      const auto problem = inflate_in_order(
          stream, content.size(), restarts, jobs,
          [&](Bytes piece) { again.insert(again.end(), piece.begin(), piece.end()); },
          [&](Bytes part) {
            const std::lock_guard lock(mutex);
            used += part.size();
          });
      REQUIRE(!problem);
      CHECK(again == content);
      CHECK(used == stream.size());
    }
    if (content.empty()) continue;
    // A stream that changed since is told, or what came out is the content all the same.
    Buffer changed = stream;
    changed[random() % changed.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    Buffer again;
    const auto append = [&](Bytes piece) { again.insert(again.end(), piece.begin(), piece.end()); };
    const auto nothing = [](Bytes) {};
    const auto by_zlib = zlib_inflate(changed, 2 * content.size() + 1000);
    const auto problem = inflate_in_order(changed, content.size(), restarts, 2, append, nothing);
    if (!by_zlib) CHECK((problem.has_value() || again != content));
    CHECK(inflate_in_order(Bytes(stream).first(stream.size() - 1), content.size(), restarts, 2,
                           append, nothing));
    CHECK(inflate_in_order(stream, content.size() - 1, restarts, 2, append, nothing));
    CHECK(inflate_in_order(stream, content.size() + 1, restarts, 2, append, nothing));
    struct Stop {};
    CHECK_THROWS_AS(static_cast<void>(inflate_in_order(
                        stream, content.size(), restarts, 3, [](Bytes) { throw Stop(); }, nothing)),
                    Stop);
  }
}

TEST_CASE("a stream cut anywhere or with any bit changed gets zlib's verdict and zlib's bytes") {
  Random random(81);
  for (const std::size_t size : {0, 1, 40, 700}) {
    const Buffer content = varied_content(random, size);
    for (const int strategy : {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_FIXED}) {
      check_damaged_forms(zlib_stream(content, {9, strategy, 1}));
    }
    check_damaged_forms(zlib_stream(content, {0}));
    check_damaged_forms(libdeflate_stream(content, 12));
  }
}

TEST_CASE("a code's every length and symbol decodes") {
  // Lengths 1, 2, … 14, 15, 15 make a complete code; the symbols take turns at the longest.
  Random random(82);
  for (unsigned round = 0; round < 300; ++round) {
    CAPTURE(round);
    std::vector<unsigned> literals(286, 0);
    std::vector<unsigned> distances(30, 0);
    for (auto* all : {&literals, &distances}) {
      std::size_t symbol = random() % all->size();
      for (unsigned length = 1; length <= 16; ++length) {
        while ((*all)[symbol] != 0) symbol = random() % all->size();
        (*all)[symbol] = std::min(length, 15U);
      }
    }
    if (literals[256] == 0) {
      std::swap(literals[256], *std::find(literals.begin(), literals.end(), 15U));
    }
    DynamicBlock block(literals, distances);
    for (unsigned i = 0; i < 2000; ++i) block.put_code(random(), 1);
    check_against_zlib(block.finish());
  }
}

TEST_CASE("codes with too many or too few symbols are taken or refused as zlib does") {
  // Complete; the end alone; two, one or no distance; the over-full and the half-empty.
  const auto none = std::vector<unsigned>(1, 0);
  const auto one = std::vector<unsigned>(1, 1);
  struct Case {
    std::vector<unsigned> literals, distances;
    bool taken;
  };
  const Case cases[] = {
      {lengths(257, {{256, 1}}), one, true},
      {lengths(257, {{256, 1}}), none, true},
      {lengths(257, {{256, 2}}), one, false},
      {lengths(257, {{0, 1}, {256, 1}}), none, true},
      {lengths(257, {{0, 1}, {256, 2}}), one, false},
      {lengths(257, {{0, 1}, {1, 1}, {256, 1}}), one, false},
      {lengths(257, {{0, 1}}), one, false},
      {lengths(257, {{256, 1}}), {1, 1}, true},
      {lengths(257, {{256, 1}}), {2, 2}, false},
      {lengths(257, {{256, 1}}), {1, 1, 1}, false},
      {lengths(286, {{256, 1}, {285, 1}}), std::vector<unsigned>(30, 0), true},
      {lengths(287, {{256, 1}, {286, 1}}), one, false},
      {lengths(257, {{256, 1}}), lengths(31, {{30, 1}}), false},
  };
  for (const auto& each : cases) {
    DynamicBlock block(each.literals, each.distances);
    // The end of block is the code 0 or 1 of one bit; where it is 1, a literal or length is 0.
    const bool alone = std::count(each.literals.begin(), each.literals.end(), 0U) ==
                       static_cast<std::ptrdiff_t>(each.literals.size()) - 1;
    block.put_code(alone || each.literals.size() > 257 ? 0 : 1, 1);
    CHECK(check_against_zlib(block.finish()) == each.taken);
  }
}

TEST_CASE("a match of any distance and length copies as zlib copies it") {
  for (unsigned distance = 1; distance <= 40; ++distance) {
    Buffer content;
    for (unsigned i = 0; i < distance; ++i) content.push_back(static_cast<std::uint8_t>(17 * i));
    for (unsigned i = 0; i < 3000; ++i) content.push_back(content[content.size() - distance]);
    for (unsigned cut = 0; cut < 300; cut += 7) {
      const Bytes part = Bytes(content).first(content.size() - cut);
      CHECK(check_against_zlib(zlib_stream(part, {9, Z_FIXED})));
    }
  }
}

TEST_CASE("a match farther back than the content is refused, at the start and after 32 KiB") {
  // Length 3 and distance 32768: fixed codes, 13 extra bits that are ones.
  const auto stream = [](std::size_t literals) {
    BitWriter out(0);
    out.put(3, 3);
    for (std::size_t i = 0; i < literals; ++i) out.put(0x0c, 8);  // the code of byte 0
    out.put(0x40, 7);
    out.put(0x17, 5);
    out.put(0x1fff, 13);
    out.put(0, 7);
    return out.finish();
  };
  CHECK(!check_against_zlib(stream(0)));
  CHECK(!check_against_zlib(stream(32767)));
  CHECK(check_against_zlib(stream(32768)));
  CHECK(check_against_zlib(stream(300'000)));
}

TEST_CASE("content longer or shorter than its room is refused, and nothing is written past it") {
  Random random(83);
  const Buffer content = varied_content(random, 3000);
  for (const Buffer& stream : {zlib_stream(content, {9}), zlib_stream(content, {0})}) {
    for (const std::size_t size : {0, 1, 2000, 2998, 2999, 3001, 5000}) {
      Buffer room(size + 600, 0xa5);
      CHECK(inflate_whole(stream, std::span(room).first(size), nullptr));
      CHECK(std::all_of(room.begin() + static_cast<std::ptrdiff_t>(size), room.end(),
                        [](std::uint8_t byte) { return byte == 0xa5; }));
    }
    std::size_t told = 0;
    CHECK(inflate_in_pieces(stream, 2999, [&](Bytes piece) { told += piece.size(); }));
    CHECK(told <= 2999);
    CHECK(inflate_in_pieces(stream, 3001, [](Bytes) {}));
    CHECK(!inflate_in_pieces(stream, 3000, [](Bytes) {}));
  }
}

}  // namespace truewheel
