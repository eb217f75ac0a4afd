// SPDX-License-Identifier: Apache-2.0
#include "base/bit_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace truewheel {
namespace {

// Up to 8 bits of `source` from bit `first` on.
unsigned bits_at(Bytes source, std::uint64_t first, unsigned count) {
  const auto at = static_cast<std::size_t>(first / 8);
  const unsigned shift = static_cast<unsigned>(first % 8);
  unsigned value = source[at];
  if (shift + count > 8) value |= static_cast<unsigned>(source[at + 1]) << 8U;
  return (value >> shift) & ((1U << count) - 1);
}

std::uint64_t swap_unless_little(std::uint64_t value) {
  return std::endian::native == std::endian::little ? value : __builtin_bswap64(value);
}

}  // namespace

void BitWriter::put(unsigned value, unsigned count) {
  partial_.value |= (value & ((1U << count) - 1)) << partial_.count;
  partial_.count += count;
  while (partial_.count >= 8) {
    bytes_.push_back(static_cast<std::uint8_t>(partial_.value));
    partial_.value >>= 8U;
    partial_.count -= 8;
  }
}

void BitWriter::align() {
  if (partial_.count != 0) put(0, 8 - partial_.count);
}

void BitWriter::append(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

void BitWriter::copy(Bytes source, std::uint64_t first, std::uint64_t end) {
  if (first < end && partial_.count != 0) {
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(8 - partial_.count, end - first));
    put(bits_at(source, first, count), count);
    first += count;
  }
  if (const auto count = static_cast<std::size_t>((end - first) / 8); count != 0) {
    const Bytes rest = source.subspan(static_cast<std::size_t>(first / 8));
    const unsigned shift = static_cast<unsigned>(first % 8);
    if (shift == 0) {
      append(rest.first(count));
    } else {
      copy_shifted(rest, shift, count);
    }
    first += std::uint64_t{8} * count;
  }
  if (first < end) {
    const auto count = static_cast<unsigned>(end - first);
    put(bits_at(source, first, count), count);
  }
}

// `count` bytes out of `count` + 1: each takes its low bits from one byte and the rest from the
// next. In words of 64 bits, through a piece that stays in the cache, this runs at about the speed
// of memory.
void BitWriter::copy_shifted(Bytes source, unsigned shift, std::size_t count) {
  std::array<std::uint8_t, 16384> piece;
  std::size_t done = 0;
  while (done < count) {
    const std::size_t length = std::min(piece.size(), count - done);
    const std::uint8_t* from = source.data() + done;
    std::size_t i = 0;
    for (; i + 8 <= length; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + i, 8);
      word = swap_unless_little(word) >> shift | std::uint64_t{from[i + 8]} << (64 - shift);
      word = swap_unless_little(word);
      std::memcpy(piece.data() + i, &word, 8);
    }
    for (; i < length; ++i) {
      const unsigned pair = static_cast<unsigned>(from[i]) | static_cast<unsigned>(from[i + 1])
                                                                 << 8U;
      piece[i] = static_cast<std::uint8_t>(pair >> shift);
    }
    append(Bytes(piece).first(length));
    done += length;
  }
}

BitWriter::Partial BitWriter::take_partial() { return std::exchange(partial_, Partial{}); }

Buffer BitWriter::finish() {
  align();
  return std::exchange(bytes_, Buffer{});
}

}  // namespace truewheel
