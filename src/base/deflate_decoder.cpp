// SPDX-License-Identifier: Apache-2.0
// The loop that content is made in. While input and room reach far enough it looks at neither's end
// but once per symbol or run of literals, fills 64 bits at once, and copies matches in words that
// may write past a match's end, into room that is filled afterwards. Near an end a second loop
// looks at each bit and byte.
#include "base/deflate_decoder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TRUEWHEEL_HAS_BMI2_DECODER 1
#endif

namespace truewheel {
namespace {

using namespace huffman;

// A distance whose code is in the main table.
constexpr unsigned kShortDistanceBits = kDistanceBits + 13;

// One turn of the quick loop refills at most three times 7 bytes and reads a word of 8 there.
constexpr std::ptrdiff_t kInputSlack = 32;
// It writes three literals and a match, and the last word of that may end 24 bytes past it.
constexpr std::ptrdiff_t kRoomSlack = kMaxMatch + 3 + 24;

constexpr std::uint64_t low_bits(std::uint64_t bits, unsigned count) {
  return bits & ((std::uint64_t{1} << (count & 63U)) - 1);
}

// The number that an entry's base and the bits behind its code say; `bits` begin with the code.
inline std::size_t number(std::uint32_t entry, std::uint64_t bits) {
  return static_cast<std::size_t>((entry >> 16U) +
                                  (low_bits(bits, entry & 63U) >> (entry >> 8U & 15U)));
}

template <std::size_t Size>
__attribute__((always_inline)) inline void copy_word(std::uint8_t* to, const std::uint8_t* from) {
  std::array<std::uint8_t, Size> word;
  std::memcpy(word.data(), from, Size);
  std::memcpy(to, word.data(), Size);
}

// Up to 24 bytes past the match's end may be written. Most matches are short: what is written
// without a look at the length is cheaper than a loop that ends at a place hard to foresee.
__attribute__((always_inline)) inline void copy_match(std::uint8_t* to, std::size_t distance,
                                                      std::size_t length) {
  const std::uint8_t* from = to - distance;
  std::uint8_t* const end = to + length;
  if (distance >= 8) {
    copy_word<8>(to, from);
    copy_word<8>(to + 8, from + 8);
    copy_word<8>(to + 16, from + 16);
    to += 24;
    from += 24;
    while (to < end) {
      copy_word<8>(to, from);
      copy_word<8>(to + 8, from + 8);
      to += 16;
      from += 16;
    }
  } else if (distance == 1) {
    const std::uint64_t word = *from * 0x0101010101010101U;
    do {
      std::memcpy(to, &word, 8);
      std::memcpy(to + 8, &word, 8);
      to += 16;
    } while (to < end);
  } else {
    // The first `distance` bytes of each word are right, and the next word begins behind them.
    do {
      copy_word<8>(to, from);
      to += distance;
      from += distance;
    } while (to < end);
  }
}

enum class Quick : std::uint8_t { near_an_end, block_ended, damaged };

__attribute__((always_inline)) inline Quick decode_quickly_body(BitSource& source,
                                                                DecoderRoom& room,
                                                                const LiteralTable& literals,
                                                                const DistanceTable& distances) {
  constexpr std::uint64_t kLiteralMask = (1U << kLiteralBits) - 1;
  constexpr std::uint64_t kDistanceMask = (1U << kDistanceBits) - 1;
  const std::uint8_t* const last_input = source.end - kInputSlack;
  std::uint8_t* const last_room = room.pause == nullptr
                                      ? room.end - kRoomSlack
                                      : std::min(room.end - kRoomSlack, room.pause - 1);
  // Every index into a table is below a power of two that the table has room for there.
  const std::uint32_t* const literal_table = literals.data();
  const std::uint32_t* const distance_table = distances.data();
  BitSource in = source;
  std::uint8_t* out = room.next;
  const std::uint8_t* const begin = room.begin;
  Quick stop = Quick::near_an_end;
  // `count` is right in its lowest 6 bits only, within this loop: whole entries are taken from it.
  const auto drop = [&](std::uint32_t entry) __attribute__((always_inline)) {
    in.bits >>= entry & 63U;
    in.count -= entry;
  };

  in.refill_quickly();
  std::uint32_t entry = literal_table[in.bits & kLiteralMask];
  do {
    // Here are 56 bits or more, and `entry` is what they begin with.
    std::uint64_t bits = in.bits;
    drop(entry);
    if ((entry & kLiteral) != 0) {
      *out++ = static_cast<std::uint8_t>(entry >> 16U);
      entry = literal_table[in.bits & kLiteralMask];
      bits = in.bits;
      drop(entry);
      if ((entry & kLiteral) != 0) {
        *out++ = static_cast<std::uint8_t>(entry >> 16U);
        entry = literal_table[in.bits & kLiteralMask];
        bits = in.bits;
        drop(entry);
        if ((entry & kLiteral) != 0) {
          *out++ = static_cast<std::uint8_t>(entry >> 16U);
          entry = literal_table[in.bits & kLiteralMask];
          in.refill_quickly();
          continue;
        }
      }
    }
    if ((entry & kExceptional) != 0) {
      if ((entry & kSubTable) != 0) {
        entry = literal_table[(entry >> 16U) + low_bits(in.bits, entry >> 8U & 15U)];
        bits = in.bits;
        drop(entry);
        if ((entry & kLiteral) != 0) {
          *out++ = static_cast<std::uint8_t>(entry >> 16U);
          entry = literal_table[in.bits & kLiteralMask];
          in.refill_quickly();
          continue;
        }
      }
      if ((entry & kExceptional) != 0) {
        stop = (entry & kEndOfBlock) != 0 ? Quick::block_ended : Quick::damaged;
        break;
      }
    }
    const std::size_t length = number(entry, bits);
    // Two literals and a length leave 56 - 2 * 11 - 20 bits, enough for the main table.
    entry = distance_table[in.bits & kDistanceMask];
    if ((entry & kExceptional) != 0) {
      in.count &= 63U;
      in.refill_quickly();
      if ((entry & kSubTable) != 0) {
        drop(entry);
        entry = distance_table[(entry >> 16U) + low_bits(in.bits, entry >> 8U & 15U)];
      }
      if ((entry & kExceptional) != 0) {
        stop = Quick::damaged;
        break;
      }
    } else if ((in.count & 63U) < kShortDistanceBits + kLiteralBits) {
      in.refill_quickly();
    }
    bits = in.bits;
    drop(entry);
    const std::size_t distance = number(entry, bits);
    if (distance > static_cast<std::size_t>(out - begin)) {
      stop = Quick::damaged;
      break;
    }
    // What comes next is looked up before the match is copied: neither waits for the other.
    entry = literal_table[in.bits & kLiteralMask];
    in.refill_quickly();
    copy_match(out, distance, length);
    out += length;
  } while (in.next <= last_input && out <= last_room);
  in.count &= 63U;
  source = in;
  room.next = out;
  return stop;
}

Quick decode_quickly_anywhere(BitSource& source, DecoderRoom& room, const LiteralTable& literals,
                              const DistanceTable& distances) {
  return decode_quickly_body(source, room, literals, distances);
}

#ifdef TRUEWHEEL_HAS_BMI2_DECODER
// Shifts by a register and masks of a register's count of bits are one instruction each there.
__attribute__((target("bmi,bmi2"))) Quick decode_quickly_bmi2(BitSource& source, DecoderRoom& room,
                                                              const LiteralTable& literals,
                                                              const DistanceTable& distances) {
  return decode_quickly_body(source, room, literals, distances);
}
#endif

std::atomic<unsigned> portable_decodings{0};

Quick decode_quickly(BitSource& source, DecoderRoom& room, const LiteralTable& literals,
                     const DistanceTable& distances) {
#ifdef TRUEWHEEL_HAS_BMI2_DECODER
  if (__builtin_cpu_supports("bmi2") != 0 &&
      portable_decodings.load(std::memory_order_relaxed) == 0) {
    return decode_quickly_bmi2(source, room, literals, distances);
  }
#endif
  return decode_quickly_anywhere(source, room, literals, distances);
}

// Near an end: what the next symbol takes is there, or the stream is cut.
class CarefulDecoder {
 public:
  CarefulDecoder(BitSource& source, DecoderRoom& room) : in_(source), room_(room) {}

