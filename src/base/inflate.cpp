// SPDX-License-Identifier: Apache-2.0
#include "base/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace truewheel {
namespace {

constexpr std::string_view kDamaged = "the deflate stream is damaged";
constexpr std::string_view kTooLong = "the content is longer than the size it is given";
constexpr std::string_view kTooShort = "the content is shorter than the size it is given";
constexpr std::string_view kTrailing = "data follows the end of the deflate stream";

// Large enough that moving the window along costs little, small enough for the second level cache.
constexpr std::size_t kPiece = std::size_t{192} * 1024;
// Behind the place to pause at: what is written in one turn of the decoder's quick loop, and so the
// careful loop is left to the stream's end.
constexpr std::size_t kSlack = 512;

// RFC 1951, 3.2.6.
constexpr auto kFixedLengths = [] {
  std::array<std::uint8_t, huffman::kMaxLiteralCodes> lengths{};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  }
  return lengths;
}();
constexpr auto kFixedDistanceLengths = [] {
  std::array<std::uint8_t, huffman::kMaxDistanceCodes> lengths{};
  lengths.fill(5);
  return lengths;
}();

}  // namespace

Inflater::Inflater(Bytes stream, BlockIndex index)
    : stream_(stream),
      in_{stream.data(), stream.data() + stream.size(), 0, 0},
      indexing_(index == BlockIndex::made) {}

Inflater::Inflater(Bytes stream, std::uint64_t first_bit, std::uint64_t end_bit)
    : Inflater(stream) {
  end_bit_ = end_bit;
  in_.next += std::min<std::uint64_t>(first_bit / 8, stream.size());
  const auto skipped = static_cast<unsigned>(first_bit % 8);
  if (skipped == 0) return;
  in_.refill();
  if (in_.count >= skipped) in_.drop(skipped);
}

std::uint64_t Inflater::bit_position() const {
  return 8 * static_cast<std::uint64_t>(in_.next - stream_.data()) - in_.count;
}

Inflater::Stop Inflater::run(DecoderRoom& room) {
  const std::uint8_t* const first = room.next;
  const std::uint64_t before = produced_;
  const auto stop_as = [&](Stop stop) {
    produced_ = before + static_cast<std::uint64_t>(room.next - first);
    return stop;
  };
  const auto produced = [&] { return before + static_cast<std::uint64_t>(room.next - first); };
  while (true) {
    switch (phase_) {
      case Phase::ended:
        return stop_as(Stop::ended);
      case Phase::header:
        if (bit_position() >= end_bit_) return stop_as(Stop::ended);
        if (!read_header(produced())) return stop_as(Stop::damaged);
        break;
      case Phase::stored:
        if (const Stop stop = run_stored(room); stop != Stop::ended) return stop_as(stop);
        end_block(produced());
        break;
      case Phase::symbols:
        switch (decode_symbols(in_, room, tables_->literals, tables_->distances)) {
          case DecoderStop::block_ended:
            end_block(produced());
            break;
          case DecoderStop::paused:
            return stop_as(Stop::paused);
          case DecoderStop::room_full:
            return stop_as(Stop::room_full);
          case DecoderStop::damaged:
            return stop_as(Stop::damaged);
        }
        break;
    }
  }
}

bool Inflater::read_header(std::uint64_t produced) {
  block_.first_bit = bit_position();
  block_.content_begin = produced;
  in_.refill();
  if (in_.count < 3) return false;
  block_.last = in_.take(1) != 0;
  const unsigned type = in_.take(2);
  block_.type = static_cast<DeflateBlockType>(type);
  switch (type) {
    case 0:
      phase_ = Phase::stored;
      return read_stored_header();
    case 1:
      phase_ = Phase::symbols;
      if (!tables_are_fixed_) {
        tables_are_fixed_ = true;
        return huffman::fill(tables_->literals, kFixedLengths) &&
               huffman::fill(tables_->distances, kFixedDistanceLengths);
      }
      return true;
    case 2:
      phase_ = Phase::symbols;
      tables_are_fixed_ = false;
      return read_dynamic_header();
    default:
      return false;
  }
}

