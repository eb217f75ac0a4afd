// SPDX-License-Identifier: Apache-2.0
#include "base/splice_proof.hpp"

#include "base/deflate_splice.hpp"
#include "base/inflate.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace truewheel {
namespace {

constexpr std::uint64_t kWordBits = 56;  // that a word holds from any bit of its first byte on

std::uint64_t bit_count(Bytes bytes) { return std::uint64_t{8} * bytes.size(); }

/// The 56 bits from `bit` on, the first one lowest; bits behind the end are zeros.
std::uint64_t word_at(Bytes bytes, std::uint64_t bit) {
  const auto byte = static_cast<std::size_t>(bit / 8);
  std::uint64_t word = 0;
  if (byte < bytes.size()) {
    std::memcpy(&word, bytes.data() + byte, std::min(sizeof word, bytes.size() - byte));
  }
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word >> (bit % 8);
}

struct BitRange {
  Bytes bytes;
  std::uint64_t first = 0;
};

bool same_bits(BitRange a, BitRange b, std::uint64_t count) {
  if (a.first > bit_count(a.bytes) || count > bit_count(a.bytes) - a.first ||
      b.first > bit_count(b.bytes) || count > bit_count(b.bytes) - b.first) {
    return false;
  }
  const auto difference = [&](std::uint64_t at) {
    return word_at(a.bytes, a.first + at) ^ word_at(b.bytes, b.first + at);
  };
  std::uint64_t at = 0;
  std::uint64_t different = 0;
  // The word that is compared last is cut to the bits that count.
  for (; count - at > kWordBits; at += kWordBits) {
    different |= difference(at) << (64 - kWordBits);
  }
  return different == 0 && (count == at || difference(at) << (64 - (count - at)) == 0);
}

class Proof {
 public:
  Proof(Bytes spliced, Bytes stream, Bytes content, const StreamUsed& used)
      : spliced_(spliced), stream_(stream), content_(content), used_(used) {}

  [[nodiscard]] std::uint64_t bit() const { return bit_; }
  [[nodiscard]] std::uint64_t produced() const { return produced_; }

  bool inflates(ContentRange range, std::uint64_t end_bit, EndsStream ends_stream) {
    if (range.begin != produced_ || range.end < range.begin || range.end > content_.size()) {
      return false;
    }
    const auto begin = static_cast<std::size_t>(range.begin);
    Bytes expected = content_.subspan(begin, static_cast<std::size_t>(range.end) - begin);
    PiecewiseInflater inflater(spliced_, bit_, end_bit, content_.first(begin), ends_stream);
    for (Bytes piece = inflater.next(); !piece.empty(); piece = inflater.next()) {
      if (piece.size() > expected.size() ||
          !std::equal(piece.begin(), piece.end(), expected.begin())) {
        return false;
      }
      expected = expected.subspan(piece.size());
    }
    bit_ = end_bit;
    produced_ = range.end;
    return !inflater.problem() && expected.empty();
  }

  bool copies(std::span<const DeflateBlock> blocks, EndsStream ends_stream) {
    while (!blocks.empty()) {
      const auto some = blocks.first(blocks_at_once(blocks));
      blocks = blocks.subspan(some.size());
      if (!copies_at_once(some, blocks.empty() ? ends_stream : EndsStream::no)) return false;
      // Not block by block: the kernel maps what is around a page together with it.
      if (used_) used_(bytes_of(stream_, some));
    }
    return true;
  }

 private:
  bool copies_at_once(std::span<const DeflateBlock> blocks, EndsStream ends_stream) {
    const auto is_stored = [](const DeflateBlock& block) {
      return block.type == DeflateBlockType::stored;
    };
    while (!blocks.empty()) {
      const auto stored = std::find_if(blocks.begin(), blocks.end(), is_stored);
      const auto count =
          std::max<std::size_t>(1, static_cast<std::size_t>(stored - blocks.begin()));
      const auto ends_here = count == blocks.size() ? ends_stream : EndsStream::no;
      const bool holds = is_stored(blocks.front()) ? says_again(blocks.front(), ends_here)
                                                   : copies_bits(blocks.first(count), ends_here);
      if (!holds) return false;
      blocks = blocks.subspan(count);
    }
    return true;
  }

  /// Blocks that follow each other have the old stream's bits, but for the last one's BFINAL.
  bool copies_bits(std::span<const DeflateBlock> blocks, EndsStream ends_stream) {
    const DeflateBlock& first = blocks.front();
    const DeflateBlock& last = blocks.back();
    const std::uint64_t header = last.first_bit - first.first_bit;
    const std::uint64_t length = last.end_bit - first.first_bit;
    if (first.content_begin != produced_ ||
        !same_bits({spliced_, bit_}, {stream_, first.first_bit}, header) ||
        !has_final_bit(bit_ + header, ends_stream) ||
        !same_bits({spliced_, bit_ + header + 1}, {stream_, last.first_bit + 1},
                   length - header - 1)) {
      return false;
    }
    bit_ += length;
    produced_ = last.content_end;
    return true;
  }

  /// A stored block need not have its old padding; its lengths and bytes are the old ones, and
  /// refer to nothing (RFC 1951, 3.2.4).
  bool says_again(const DeflateBlock& block, EndsStream ends_stream) {
    const std::uint64_t length = block.content_end - block.content_begin;
    const Bytes old = stored_bytes(stream_, block);
    const std::uint64_t lengths = 8 * ((bit_ + 3 + 7) / 8);
    const std::uint64_t said = length | (~length & 0xFFFFU) << 16U;
    const auto same = [&](std::uint64_t bit, std::uint64_t count, std::uint64_t value) {
      const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
      return (word_at(spliced_, bit) & mask) == value;
    };
    if (block.content_begin != produced_ || old.size() != length ||
        !has_final_bit(bit_, ends_stream) || !same(bit_ + 1, 2, 0) || !same(lengths, 32, said) ||
        !same_bits({spliced_, lengths + 32}, {old, 0}, 8 * length)) {
      return false;
    }
    bit_ = lengths + 32 + 8 * length;
    produced_ = block.content_end;
    return true;
  }

  [[nodiscard]] bool has_final_bit(std::uint64_t bit, EndsStream ends_stream) const {
    return bit < bit_count(spliced_) &&
           (word_at(spliced_, bit) & 1U) == (ends_stream == EndsStream::yes ? 1U : 0U);
  }

  Bytes spliced_;
  Bytes stream_;
  Bytes content_;
  const StreamUsed& used_;
  std::uint64_t bit_ = 0;
  std::uint64_t produced_ = 0;
};

}  // namespace

bool is_proven(Bytes spliced, std::span<const std::uint64_t> part_ends,
               std::span<const SplicePart> plan, Bytes stream, std::span<const DeflateBlock> blocks,
               Bytes content, const StreamUsed& used) {
  if (part_ends.size() != plan.size()) return false;
  Proof proof(spliced, stream, content, used);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const SplicePart& part = plan[i];
    const auto ends_stream = i + 1 == plan.size() ? EndsStream::yes : EndsStream::no;
    const bool holds =
        part.kind == SplicePart::Kind::encoded
            ? proof.inflates(part.content, part_ends[i], ends_stream)
            : proof.copies(blocks.subspan(part.first_block, part.end_block - part.first_block),
                           ends_stream);
    if (!holds || proof.bit() != part_ends[i] || proof.produced() != part.content.end) return false;
  }
  return proof.produced() == content.size() && (proof.bit() + 7) / 8 == spliced.size();
}

}  // namespace truewheel
