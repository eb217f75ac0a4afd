// SPDX-License-Identifier: Apache-2.0
#include "base/splice_proof.hpp"

#include "deflate_support.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <utility>

namespace truewheel {
namespace {

using Kind = SplicePart::Kind;

/// A splice and all that is said of it. Stored blocks stand among others, so that each kind of copy
/// is made.
struct Claim {
  Buffer stream;
  std::vector<DeflateBlock> blocks;
  Buffer content;
  std::vector<SplicePart> plan;
  std::vector<std::uint64_t> part_ends;
  Buffer spliced;

  [[nodiscard]] bool holds() const {
    return is_proven(spliced, part_ends, plan, stream, blocks, content);
  }
  [[nodiscard]] SplicePart& part(Kind kind) {
    return *std::find_if(plan.begin(), plan.end(),
                         [&](const SplicePart& part) { return part.kind == kind; });
  }
  [[nodiscard]] DeflateBlock& copied(DeflateBlockType type) {
    for (const SplicePart& part : plan) {
      for (std::size_t i = part.first_block; part.kind == Kind::copied && i < part.end_block; ++i) {
        if (blocks[i].type == type) return blocks[i];
      }
    }
    FAIL("no such block is copied");
    return blocks.front();
  }
};

Claim true_claim() {
  Random random(7);
  Claim claim;
  Buffer old = varied_content(random, 300000);
  for (std::size_t i = 150000; i < 250000; ++i) old[i] = static_cast<std::uint8_t>(random());
  claim.stream = libdeflate_stream(old, 6);
  static_cast<void>(inflate_and_index(claim.stream, old.size(), claim.blocks));
  claim.content = old;
  const ContentRange changed{60000, 60010};
  for (auto i = changed.begin; i < changed.end; ++i)
    claim.content[static_cast<std::size_t>(i)] ^= 1;
  claim.plan = plan_splice(claim.blocks, old.size(), old.size(), {changed});
  claim.spliced =
      write_splice(claim.stream, claim.blocks, claim.content, claim.plan, 6, &claim.part_ends);
  return claim;
}

}  // namespace

TEST_CASE("a splice is proven only where everything that is said of it is true") {
  const Claim truth = true_claim();
  REQUIRE(truth.holds());
  const std::pair<const char*, std::function<void(Claim&)>> lies[] = {
      {"a part has no end", [](Claim& claim) { claim.part_ends.pop_back(); }},
      {"a part ends a bit later", [](Claim& claim) { ++claim.part_ends.front(); }},
      {"the last part ends a bit earlier", [](Claim& claim) { --claim.part_ends.back(); }},
      {"an encoded part begins later",
       [](Claim& claim) { ++claim.part(Kind::encoded).content.begin; }},
      {"an encoded part ends before it begins",
       [](Claim& claim) {
         auto& range = claim.part(Kind::encoded).content;
         range.end = range.begin - 1;
       }},
      {"an encoded part ends behind the content",
       [](Claim& claim) { claim.part(Kind::encoded).content.end = claim.content.size() + 1; }},
      {"an encoded part ends later", [](Claim& claim) { ++claim.part(Kind::encoded).content.end; }},
      {"a copied part ends later", [](Claim& claim) { ++claim.plan.back().content.end; }},
      {"a copied part has a block less", [](Claim& claim) { --claim.plan.back().end_block; }},
      {"the content has a byte more", [](Claim& claim) { claim.content.push_back(0); }},
      {"an encoded byte is another",
       [](Claim& claim) {
         claim.content[static_cast<std::size_t>(claim.part(Kind::encoded).content.begin)] ^= 1;
       }},
      {"bytes follow the stream", [](Claim& claim) { claim.spliced.push_back(0); }},
      {"the stream is cut", [](Claim& claim) { claim.spliced.pop_back(); }},
      {"the stream is empty", [](Claim& claim) { claim.spliced.clear(); }},
      {"the stream is cut before what is copied",
       [](Claim& claim) {
         claim.spliced.resize(static_cast<std::size_t>(claim.part_ends[claim.plan.size() - 2] / 8));
       }},
      {"the old stream is cut", [](Claim& claim) { claim.stream.resize(claim.stream.size() / 2); }},
      {"the old stream is empty", [](Claim& claim) { claim.stream.clear(); }},
      {"the last block is not the last",
       [](Claim& claim) {
         const auto from_end = claim.blocks.back().end_bit - claim.blocks.back().first_bit;
         const auto bit = claim.part_ends.back() - from_end;
         claim.spliced[static_cast<std::size_t>(bit / 8)] ^=
             static_cast<std::uint8_t>(1U << bit % 8);
       }},
      {"a compressed block begins elsewhere in the content",
       [](Claim& claim) { ++claim.copied(DeflateBlockType::dynamic).content_begin; }},
      {"a stored block begins elsewhere in the content",
       [](Claim& claim) { ++claim.copied(DeflateBlockType::stored).content_begin; }},
      {"a stored block has fewer bytes",
       [](Claim& claim) { --claim.copied(DeflateBlockType::stored).content_end; }},
      {"a stored block is called compressed",
       [](Claim& claim) {
         claim.copied(DeflateBlockType::stored).type = DeflateBlockType::dynamic;
       }},
      {"a compressed block is called stored",
       [](Claim& claim) {
         claim.copied(DeflateBlockType::dynamic).type = DeflateBlockType::stored;
       }},
  };
  for (const auto& lie : lies) {
    CAPTURE(lie.first);
    Claim claim = truth;
    lie.second(claim);
    CHECK_FALSE(claim.holds());
  }
}

TEST_CASE("each bit of a stored block's header counts, and its padding does not") {
  const Claim truth = true_claim();
  // Where the first copied stored block stands: its bytes are found by their lengths in front of
  // it.
  Claim claim = truth;
  const DeflateBlock& block = claim.copied(DeflateBlockType::stored);
  const auto length = static_cast<std::uint16_t>(block.content_end - block.content_begin);
  const std::array<std::uint8_t, 4> lengths = {
      static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(length >> 8U),
      static_cast<std::uint8_t>(~length),
      static_cast<std::uint8_t>(static_cast<std::uint16_t>(~length) >> 8U)};
  const auto place =
      std::search(claim.spliced.begin(), claim.spliced.end(), lengths.begin(), lengths.end());
  REQUIRE(place != claim.spliced.end());
  for (std::ptrdiff_t byte = 0; byte < 5; ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      place[byte] ^= static_cast<std::uint8_t>(1U << bit);
      CAPTURE(byte);
      CAPTURE(bit);
      CHECK_FALSE(claim.holds());
      place[byte] ^= static_cast<std::uint8_t>(1U << bit);
    }
  }
  CHECK(claim.holds());
}

}  // namespace truewheel
