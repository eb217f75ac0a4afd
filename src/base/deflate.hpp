// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace truewheel {

/// No deflate stream says more than this many bytes per byte of its own: the longest match, 258
/// bytes, costs at least two bits (RFC 1951, 3.2.5). A claim above it is false before anything is
/// inflated or allocated.
inline constexpr std::uint64_t kMaxDeflateRatio = 1032;

/// Inflates a raw deflate stream that must take all of `compressed` and fill all of `content`.
/// Returns what is wrong with it ("the deflate stream is damaged"), or nullopt. This is
/// libdeflate's inflate: for what was written here it is another opinion than that of inflate.hpp.
[[nodiscard]] std::optional<std::string_view> inflate_exactly(Bytes compressed,
                                                              std::span<std::uint8_t> content);

/// Compresses at libdeflate level 1-9 (about what zlib's levels of that number mean, with a better
/// ratio). The bytes depend on content, level and libdeflate's version alone. nullopt unless they
/// are fewer than content's.
[[nodiscard]] std::optional<Buffer> deflate_smaller(Bytes content, int level);
/// The same into `room`; the length, or 0 where that is not enough. Room that is not needed is not
/// touched.
[[nodiscard]] std::size_t deflate_into(std::span<std::uint8_t> room, Bytes content, int level);
/// Room that is enough for `size` bytes of whatever content.
[[nodiscard]] std::size_t deflate_bound(std::size_t size);

}  // namespace truewheel
