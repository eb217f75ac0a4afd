// SPDX-License-Identifier: Apache-2.0
#include "base/huffman_table.hpp"

#include <algorithm>
#include <bit>

namespace truewheel::huffman {
namespace {

struct Range {
  std::uint16_t base;
  std::uint8_t extra_bits;
};

// RFC 1951, 3.2.5.
constexpr std::array<Range, 29> kLengths{
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Range, 30> kDistances{
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
     {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
     {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
     {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};
constexpr std::size_t kEndSymbol = 256;

// What an entry says but for its code's length, which `with_code` adds.
constexpr std::uint32_t range_entry(const Range& range) {
  return std::uint32_t{range.base} << 16U | range.extra_bits;
}
constexpr std::uint32_t with_code(std::uint32_t meaning, unsigned length) {
  return meaning + (length << 8U | length);
}
// The flags stand where a code's length is added: it has four bits of its own below them.
static_assert((with_code(kLiteral, kMaxCodeBits) & kExceptional) == 0);

constexpr auto kLiteralMeanings = [] {
  std::array<std::uint32_t, kMaxLiteralCodes> meanings{};
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    if (i < kEndSymbol) {
      meanings[i] = kLiteral | static_cast<std::uint32_t>(i) << 16U;
    } else if (i == kEndSymbol) {
      meanings[i] = kEndOfBlock;
    } else {
      const std::size_t length = i - kEndSymbol - 1;
      meanings[i] = length < kLengths.size() ? range_entry(kLengths[length]) : kInvalid;
    }
  }
  return meanings;
}();
constexpr auto kDistanceMeanings = [] {
  std::array<std::uint32_t, kMaxDistanceCodes> meanings{};
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    meanings[i] = i < kDistances.size() ? range_entry(kDistances[i]) : kInvalid;
  }
  return meanings;
}();
constexpr auto kLengthCodeMeanings = [] {
  std::array<std::uint32_t, 19> meanings{};
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    meanings[i] = static_cast<std::uint32_t>(i) << 16U;
  }
  return meanings;
}();

enum class OneCode { refused, allowed };

// Codes of one length are consecutive numbers, and go on from those of the lengths before
// (RFC 1951, 3.2.2); their bits stand in the stream from the highest down, so here the number is
// kept reversed.
std::uint32_t next_reversed(std::uint32_t code, unsigned length) {
  const std::uint32_t zeros = code ^ ((1U << length) - 1);
  if (zeros == 0) return 0;  // that was the last one
  const std::uint32_t bit = std::bit_floor(zeros);
  return (code & (bit - 1)) | bit;
}

class Filler {
 public:
  Filler(std::span<std::uint32_t> table, unsigned bits, std::span<const std::uint32_t> meanings)
      : table_(table), bits_(bits), meanings_(meanings) {}

  bool fill(std::span<const std::uint8_t> lengths, OneCode one_code) {
    for (const std::uint8_t length : lengths) ++count_[length];
    count_[0] = 0;
    unsigned longest = kMaxCodeBits;
    while (longest != 0 && count_[longest] == 0) --longest;
    std::int32_t left = 1;  // codes of the length that are not taken
    for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
      left = 2 * left - count_[length];
      if (left < 0) return false;
    }
    sort(lengths);
    if (left > 0) return longest <= 1 && one_code == OneCode::allowed && fill_few(longest);
    const std::uint32_t code = fill_main();
    return longest <= bits_ || fill_sub_tables(code);
  }

 private:
  // Symbols by length, and by number among those of one length.
  void sort(std::span<const std::uint8_t> lengths) {
    std::array<std::uint16_t, kMaxCodeBits + 2> begin{};
    for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
      begin[length + 1] = static_cast<std::uint16_t>(begin[length] + count_[length]);
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != 0)
        sorted_[begin[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    }
  }

  // One code of one bit, or none.
  bool fill_few(unsigned longest) {
    std::fill_n(table_.begin(), std::size_t{1} << bits_, kInvalid | 1U);
    if (longest == 0) return true;
    for (std::size_t i = 0; i < std::size_t{1} << bits_; i += 2) {
      table_[i] = with_code(meanings_[sorted_[0]], 1);
    }
    return true;
  }

  // The table of a length is twice that of the length before, with the new codes put in.
  std::uint32_t fill_main() {
    std::uint32_t code = 0;
    for (unsigned length = 1; length <= bits_; ++length) {
      const std::size_t half = std::size_t{1} << (length - 1);
      std::copy_n(table_.begin(), half, table_.begin() + static_cast<std::ptrdiff_t>(half));
      for (unsigned i = 0; i < count_[length]; ++i) {
        table_[code] = with_code(meanings_[sorted_[next_symbol_++]], length);
        code = next_reversed(code, length);
      }
    }
    return code;
  }

  bool fill_sub_tables(std::uint32_t code) {
    const std::uint32_t main_mask = (1U << bits_) - 1;
    std::size_t end = std::size_t{1} << bits_;
    std::size_t begin = 0;
    unsigned sub_bits = 0;
    std::uint32_t prefix = ~0U;
    for (unsigned length = bits_ + 1; length <= kMaxCodeBits; ++length) {
      for (unsigned left = count_[length]; left != 0; --left) {
        if ((code & main_mask) != prefix) {
          prefix = code & main_mask;
          begin = end;
          sub_bits = sub_table_bits(length, left);
          end += std::size_t{1} << sub_bits;
          if (end > table_.size()) return false;  // which no complete code asks for
          table_[prefix] =
              kSubTable | static_cast<std::uint32_t>(begin) << 16U | sub_bits << 8U | bits_;
        }
        const unsigned own = length - bits_;
        const std::uint32_t entry = with_code(meanings_[sorted_[next_symbol_++]], own);
        for (std::size_t i = code >> bits_; i < std::size_t{1} << sub_bits;
             i += std::size_t{1} << own) {
          table_[begin + i] = entry;
        }
        code = next_reversed(code, length);
      }
    }
    return true;
  }

  // As many as the longest code has that shares the first bits: the codes that follow fill it up.
  unsigned sub_table_bits(unsigned length, unsigned left) const {
    unsigned bits = length - bits_;
    std::uint32_t taken = left;
    while (taken < 1U << bits && bits_ + bits < kMaxCodeBits) {
      ++bits;
      taken = 2 * taken + count_[bits_ + bits];
    }
    return bits;
  }

  std::span<std::uint32_t> table_;
  unsigned bits_;
  std::span<const std::uint32_t> meanings_;
  std::array<std::uint16_t, kMaxCodeBits + 1> count_{};
  std::array<std::uint16_t, kMaxLiteralCodes> sorted_{};
  std::size_t next_symbol_ = 0;
};

}  // namespace

bool fill(LiteralTable& table, std::span<const std::uint8_t> lengths) {
  return Filler(table, kLiteralBits, kLiteralMeanings).fill(lengths, OneCode::allowed);
}

bool fill(DistanceTable& table, std::span<const std::uint8_t> lengths) {
  return Filler(table, kDistanceBits, kDistanceMeanings).fill(lengths, OneCode::allowed);
}

bool fill(LengthCodeTable& table, std::span<const std::uint8_t> lengths) {
  return Filler(table, kLengthCodeBits, kLengthCodeMeanings).fill(lengths, OneCode::refused);
}

}  // namespace truewheel::huffman
