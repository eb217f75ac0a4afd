// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace truewheel {

/// Tables that say what the next bits of a deflate stream are. A table is indexed by the next
/// `bits` bits; codes that are longer lead on to a sub-table behind it. An entry is
///
///     bits 0-7    how many bits to take: those of the code, and of the number behind it
///     bits 8-11   those of the code alone; of an entry that leads on, the bits of its sub-table
///     bits 12-15  what it is (the flags below); none: a length or a distance
///     bits 16-31  the literal; the least length or distance; where the sub-table begins
///
/// What an entry of a sub-table takes comes on top of what the entry that led there takes.
namespace huffman {

inline constexpr std::uint32_t kLiteral = 1U << 15U;
inline constexpr std::uint32_t kSubTable = 1U << 14U;
inline constexpr std::uint32_t kEndOfBlock = 1U << 13U;
inline constexpr std::uint32_t kInvalid = 1U << 12U;
inline constexpr std::uint32_t kExceptional = kSubTable | kEndOfBlock | kInvalid;

inline constexpr unsigned kMaxCodeBits = 15;
inline constexpr std::size_t kMaxLiteralCodes = 288;
inline constexpr std::size_t kMaxDistanceCodes = 32;

inline constexpr unsigned kLiteralBits = 11;
inline constexpr unsigned kDistanceBits = 8;
inline constexpr unsigned kLengthCodeBits = 7;
// What a complete code of that many symbols and 15 bits takes at most with its sub-tables; zlib's
// examples/enough.c computes it ("enough 288 11 15", "enough 32 8 15").
inline constexpr std::size_t kLiteralEntries = 2342;
inline constexpr std::size_t kDistanceEntries = 402;
inline constexpr std::size_t kLengthCodeEntries = std::size_t{1} << kLengthCodeBits;

using LiteralTable = std::array<std::uint32_t, kLiteralEntries>;
using DistanceTable = std::array<std::uint32_t, kDistanceEntries>;
using LengthCodeTable = std::array<std::uint32_t, kLengthCodeEntries>;

/// Each fills a table from the code lengths of its symbols (0: not used) and returns false for a
/// code that zlib refuses: one with too many codes, or too few. One code of one bit alone is
/// allowed for literals and distances, and so are no distances at all (RFC 1951, 3.2.7); what is no
/// code then is invalid when it comes up.
[[nodiscard]] bool fill(LiteralTable& table, std::span<const std::uint8_t> lengths);
[[nodiscard]] bool fill(DistanceTable& table, std::span<const std::uint8_t> lengths);
[[nodiscard]] bool fill(LengthCodeTable& table, std::span<const std::uint8_t> lengths);

}  // namespace huffman
}  // namespace truewheel
