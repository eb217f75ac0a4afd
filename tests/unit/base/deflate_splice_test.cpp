// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_splice.hpp"

#include "base/bit_writer.hpp"
#include "base/splice_proof.hpp"
#include "deflate_support.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

namespace truewheel {
namespace {

using Kind = SplicePart::Kind;

struct Edit {
  Buffer content;
  std::vector<ContentRange> changed;
};

void change(Edit& edit, Random& random, std::uint64_t at, std::uint64_t length) {
  const std::uint64_t end = std::min<std::uint64_t>(at + length, edit.content.size());
  for (std::uint64_t i = at; i < end; ++i) {
    edit.content[static_cast<std::size_t>(i)] ^= static_cast<std::uint8_t>(1 + random() % 255);
  }
  if (at < end) edit.changed.push_back({at, end});
}

// A part encoded anew may be as large as its content, and has a few bytes of framing.
std::size_t size_limit(Bytes stream, const std::vector<SplicePart>& plan) {
  std::size_t limit = stream.size() + 1;
  for (const SplicePart& part : plan) {
    if (part.kind != Kind::encoded) continue;
    const std::size_t length = static_cast<std::size_t>(part.content.end - part.content.begin);
    limit += length + length / 50 + 16;
  }
  return limit;
}

bool bit_at(Bytes stream, std::uint64_t bit) {
  return (stream[static_cast<std::size_t>(bit / 8)] >> (bit % 8) & 1U) != 0;
}

// Every block that the plan copies stands in the new stream with the same content and, behind
// BFINAL, the same bits; a stored block's bits are its content and its padding.
void check_copied_blocks(Bytes stream, const std::vector<DeflateBlock>& blocks, Bytes spliced,
                         const std::vector<DeflateBlock>& new_blocks,
                         const std::vector<SplicePart>& plan) {
  auto at = new_blocks.begin();
  for (const SplicePart& part : plan) {
    if (part.kind == Kind::encoded) {
      while (at != new_blocks.end() && at->content_begin < part.content.end) ++at;
      continue;
    }
    for (std::size_t i = part.first_block; i < part.end_block; ++i) {
      const DeflateBlock& block = blocks[i];
      // The empty blocks that end an encoded run stand before it.
      const auto is_same = [&](const DeflateBlock& other) {
        return other.content_begin == block.content_begin &&
               other.content_end == block.content_end && other.type == block.type;
      };
      at = std::find_if(at, new_blocks.end(), is_same);
      REQUIRE(at != new_blocks.end());
      if (block.type != DeflateBlockType::stored) {
        REQUIRE(at->end_bit - at->first_bit == block.end_bit - block.first_bit);
        for (std::uint64_t bit = 1; bit < block.end_bit - block.first_bit; ++bit) {
          if (bit_at(spliced, at->first_bit + bit) != bit_at(stream, block.first_bit + bit)) {
            FAIL("bit ", bit, " of block ", i, " differs");
          }
        }
      }
      ++at;
    }
  }
}

// A flipped bit is found unless it is one that says nothing, such as padding.
template <class Proven>
void check_only_the_truth_is_proven(Buffer spliced, Bytes content, const Proven& proven) {
  Random random(static_cast<unsigned>(spliced.size()));
  for (int i = 0; i < 8; ++i) {
    const std::size_t byte = static_cast<std::size_t>(random() % spliced.size());
    const auto bit = static_cast<std::uint8_t>(1U << (random() % 8));
    spliced[byte] ^= bit;
    if (proven(spliced)) check_inflates_to(spliced, content);
    spliced[byte] ^= bit;
  }
  spliced.push_back(0);
  CHECK(!proven(spliced));
  spliced.resize(spliced.size() - 2);
  CHECK(!proven(spliced));
}

// Splices, whether that pays or not, and checks the result; the result.
Buffer checked_splice(Bytes stream, Bytes old_content, const Edit& edit, int level) {
  std::vector<DeflateBlock> blocks;
  static_cast<void>(inflate_and_index(stream, old_content.size(), blocks));
  REQUIRE(!blocks.empty());
  const auto plan = plan_splice(blocks, old_content.size(), edit.content.size(), edit.changed);
  std::vector<std::uint64_t> part_ends;
  Buffer spliced = write_splice(stream, blocks, edit.content, plan, level, &part_ends);
  check_inflates_to(spliced, edit.content);
  const auto proven = [&](Bytes candidate) {
    return is_proven(candidate, part_ends, plan, stream, blocks, edit.content);
  };
  CHECK(proven(spliced));
  check_only_the_truth_is_proven(spliced, edit.content, proven);
  CHECK(spliced.size() <= size_limit(stream, plan));
  const auto new_blocks = index_deflate(spliced, {});
  check_index(spliced, new_blocks, edit.content.size());
  check_copied_blocks(stream, blocks, spliced, new_blocks, plan);
  const auto public_one =
      splice_deflate(stream, blocks, edit.content, old_content.size(), edit.changed, level);
  if (public_one && edit.content.size() == old_content.size() && plan.size() == 1) {
    CHECK(std::equal(public_one->begin(), public_one->end(), stream.begin(), stream.end()));
  } else if (public_one) {
    CHECK(*public_one == spliced);
  }
  return spliced;
}

ZlibOptions any_options(Random& random) {
  static constexpr int kStrategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE,
                                        Z_FIXED};
  static constexpr int kFlushes[] = {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK};
  ZlibOptions options;
  options.level = static_cast<int>(random() % 10);
  options.strategy = random() % 2 == 0 ? Z_DEFAULT_STRATEGY : kStrategies[random() % 5];
  options.memory = random() % 3 == 0 ? 8 : 1 + static_cast<int>(random() % 3);
  options.flush = kFlushes[random() % 4];
  options.flush_every = random() % 2 == 0 ? 0 : 1 + random() % 20'000;
  // Tiny pieces make a long index; the sizes here stay small enough for it.
  if (options.flush_every != 0 && options.flush_every < 200) options.flush_every += 200;
  return options;
}

// Edits of every kind: none, few bytes anywhere, at the ends, at the edges of blocks and of the 32
// KiB before them, all of it, more or less content.
Edit any_edit(Random& random, const Buffer& content, const std::vector<DeflateBlock>& blocks) {
  Edit edit{content, {}};
  const unsigned size_kind = random() % 6;
  if (size_kind == 0) {
    const Buffer more = varied_content(random, 1 + random() % 3000);
    edit.content.insert(edit.content.end(), more.begin(), more.end());
  } else if (size_kind == 1) {
    const bool at_block = random() % 2 == 0;
    const std::uint64_t keep =
        at_block ? blocks[random() % blocks.size()].content_end : random() % (content.size() + 1);
    edit.content.resize(static_cast<std::size_t>(keep));
  }
  const std::size_t size = edit.content.size();
  if (size == 0) return edit;
  for (unsigned i = random() % 4; i > 0; --i) {
    const DeflateBlock& block = blocks[random() % blocks.size()];
    const std::uint64_t length = 1 + random() % (random() % 2 == 0 ? 3 : 300);
    switch (random() % 8) {
      case 0:
        change(edit, random, 0, length);
        break;
      case 1:
        change(edit, random, size - 1, 1);
        break;
      case 2:
        change(edit, random, block.content_begin, 1);
        break;
      case 3:
        change(edit, random, block.content_end, 1);
        break;
      case 4:
        if (block.content_begin >= 32770) {
          change(edit, random, block.content_begin - 32770 + random() % 5, 1);
        }
        break;
      case 5:
        if (random() % 8 == 0) change(edit, random, 0, size);
        break;
      case 6:
        edit.changed.push_back({random() % size, size + 5});
        break;  // says too much
      default:
        change(edit, random, random() % size, length);
    }
  }
  return edit;
}

}  // namespace

