// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace truewheel {

/// How far back deflate may refer: content a block says again may lie this far before the block.
inline constexpr std::uint64_t kDeflateWindow = 32768;

/// Whether a block or a run of blocks ends its stream (RFC 1951, BFINAL).
enum class EndsStream { no, yes };

enum class DeflateBlockType : std::uint8_t { stored, fixed, dynamic };

/// One block of a raw deflate stream (RFC 1951, 3.2.3). Bits are counted from the stream's first,
/// lowest bit of a byte first; the blocks of a stream follow each other without a gap.
struct DeflateBlock {
  std::uint64_t first_bit = 0;  ///< of its header; that bit is BFINAL
  std::uint64_t end_bit = 0;
  std::uint64_t content_begin = 0;
  std::uint64_t content_end = 0;
  DeflateBlockType type = DeflateBlockType::stored;
  bool last = false;

  friend bool operator==(const DeflateBlock&, const DeflateBlock&) = default;
};

/// Inflates a raw deflate stream, which must take all of `stream`, and tells where its blocks lie;
/// `sink` gets the content in pieces, in order, and may be empty. Throws Error(refused,
/// "zip-content").
///
/// A stream of mostly empty blocks would have an index many times its own size; no tool writes such
/// streams, and the index of one is left empty.
[[nodiscard]] std::vector<DeflateBlock> index_deflate(Bytes stream,
                                                      const std::function<void(Bytes)>& sink);

/// The same for content of a known size, which it must have exactly: one pass, straight into the
/// buffer that is returned.
[[nodiscard]] Buffer inflate_and_index(Bytes stream, std::uint64_t size,
                                       std::vector<DeflateBlock>& blocks);
/// The same into room of exactly the content's size.
[[nodiscard]] std::vector<DeflateBlock> inflate_and_index(Bytes stream,
                                                          std::span<std::uint8_t> content);

}  // namespace truewheel
