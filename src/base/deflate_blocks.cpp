// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_blocks.hpp"

#include "base/deflate.hpp"
#include <truewheel/error.hpp>

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <utility>

namespace truewheel {
namespace {

constexpr std::size_t kMaxChunk = std::numeric_limits<uInt>::max();
// What zlib says in data_type (zlib.h, inflate): the bits of the last byte that are not used yet,
// and whether it stands behind a block.
constexpr int kUnusedBits = 31;
constexpr int kBehindBlock = 128;

// The id under which the archive's reader refuses the same faults.
[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::refused, "zip-content", what);
}

// Inflates a stream and stops behind each block to note it.
class BlockWalker {
 public:
  explicit BlockWalker(Bytes stream) : stream_(stream), rest_(stream) {
    if (inflateInit2(&zlib_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~BlockWalker() { inflateEnd(&zlib_); }
  BlockWalker(const BlockWalker&) = delete;
  BlockWalker& operator=(const BlockWalker&) = delete;

  // Content into `room` until that is full or the stream is over; how many bytes there were.
  std::size_t fill(std::span<std::uint8_t> room);
  [[nodiscard]] bool ended() const { return ended_; }
  std::vector<DeflateBlock> take_blocks() { return std::move(blocks_); }

 private:
  void feed();
  void note_block();

  z_stream zlib_{};
  Bytes stream_;
  Bytes rest_;  // not handed to zlib yet
  std::uint64_t produced_ = 0;
  bool ended_ = false;
  bool noting_ = true;
  std::vector<DeflateBlock> blocks_;
};

void BlockWalker::feed() {
  if (zlib_.avail_in != 0 || rest_.empty()) return;
  const std::size_t length = std::min(rest_.size(), kMaxChunk);
  zlib_.next_in = const_cast<Bytef*>(rest_.data());
  zlib_.avail_in = static_cast<uInt>(length);
  rest_ = rest_.subspan(length);
}

std::size_t BlockWalker::fill(std::span<std::uint8_t> room) {
  std::size_t filled = 0;
  while (!ended_ && filled < room.size()) {
    feed();
    const std::size_t length = std::min(room.size() - filled, kMaxChunk);
    zlib_.next_out = room.data() + filled;
    zlib_.avail_out = static_cast<uInt>(length);
    const int status = inflate(&zlib_, noting_ ? Z_BLOCK : Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    const bool behind_block = (zlib_.data_type & kBehindBlock) != 0;
    const bool stuck = status == Z_BUF_ERROR && !behind_block;  // it lacks input, and there is none
    if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) || stuck) {
      refuse("the deflate stream is damaged");
    }
    const std::size_t gained = length - zlib_.avail_out;
    filled += gained;
    produced_ += gained;
    if (noting_ && behind_block) note_block();
    ended_ = status == Z_STREAM_END;
  }
  if (ended_ && (zlib_.avail_in != 0 || !rest_.empty())) {
    refuse("data follows the end of the deflate stream");
  }
  return filled;
}

void BlockWalker::note_block() {
  const std::uint64_t taken = stream_.size() - rest_.size() - zlib_.avail_in;
  DeflateBlock block;
  if (!blocks_.empty()) {
    block.first_bit = blocks_.back().end_bit;
    block.content_begin = blocks_.back().content_end;
  }
  block.end_bit = 8 * taken - static_cast<unsigned>(zlib_.data_type & kUnusedBits);
  block.content_end = produced_;
  const auto bit = [&](std::uint64_t at) {
    return static_cast<unsigned>(stream_[static_cast<std::size_t>(at / 8)]) >> (at % 8) & 1U;
  };
  block.last = bit(block.first_bit) != 0;
  block.type =
      static_cast<DeflateBlockType>(bit(block.first_bit + 1) | bit(block.first_bit + 2) << 1U);
  blocks_.push_back(block);
  // An empty block takes ten bits, what is noted of it forty bytes.
  constexpr std::size_t kBytesPerBlock = 16;
  constexpr std::size_t kFewBlocks = 4096;
  if (blocks_.size() > stream_.size() / kBytesPerBlock + kFewBlocks) {
    noting_ = false;
    blocks_ = {};
  }
}

}  // namespace

std::vector<DeflateBlock> index_deflate(Bytes stream, const std::function<void(Bytes)>& sink) {
  BlockWalker walker(stream);
  Buffer piece(std::size_t{1} << 20U);
  while (!walker.ended()) {
    const std::size_t length = walker.fill(piece);
    if (sink && length != 0) sink(Bytes(piece).first(length));
  }
  return walker.take_blocks();
}

std::vector<DeflateBlock> inflate_and_index(Bytes stream, std::span<std::uint8_t> content) {
  BlockWalker walker(stream);
  if (walker.fill(content) != content.size()) {
    refuse("the content is shorter than the size it is given");
  }
  // What is left of the stream may end it, and must not say more.
  std::uint8_t more = 0;
  if (walker.fill({&more, 1}) != 0) refuse("the content is longer than the size it is given");
  return walker.take_blocks();
}

Buffer inflate_and_index(Bytes stream, std::uint64_t size, std::vector<DeflateBlock>& blocks) {
  if (size / kMaxDeflateRatio > stream.size()) {
    refuse(std::to_string(stream.size()) + " bytes cannot become the " + std::to_string(size) +
           " bytes that they are said to");
  }
  Buffer content(static_cast<std::size_t>(size));
  blocks = inflate_and_index(stream, content);
  return content;
}

}  // namespace truewheel