TEST_CASE("random edits of random streams splice to the new content") {
  // A long run: TRUEWHEEL_ROUNDS=200000 TRUEWHEEL_SEED=$RANDOM unit_base -tc="random edits*"
  const unsigned seed = number_from_environment("TRUEWHEEL_SEED", 20'240'601);
  const unsigned rounds = number_from_environment("TRUEWHEEL_ROUNDS", 1500);
  MESSAGE("seed ", seed, ", ", rounds, " rounds");
  std::size_t copied_parts = 0;
  std::size_t public_results = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Random random(seed + round);
    const std::size_t size = random() % (random() % 4 == 0 ? 150'000 : 20'000);
    const Buffer content = varied_content(random, size);
    const Buffer stream = random() % 100 == 0 && size < 20'000 ? zopfli_stream(content)
                          : random() % 5 == 0
                              ? libdeflate_stream(content, 1 + static_cast<int>(random() % 12))
                              : zlib_stream(content, any_options(random));
    std::vector<DeflateBlock> blocks;
    static_cast<void>(inflate_and_index(stream, size, blocks));
    REQUIRE(!blocks.empty());
    const Edit edit = any_edit(random, content, blocks);
    const int level = random() % 3 == 0 ? static_cast<int>(random() % 10) : 6;
    checked_splice(stream, content, edit, level);
    for (const auto& part : plan_splice(blocks, size, edit.content.size(), edit.changed)) {
      copied_parts += part.kind == Kind::copied ? 1 : 0;
    }
    if (splice_deflate(stream, blocks, edit.content, size, edit.changed, level)) ++public_results;
  }
  // The generator must reach what it is for.
  CHECK(copied_parts > rounds / 2);
  CHECK(public_results > rounds / 5);
}