// What was taken from the stream and not used goes back, and the block is read byte by byte.
bool Inflater::read_stored_header() {
  in_.drop(in_.count % 8);
  in_.next -= in_.count / 8;
  in_.bits = 0;
  in_.count = 0;
  if (in_.end - in_.next < 4) return false;
  const unsigned length = in_.next[0] | static_cast<unsigned>(in_.next[1]) << 8U;
  const unsigned complement = in_.next[2] | static_cast<unsigned>(in_.next[3]) << 8U;
  in_.next += 4;
  stored_left_ = length;
  return (length ^ complement) == 0xffff;
}

// RFC 1951, 3.2.7. How many symbols there may be is zlib's limit, which is what the tables of
// lengths and distances have.
bool Inflater::read_dynamic_header() {
  constexpr std::array<std::uint8_t, 19> kOrder{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
  constexpr std::size_t kMostLiterals = 286;
  constexpr std::size_t kMostDistances = 30;
  constexpr std::size_t kEndOfBlock = 256;
  in_.refill();
  if (in_.count < 14) return false;
  const std::size_t literals = in_.take(5) + 257;
  const std::size_t distances = in_.take(5) + 1;
  const std::size_t codes = in_.take(4) + 4;
  if (literals > kMostLiterals || distances > kMostDistances) return false;
  std::array<std::uint8_t, 19> code_lengths{};
  for (std::size_t i = 0; i < codes; ++i) {
    in_.refill();
    if (in_.count < 3) return false;
    code_lengths[kOrder[i]] = static_cast<std::uint8_t>(in_.take(3));
  }
  huffman::LengthCodeTable table;
  if (!huffman::fill(table, code_lengths)) return false;

  std::array<std::uint8_t, kMostLiterals + kMostDistances> lengths{};
  const std::size_t total = literals + distances;
  for (std::size_t i = 0; i < total;) {
    in_.refill();
    const std::uint32_t entry = table[static_cast<std::size_t>(in_.bits & (table.size() - 1))];
    const unsigned symbol = entry >> 16U;
    const unsigned extra = symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0;
    if ((entry & 63U) + extra > in_.count) return false;
    in_.drop(entry & 63U);
    if (symbol < 16) {
      lengths[i++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && i == 0) return false;
    const std::size_t count = in_.take(extra) + (symbol == 18 ? 11U : 3U);
    if (count > total - i) return false;
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), count,
                symbol == 16 ? lengths[i - 1] : std::uint8_t{0});
    i += count;
  }
  if (lengths[kEndOfBlock] == 0) return false;
  const std::span<const std::uint8_t> all(lengths);
  return huffman::fill(tables_->literals, all.first(literals)) &&
         huffman::fill(tables_->distances, all.subspan(literals, distances));
}

Inflater::Stop Inflater::run_stored(DecoderRoom& room) {
  const auto here = static_cast<std::uint64_t>(in_.end - in_.next);
  if (here < stored_left_) return Stop::damaged;
  const std::uint8_t* const limit = room.pause != nullptr ? room.pause : room.end;
  const auto free = room.next < limit ? static_cast<std::uint64_t>(limit - room.next) : 0;
  const auto length = static_cast<std::size_t>(std::min(stored_left_, free));
  if (length != 0) std::memcpy(room.next, in_.next, length);
  room.next += length;
  in_.next += length;
  stored_left_ -= length;
  if (stored_left_ == 0) return Stop::ended;
  return room.pause != nullptr ? Stop::paused : Stop::room_full;
}

void Inflater::end_block(std::uint64_t produced) {
  phase_ = block_.last ? Phase::ended : Phase::header;
  if (!indexing_) return;
  block_.end_bit = bit_position();
  block_.content_end = produced;
  blocks_.push_back(block_);
  // An empty block takes ten bits, what is noted of it forty bytes.
  constexpr std::size_t kBytesPerBlock = 64;
  constexpr std::size_t kFewBlocks = 4096;
  if (blocks_.size() > stream_.size() / kBytesPerBlock + kFewBlocks) {
    indexing_ = false;
    blocks_ = {};
  }
}

PiecewiseInflater::PiecewiseInflater(Bytes stream, BlockIndex index)
    : stream_(stream),
      inflater_(stream, index),
      window_(std::make_unique_for_overwrite<std::uint8_t[]>(kDeflateWindow + kPiece + kSlack)),
      next_(window_.get()) {}

