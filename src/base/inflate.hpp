// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_blocks.hpp"
#include "base/deflate_decoder.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace truewheel {

enum class BlockIndex { left_out, made };

/// A place in a stream, a block's beginning, at which inflating can begin.
struct RestartPoint {
  std::uint64_t first_bit = 0;
  std::uint64_t content_begin = 0;
  Buffer before;  ///< the 32 KiB of content in front of it
};

/// Inflates a raw deflate stream (RFC 1951) at about libdeflate's speed, and unlike it tells where
/// the stream's blocks lie and makes content of any length in pieces. Takes and refuses what zlib's
/// inflate takes and refuses.
class Inflater {
 public:
  /// `stream` must outlive it.
  explicit Inflater(Bytes stream, BlockIndex index = BlockIndex::left_out);
  /// Some blocks in the middle of a stream: from a block's first bit to another's.
  Inflater(Bytes stream, std::uint64_t first_bit, std::uint64_t end_bit);

  enum class Stop : std::uint8_t { ended, paused, room_full, damaged };
  /// Goes on where the last call paused. The content that was made before, 32 KiB of it if there is
  /// so much, must lie from `room.begin` to `room.next`. After any other stop there is no going on.
  Stop run(DecoderRoom& room);

  /// How many bytes of the stream are used up.
  [[nodiscard]] std::uint64_t consumed() const { return (bit_position() + 7) / 8; }
  /// The next bit of the stream, counted from its first.
  [[nodiscard]] std::uint64_t bit_position() const;
  /// Whether the block that was read last is one that ends a stream.
  [[nodiscard]] bool is_at_last_block() const { return block_.last; }

  /// The blocks that have been inflated. The index of a stream of mostly empty blocks, which would
  /// be many times the stream's size and which no tool writes, is left empty.
  [[nodiscard]] std::vector<DeflateBlock> take_blocks() { return std::move(blocks_); }
  [[nodiscard]] const std::vector<DeflateBlock>& blocks() const { return blocks_; }

 private:
  enum class Phase : std::uint8_t { header, stored, symbols, ended };
  bool read_header(std::uint64_t produced);
  bool read_stored_header();
  bool read_dynamic_header();
  Stop run_stored(DecoderRoom& room);
  void end_block(std::uint64_t produced);

  struct Tables {
    huffman::LiteralTable literals{};
    huffman::DistanceTable distances{};
  };

  Bytes stream_;
  BitSource in_;
  std::uint64_t produced_ = 0;
  Phase phase_ = Phase::header;
  bool indexing_;
  std::uint64_t end_bit_ = std::numeric_limits<std::uint64_t>::max();
  DeflateBlock block_;
  std::uint64_t stored_left_ = 0;
  bool tables_are_fixed_ = false;
  std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
  std::vector<DeflateBlock> blocks_;
};

/// Makes the content of a stream in pieces that stay in the processor's cache while they are used.
class PiecewiseInflater {
 public:
  explicit PiecewiseInflater(Bytes stream, BlockIndex index = BlockIndex::left_out);
  /// The blocks from one bit of the stream to another, of which the last is the stream's last one
  /// or none is; `before` is the content in front of them, of which the last 32 KiB matter.
  PiecewiseInflater(Bytes stream, std::uint64_t first_bit, std::uint64_t end_bit, Bytes before,
                    EndsStream ends_stream);

  /// The next piece, which holds until the next call; empty at the content's end, and where the
  /// stream is damaged.
  Bytes next();
  /// After the last piece: what is wrong with the stream, which must end where it is said to.
  [[nodiscard]] std::optional<std::string_view> problem() const { return problem_; }

  [[nodiscard]] std::uint64_t consumed() const { return inflater_.consumed(); }
  [[nodiscard]] std::vector<DeflateBlock> take_blocks() { return inflater_.take_blocks(); }

  /// From now on puts aside a restart point about every so many bytes of content; it takes an index
  /// to know of any.
  void keep_restarts(std::uint64_t every) { restart_every_ = every; }
  [[nodiscard]] std::vector<RestartPoint> take_restarts() { return std::move(restarts_); }

 private:
  [[nodiscard]] bool ended_where_it_must() const;
  void note_restart(std::uint64_t piece_size);

  Bytes stream_;
  Inflater inflater_;
  std::optional<std::pair<std::uint64_t, EndsStream>> part_end_;
  std::unique_ptr<std::uint8_t[]> window_;
  std::uint8_t* next_;
  bool ended_ = false;
  std::optional<std::string_view> problem_;
  std::uint64_t produced_ = 0;
  std::uint64_t restart_every_ = 0;
  std::vector<RestartPoint> restarts_;
};

/// Inflates a stream that must take all of `stream` and fill all of `content`; what is wrong with
/// it, or nullopt. `sink` gets the content in order, each piece while it is in the cache.
[[nodiscard]] std::optional<std::string_view> inflate_whole(
    Bytes stream, std::span<std::uint8_t> content, std::vector<DeflateBlock>* blocks,
    const std::function<void(Bytes)>& sink = {});
/// The same piece by piece: `sink` gets the content in order, at most `size` bytes of it.
[[nodiscard]] std::optional<std::string_view> inflate_in_pieces(
    Bytes stream, std::uint64_t size, const std::function<void(Bytes)>& sink);

}  // namespace truewheel