TEST_CASE("a large stream is spliced and proven in parts, and each is told when it is done with") {
  Random random(33);
  Buffer content(std::size_t{24} << 20U);
  for (auto& byte : content) byte = static_cast<std::uint8_t>(random() & 63U);
  const Buffer stream = libdeflate_stream(content, 1);
  std::vector<DeflateBlock> blocks;
  REQUIRE(inflate_and_index(stream, content.size(), blocks) == content);
  content[100] ^= 1U;
  content[content.size() / 2] ^= 1U;
  std::vector<Bytes> parts;
  const auto spliced = splice_deflate(stream, blocks, content, content.size(),
                                      {{100, 101}, {content.size() / 2, content.size() / 2 + 1}}, 6,
                                      [&](Bytes part) { parts.push_back(part); });
  REQUIRE(spliced);
  CHECK(zlib_inflate(*spliced, content.size())->content == content);
  std::size_t told = 0;
  for (const Bytes part : parts) {
    CHECK(part.data() >= stream.data());
    CHECK(part.data() + part.size() <= stream.data() + stream.size());
    CHECK(part.size() <= (std::size_t{8} << 20U));
    told += part.size();
  }
  CHECK(parts.size() >= 6);
  // All but the blocks that were encoded again, once for writing and once for the proof.
  CHECK(told > 2 * (stream.size() - (std::size_t{1} << 20U)));
  CHECK(told <= 2 * stream.size());
}

TEST_CASE("what is copied is what no changed byte touches or lies within 32 KiB before") {
  Random random(32);
  for (int round = 0; round < 300; ++round) {
    std::vector<DeflateBlock> blocks;
    std::uint64_t content = 0;
    for (unsigned i = 1 + random() % 30; i > 0; --i) {
      const std::uint64_t end = content + (random() % 4 == 0 ? 0 : random() % 20'000);
      blocks.push_back({blocks.size() * 100, blocks.size() * 100 + 100, content, end,
                        DeflateBlockType::dynamic, i == 1});
      content = end;
    }
    std::uint64_t new_size = content;
    if (round % 3 == 1) new_size = random() % (content + 1);
    if (round % 3 == 2) new_size += random() % 1000;
    std::vector<ContentRange> changed;
    for (unsigned i = random() % 4; i > 0; --i) {
      const std::uint64_t at = random() % (new_size + 100);
      changed.push_back({at, at + random() % 50});
    }
    std::vector<char> is_copied(blocks.size(), 0);
    std::uint64_t end = 0;
    const auto plan = plan_splice(blocks, content, new_size, changed);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      CHECK(plan[i].content.begin == end);
      end = plan[i].content.end;
      if (i > 0) CHECK(plan[i].kind != plan[i - 1].kind);
      for (std::size_t b = plan[i].first_block; b < plan[i].end_block; ++b) is_copied[b] = 1;
    }
    CHECK(end == new_size);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      bool expected = blocks[b].content_end <= new_size &&
                      (blocks[b].content_begin < new_size || new_size >= content);
      for (const ContentRange& range : changed) {
        for (std::uint64_t at = range.begin; at < std::min(range.end, new_size); ++at) {
          if (at + 32768 >= blocks[b].content_begin && at < blocks[b].content_end) expected = false;
        }
      }
      CHECK((is_copied[b] != 0) == expected);
    }
  }
}