PiecewiseInflater::PiecewiseInflater(Bytes stream, std::uint64_t first_bit, std::uint64_t end_bit,
                                     Bytes before, EndsStream ends_stream)
    : PiecewiseInflater(stream) {
  inflater_ = Inflater(stream, first_bit, end_bit);
  part_end_ = {end_bit, ends_stream};
  const Bytes dictionary = before.last(std::min<std::size_t>(before.size(), kDeflateWindow));
  next_ = std::copy(dictionary.begin(), dictionary.end(), window_.get());
}

bool PiecewiseInflater::ended_where_it_must() const {
  if (!part_end_) return inflater_.consumed() == stream_.size();
  const auto [end, ends_stream] = *part_end_;
  const bool ends_here = ends_stream == EndsStream::yes;
  // The bits behind a stream's last block, up to a byte's end, belong to nothing.
  const bool is_at_end =
      ends_here ? inflater_.consumed() == (end + 7) / 8 : inflater_.bit_position() == end;
  return is_at_end && inflater_.is_at_last_block() == ends_here;
}

Bytes PiecewiseInflater::next() {
  if (ended_) return {};
  if (next_ > window_.get() + kDeflateWindow) {
    std::memmove(window_.get(), next_ - kDeflateWindow, kDeflateWindow);
    next_ = window_.get() + kDeflateWindow;
  }
  std::uint8_t* const pause = next_ + kPiece;
  DecoderRoom room{window_.get(), next_, pause + kSlack, pause};
  const auto stop = inflater_.run(room);
  const Bytes piece(next_, room.next);
  next_ = room.next;
  produced_ += piece.size();
  if (restart_every_ != 0) note_restart(piece.size());
  if (stop == Inflater::Stop::paused) return piece;
  ended_ = true;
  if (stop != Inflater::Stop::ended) {
    problem_ = kDamaged;
    return {};
  }
  if (!ended_where_it_must()) problem_ = kTrailing;
  return piece;
}

// A block that ended within the piece still has its window in front of it.
void PiecewiseInflater::note_restart(std::uint64_t piece_size) {
  const auto& blocks = inflater_.blocks();
  if (blocks.empty() || blocks.back().last) return;
  const std::uint64_t end = blocks.back().content_end;
  const std::uint64_t last = restarts_.empty() ? 0 : restarts_.back().content_begin;
  if (end < last + restart_every_ || end < produced_ - piece_size) return;
  const std::uint8_t* const at = next_ - (produced_ - end);
  const auto length = std::min<std::ptrdiff_t>(at - window_.get(), kDeflateWindow);
  restarts_.push_back({blocks.back().end_bit, end, Buffer(at - length, at)});
}

std::optional<std::string_view> inflate_whole(Bytes stream, std::span<std::uint8_t> content,
                                              std::vector<DeflateBlock>* blocks,
                                              const std::function<void(Bytes)>& sink) {
  Inflater inflater(stream, blocks != nullptr ? BlockIndex::made : BlockIndex::left_out);
  DecoderRoom room{content.data(), content.data(), content.data() + content.size(), nullptr};
  auto stop = Inflater::Stop::paused;
  while (stop == Inflater::Stop::paused) {
    const std::uint8_t* const before = room.next;
    const bool far = static_cast<std::size_t>(room.end - room.next) >= kPiece + kSlack;
    room.pause = sink && far ? room.next + kPiece : nullptr;
    stop = inflater.run(room);
    if (sink && room.next != before) sink(Bytes(before, room.next));
  }
  switch (stop) {
    case Inflater::Stop::damaged:
    case Inflater::Stop::paused:
      return kDamaged;
    case Inflater::Stop::room_full:
      return kTooLong;
    case Inflater::Stop::ended:
      break;
  }
  if (inflater.consumed() != stream.size()) return kTrailing;
  if (room.next != room.end) return kTooShort;
  if (blocks != nullptr) *blocks = inflater.take_blocks();
  return std::nullopt;
}

std::optional<std::string_view> inflate_in_pieces(Bytes stream, std::uint64_t size,
                                                  const std::function<void(Bytes)>& sink) {
  PiecewiseInflater inflater(stream);
  std::uint64_t left = size;
  while (true) {
    const Bytes piece = inflater.next();
    if (piece.empty()) break;
    if (piece.size() > left) return kTooLong;
    left -= piece.size();
    sink(piece);
  }
  if (inflater.problem()) return inflater.problem();
  if (left != 0) return kTooShort;
  return std::nullopt;
}

}  // namespace truewheel
