// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_blocks.hpp"
#include <truewheel/bytes.hpp>

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

namespace truewheel {

struct ZlibAnswer {
  Buffer content;
  std::vector<DeflateBlock> blocks;
};

/// What zlib makes of a raw deflate stream, and where it stops with Z_BLOCK; nullopt for a stream
/// that it refuses, that does not end with its last byte, or that has more than `limit` bytes of
/// content.
inline std::optional<ZlibAnswer> zlib_inflate(Bytes stream, std::size_t limit) {
  constexpr int kUnusedBits = 31;  // zlib.h, inflate: what data_type says
  constexpr int kBehindBlock = 128;
  z_stream zlib{};
  if (inflateInit2(&zlib, -MAX_WBITS) != Z_OK) std::abort();
  zlib.next_in = const_cast<Bytef*>(stream.data());
  zlib.avail_in = static_cast<uInt>(stream.size());
  ZlibAnswer answer;
  Buffer piece(65536);
  const auto bit = [&](std::uint64_t at) {
    return static_cast<unsigned>(stream[static_cast<std::size_t>(at / 8)]) >> (at % 8) & 1U;
  };
  int status = Z_OK;
  while (status != Z_STREAM_END && answer.content.size() <= limit) {
    zlib.next_out = piece.data();
    zlib.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&zlib, Z_BLOCK);
    const std::size_t gained = piece.size() - zlib.avail_out;
    answer.content.insert(answer.content.end(), piece.begin(),
                          piece.begin() + static_cast<std::ptrdiff_t>(gained));
    const bool behind_block = (zlib.data_type & kBehindBlock) != 0;
    if (status != Z_OK && status != Z_STREAM_END && !(status == Z_BUF_ERROR && behind_block)) break;
    if (!behind_block) continue;
    DeflateBlock block;
    if (!answer.blocks.empty()) {
      block.first_bit = answer.blocks.back().end_bit;
      block.content_begin = answer.blocks.back().content_end;
    }
    block.end_bit =
        8 * (stream.size() - zlib.avail_in) - static_cast<unsigned>(zlib.data_type & kUnusedBits);
    block.content_end = answer.content.size();
    block.last = bit(block.first_bit) != 0;
    block.type =
        static_cast<DeflateBlockType>(bit(block.first_bit + 1) | bit(block.first_bit + 2) << 1U);
    answer.blocks.push_back(block);
  }
  const bool whole = status == Z_STREAM_END && zlib.avail_in == 0 && answer.content.size() <= limit;
  inflateEnd(&zlib);
  if (!whole) return std::nullopt;
  return answer;
}

}  // namespace truewheel