TEST_CASE("with nothing changed the stream comes back byte for byte") {
  Random random(33);
  const Buffer content = varied_content(random, 40'000);
  for (int level = 0; level <= 9; ++level) {
    const Buffer stream = zlib_stream(content, {level});
    const auto blocks = index_deflate(stream, {});
    CHECK(splice_deflate(stream, blocks, content, content.size(), {}, 6) == stream);
    CHECK(splice_deflate(stream, blocks, content, content.size(), {{7, 7}, {50'000, 60'000}}, 6) ==
          stream);
  }
  const Buffer empty = {3, 0};
  CHECK(splice_deflate(empty, index_deflate(empty, {}), {}, 0, {}, 6) == empty);
}

TEST_CASE("a few changed bytes cost at most two kilobytes, at every level") {
  Random random(34);
  const Buffer content = varied_content(random, 1'500'000);
  for (int level = 1; level <= 9; ++level) {
    CAPTURE(level);
    const Buffer stream = zlib_stream(content, {level});
    const auto blocks = index_deflate(stream, {});
    Edit edit{content, {}};
    change(edit, random, 700'000, 40);
    change(edit, random, 16, 64);
    const auto spliced =
        splice_deflate(stream, blocks, edit.content, content.size(), edit.changed, level);
    REQUIRE(spliced);
    check_inflates_to(*spliced, edit.content);
    CHECK(spliced->size() < stream.size() + 2000);
    CHECK(splice_deflate(stream, blocks, edit.content, content.size(), edit.changed, level) ==
          spliced);
  }
}

TEST_CASE("the first byte, the last byte, more content and less content") {
  Random random(35);
  const Buffer content = varied_content(random, 120'000);
  for (const ZlibOptions& options :
       {ZlibOptions{}, ZlibOptions{0}, ZlibOptions{6, Z_FIXED, 1},
        ZlibOptions{9, Z_DEFAULT_STRATEGY, 1}, ZlibOptions{1, Z_DEFAULT_STRATEGY, 8, Z_BLOCK, 7001},
        ZlibOptions{1, Z_DEFAULT_STRATEGY, 8, Z_PARTIAL_FLUSH, 7001}}) {
    const Buffer stream = zlib_stream(content, options);
    for (const int level : {0, 1, 6, 9}) {
      CAPTURE(level);
      Edit edit{content, {}};
      change(edit, random, 0, 1);
      checked_splice(stream, content, edit, level);
      edit = {content, {}};
      change(edit, random, content.size() - 1, 1);
      checked_splice(stream, content, edit, level);
      edit = {content, {}};
      edit.content.insert(edit.content.end(), content.begin(), content.begin() + 5000);
      checked_splice(stream, content, edit, level);
      edit = {Buffer(content.begin(), content.end() - 1), {}};
      checked_splice(stream, content, edit, level);
      edit = {{}, {}};
      checked_splice(stream, content, edit, level);
      edit = {content, {}};
      change(edit, random, 0, content.size());
      checked_splice(stream, content, edit, level);
    }
  }
}

TEST_CASE("content cut at the end of a block marks the block before as the last") {
  Random random(36);
  const Buffer content = varied_content(random, 60'000);
  const Buffer stream = zlib_stream(content, {6, Z_DEFAULT_STRATEGY, 1});
  const auto blocks = index_deflate(stream, {});
  const DeflateBlock& cut = blocks[blocks.size() / 2];
  const Buffer kept(content.begin(),
                    content.begin() + static_cast<std::ptrdiff_t>(cut.content_end));
  const auto spliced = splice_deflate(stream, blocks, kept, content.size(), {}, 6);
  REQUIRE(spliced);
  check_inflates_to(*spliced, kept);
  CHECK(spliced->size() == (cut.end_bit + 7) / 8);
}

TEST_CASE("stored blocks keep their content at whatever bit the blocks before them end") {
  Random random(37);
  // Stored and compressed blocks by turns, with padding that is not zero, as no tool writes it and
  // RFC 1951 allows it.
  BitWriter out(0);
  Buffer content;
  for (int i = 0; i < 120; ++i) {
    const Buffer part = varied_content(random, random() % 3 == 0 ? 0 : 1000 + random() % 500);
    content.insert(content.end(), part.begin(), part.end());
    if (i % 3 == 0) {
      const Buffer coded = zlib_stream(part, {6, Z_FIXED});
      const auto blocks = index_deflate(coded, {});
      out.put(0, 1);
      out.copy(coded, 1, blocks.back().end_bit);
      REQUIRE(blocks.size() == 1);
    } else {
      out.put(0, 3);
      while (out.position() % 8 != 0) out.put(1, 1);
      out.put(static_cast<unsigned>(part.size()), 16);
      out.put(~static_cast<unsigned>(part.size()), 16);
      out.append(part);
    }
  }
  out.put(3, 10);
  const Buffer stream = out.finish();
  check_inflates_to(stream, content);
  for (int round = 0; round < 40; ++round) {
    Edit edit{content, {}};
    change(edit, random, random() % content.size(), 3);
    if (round % 4 == 0) edit.content.push_back('x');
    checked_splice(stream, content, edit, 6);
  }
}

TEST_CASE("compressing anew is left to the caller where splicing does not pay") {
  Random random(38);
  const Buffer content = varied_content(random, 300'000);
  const Buffer stream = zlib_stream(content, {6, Z_DEFAULT_STRATEGY, 1});
  const auto blocks = index_deflate(stream, {});
  const auto splice = [&](std::vector<ContentRange> changed) {
    return splice_deflate(stream, blocks, content, content.size(), std::move(changed), 6);
  };
  CHECK(splice({{0, 50'000}}));
  CHECK(!splice({{0, 120'000}}));
  CHECK(!splice({{0, content.size()}}));
  CHECK(!splice({{10, 11}, {75'000, 75'001}, {150'000, 150'001}, {225'000, 225'001}}));
  // Not smaller than its content: the caller stores it.
  const Buffer stored = zlib_stream(content, {0});
  CHECK(!splice_deflate(stored, index_deflate(stored, {}), content, content.size(), {{1, 2}}, 0));
}

TEST_CASE("an index that is not the stream's is not followed") {
  Random random(39);
  const Buffer content = varied_content(random, 200'000);
  const Buffer stream = zlib_stream(content, {6, Z_DEFAULT_STRATEGY, 1});
  const auto blocks = index_deflate(stream, {});
  Buffer changed = content;
  changed[5] ^= 1;
  const auto splice = [&](const std::vector<DeflateBlock>& index, Bytes of) {
    return splice_deflate(of, index, changed, content.size(), {{5, 6}}, 6);
  };
  CHECK(splice(blocks, stream));
  CHECK(!splice({}, stream));
  CHECK(!splice(blocks, Bytes(stream).first(stream.size() - 1)));
  CHECK(!splice_deflate(stream, blocks, changed, content.size() - 1, {{5, 6}}, 6));
  CHECK(!splice({blocks.begin() + 1, blocks.end()}, stream));
  CHECK(!splice({blocks.begin(), blocks.end() - 1}, stream));
  auto odd = blocks;
  odd[3].end_bit += 1;
  CHECK(!splice(odd, stream));
  odd = blocks;
  odd[3].content_end += 1;
  CHECK(!splice(odd, stream));
  odd = blocks;
  odd[3].last = true;
  CHECK(!splice(odd, stream));
  odd = blocks;
  odd.back().end_bit = odd.back().first_bit;
  CHECK(!splice(odd, stream));
}

TEST_CASE("a changed range that ends before it begins is a bug of the caller") {
  const Buffer stream = {3, 0};
  try {
    static_cast<void>(splice_deflate(stream, index_deflate(stream, {}), {}, 0, {{2, 1}}, 6));
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
    CHECK(error.id() == "splice-range");
  }
}

}  // namespace truewheel
