// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/huffman_table.hpp"
#include <truewheel/bytes.hpp>

#include <bit>
#include <cstdint>
#include <cstring>

namespace truewheel {

/// Takes bits from the lowest of each byte up, as deflate packs them (RFC 1951, 3.1.1).
///
/// `bits` holds the next bits, the lowest first. `count` of them are taken from the stream; what
/// stands above them may be zero or what follows in the stream, so that putting the same bytes
/// there again does no harm.
struct BitSource {
  const std::uint8_t* next = nullptr;
  const std::uint8_t* end = nullptr;
  std::uint64_t bits = 0;
  unsigned count = 0;

  /// At least 56 bits, or all there are.
  void refill() {
    if (end - next >= 8) {
      refill_quickly();
      return;
    }
    while (count < 56 && next != end) {
      bits |= std::uint64_t{*next++} << count;
      count += 8;
    }
  }

  /// At least 56 bits, with 8 bytes or more left to read.
  void refill_quickly() {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    bits |= word << (count & 63U);
    next += 7 - (count >> 3U & 7U);
    count |= 56U;
  }

  void drop(unsigned taken) {
    bits >>= taken & 63U;
    count -= taken;
  }

  /// The next bits, as a number; they must be there.
  unsigned take(unsigned length) {
    const auto value = static_cast<unsigned>(bits) & ((1U << length) - 1);
    drop(length);
    return value;
  }
};

/// Where content goes: from `next` up to `end` and not beyond. A match may refer to what lies from
/// `begin` on.
struct DecoderRoom {
  const std::uint8_t* begin = nullptr;
  std::uint8_t* next = nullptr;
  std::uint8_t* end = nullptr;
  /// Decoding pauses where `next` is here or past it, with at least a match's length up to `end`;
  /// null: it goes on to the end.
  std::uint8_t* pause = nullptr;
};

enum class DecoderStop : std::uint8_t { block_ended, paused, room_full, damaged };

inline constexpr std::size_t kMaxMatch = 258;

/// Decodes the symbols of a fixed or dynamic block, RFC 1951, 3.2.3, until one of the stops.
[[nodiscard]] DecoderStop decode_symbols(BitSource& source, DecoderRoom& room,
                                         const huffman::LiteralTable& literals,
                                         const huffman::DistanceTable& distances);

/// While one is alive, every processor decodes as those without BMI2 do. For tests, since a test's
/// machine has it; the content is the same.
class PortableDecoding {
 public:
  PortableDecoding();
  ~PortableDecoding();
  PortableDecoding(const PortableDecoding&) = delete;
  PortableDecoding& operator=(const PortableDecoding&) = delete;
};

}  // namespace truewheel
