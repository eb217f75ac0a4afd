// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_blocks.hpp"
#include <truewheel/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace truewheel {

/// Bytes [begin, end) of a content.
struct ContentRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const ContentRange&, const ContentRange&) = default;
};

/// Is told some parts of a stream that are done with for now: a large one need not stay in memory.
using StreamUsed = std::function<void(Bytes)>;
/// How many of the blocks, one at least, take so much of a stream that `used` is to be told.
[[nodiscard]] std::size_t blocks_at_once(std::span<const DeflateBlock> blocks);

/// The whole bytes that blocks in a row take of their stream.
[[nodiscard]] Bytes bytes_of(Bytes stream, std::span<const DeflateBlock> blocks);

/// The bytes of a stored block, behind its padding and lengths (RFC 1951, 3.2.4); empty when the
/// stream has no room for them there.
[[nodiscard]] Bytes stored_bytes(Bytes stream, const DeflateBlock& block);

/// Whether a result may be no smaller than its content, as streams of stored blocks are not: such
/// content is better stored by the archive, but a large one is best left as it was packed.
enum class NotSmaller { refused, taken };

/// A raw deflate stream of `new_content`, made from `stream`, which is one of the old content: what
/// did not change is not compressed again. `blocks` is the stream's index, `old_size` the old
/// content's size; `changed` holds every byte that differs from the old one at the same offset, in
/// any order; a difference in size needs no range. Of new_content only what is encoded again is
/// looked at, and the 32 KiB before. nullopt if that would not pay or the stream is odd: compress
/// it anew. The bytes depend on the arguments and zlib's version alone.
///
/// A block is copied bit by bit if no byte changed in it or in the 32 KiB before it, which it may
/// refer to; the others are encoded again by zlib at `level` (0-9), runs of them as one, with the
/// 32 KiB before the run as dictionary. The result is proven before it is returned
/// (splice_proof.hpp). Measured on a library of 459 MB (133 MB compressed) with
/// 4 KiB changed at its start: 0.06 s, where compressing all of it takes zlib 17 s.
[[nodiscard]] std::optional<Buffer> splice_deflate(Bytes stream,
                                                   const std::vector<DeflateBlock>& blocks,
                                                   Bytes new_content, std::uint64_t old_size,
                                                   std::vector<ContentRange> changed, int level,
                                                   const StreamUsed& used = {},
                                                   NotSmaller not_smaller = NotSmaller::refused);

/// A part of the new stream; a plan's parts follow each other and make up the new content.
struct SplicePart {
  enum class Kind { copied, encoded } kind = Kind::copied;
  ContentRange content;
  std::size_t first_block = 0;  ///< copied: the blocks [first_block, end_block) of the index
  std::size_t end_block = 0;

  friend bool operator==(const SplicePart&, const SplicePart&) = default;
};

/// What splice_deflate copies and what it encodes: adjacent parts are of different kinds, and there
/// is at least one. `blocks` must index content of `old_size`.
[[nodiscard]] std::vector<SplicePart> plan_splice(std::span<const DeflateBlock> blocks,
                                                  std::uint64_t old_size, std::uint64_t new_size,
                                                  std::vector<ContentRange> changed);

/// The stream that a plan describes, whether it pays or not. `blocks` must index `stream`.
/// `part_ends`, if given, gets for each part the bit of the new stream at which it ends.
[[nodiscard]] Buffer write_splice(Bytes stream, std::span<const DeflateBlock> blocks,
                                  Bytes new_content, std::span<const SplicePart> plan, int level,
                                  std::vector<std::uint64_t>* part_ends = nullptr,
                                  const StreamUsed& used = {});

}  // namespace truewheel