  // One symbol; nothing when decoding goes on.
  std::optional<DecoderStop> step(const LiteralTable& literals, const DistanceTable& distances) {
    std::uint64_t bits = 0;
    const std::uint32_t entry = look_up(literals, kLiteralBits, bits);
    if (is_cut_) return DecoderStop::damaged;
    if ((entry & kLiteral) != 0) {
      if (room_.next == room_.end) return DecoderStop::room_full;
      *room_.next++ = static_cast<std::uint8_t>(entry >> 16U);
      return std::nullopt;
    }
    if ((entry & kEndOfBlock) != 0) return DecoderStop::block_ended;
    if ((entry & kInvalid) != 0) return DecoderStop::damaged;
    const std::size_t length = number(entry, bits);
    const std::uint32_t distance_entry = look_up(distances, kDistanceBits, bits);
    if (is_cut_ || (distance_entry & kInvalid) != 0) return DecoderStop::damaged;
    const std::size_t distance = number(distance_entry, bits);
    if (distance > static_cast<std::size_t>(room_.next - room_.begin)) return DecoderStop::damaged;
    if (length > static_cast<std::size_t>(room_.end - room_.next)) return DecoderStop::room_full;
    for (std::size_t i = 0; i < length; ++i, ++room_.next) *room_.next = *(room_.next - distance);
    return std::nullopt;
  }

 private:
  template <class Table>
  std::uint32_t look_up(const Table& table, unsigned table_bits, std::uint64_t& bits) {
    in_.refill();
    std::uint32_t entry = table[static_cast<std::size_t>(low_bits(in_.bits, table_bits))];
    if ((entry & kSubTable) != 0) {
      take(entry);
      if (is_cut_) return entry;
      entry =
          table[static_cast<std::size_t>((entry >> 16U) + low_bits(in_.bits, entry >> 8U & 15U))];
    }
    bits = in_.bits;
    take(entry);
    return entry;
  }

  void take(std::uint32_t entry) {
    is_cut_ = (entry & 63U) > in_.count;
    if (!is_cut_) in_.drop(entry & 63U);
  }

  BitSource& in_;
  DecoderRoom& room_;
  bool is_cut_ = false;
};

}  // namespace

DecoderStop decode_symbols(BitSource& source, DecoderRoom& room, const LiteralTable& literals,
                           const DistanceTable& distances) {
  CarefulDecoder careful(source, room);
  while (true) {
    if (room.pause != nullptr && room.next >= room.pause) return DecoderStop::paused;
    if (source.end - source.next >= kInputSlack && room.end - room.next >= kRoomSlack) {
      const Quick stop = decode_quickly(source, room, literals, distances);
      if (stop == Quick::block_ended) return DecoderStop::block_ended;
      if (stop == Quick::damaged) return DecoderStop::damaged;
      continue;
    }
    if (const auto stop = careful.step(literals, distances)) return *stop;
  }
}

PortableDecoding::PortableDecoding() { ++portable_decodings; }
PortableDecoding::~PortableDecoding() { --portable_decodings; }

}  // namespace truewheel
