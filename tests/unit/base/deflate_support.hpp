// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate.hpp"
#include "base/deflate_blocks.hpp"
#include "base/inflate.hpp"
#include "support/zlib_oracle.hpp"

#include <doctest/doctest.h>
#include <libdeflate.h>
#include <zlib.h>
#ifdef TRUEWHEEL_HAS_ZOPFLI
#include <zopfli/zopfli.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>

namespace truewheel {

/// Seeded numbers of 32 bits, the same everywhere.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

/// What a long run is asked for by.
inline unsigned number_from_environment(const char* name, unsigned otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(value, nullptr, 10));
}

/// How a stream is made; the default is Python's zipfile.
struct ZlibOptions {
  int level = 6;
  int strategy = Z_DEFAULT_STRATEGY;
  int memory = 8;  ///< 1 makes a block of each 127 symbols
  int flush = Z_NO_FLUSH;
  std::size_t flush_every = 0;  ///< bytes of content between flushes
};

inline Buffer zlib_stream(Bytes content, const ZlibOptions& options) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, options.level, Z_DEFLATED, -MAX_WBITS, options.memory,
                       options.strategy) == Z_OK);
  Buffer out;
  Buffer room(65536);
  const auto feed = [&](Bytes piece, int flush) {
    stream.next_in = const_cast<Bytef*>(piece.data());
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = room.data();
      stream.avail_out = static_cast<uInt>(room.size());
      deflate(&stream, flush);
      out.insert(out.end(), room.data(), room.data() + (room.size() - stream.avail_out));
    } while (stream.avail_out == 0);
  };
  while (options.flush_every != 0 && content.size() > options.flush_every) {
    feed(content.first(options.flush_every), options.flush);
    content = content.subspan(options.flush_every);
  }
  feed(content, Z_FINISH);
  deflateEnd(&stream);
  return out;
}

inline Buffer libdeflate_stream(Bytes content, int level) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(level);
  REQUIRE(compressor != nullptr);
  Buffer out(libdeflate_deflate_compress_bound(compressor, content.size()) + 1);
  const std::uint8_t nothing = 0;
  out.resize(libdeflate_deflate_compress(compressor, content.empty() ? &nothing : content.data(),
                                         content.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  REQUIRE(!out.empty());
  return out;
}

/// zopfli's stream, slow to make; where the library is not installed, libdeflate's best instead.
inline Buffer zopfli_stream(Bytes content) {
#ifdef TRUEWHEEL_HAS_ZOPFLI
  ZopfliOptions options;
  ZopfliInitOptions(&options);
  options.numiterations = 1;
  unsigned char* out = nullptr;
  std::size_t size = 0;
  ZopfliCompress(&options, ZOPFLI_FORMAT_DEFLATE, content.data(), content.size(), &out, &size);
  Buffer stream(out, out + size);
  std::free(out);
  return stream;
#else
  return libdeflate_stream(content, 12);
#endif
}

/// Noise, runs, small alphabets, and repeats from as far back as deflate can refer to and a little
/// farther.
inline Buffer varied_content(Random& random, std::size_t size) {
  Buffer content;
  content.reserve(size);
  while (content.size() < size) {
    const std::size_t length = std::min<std::size_t>(size - content.size(), 1 + random() % 700);
    const unsigned kind = random() % 8;
    const std::size_t back = std::min<std::size_t>(content.size(), 1 + random() % 32800);
    const auto letters = static_cast<unsigned>(2 + random() % 60);
    for (std::size_t i = 0; i < length; ++i) {
      if (kind < 4 && back != 0) {
        content.push_back(content[content.size() - back]);
      } else if (kind == 4) {
        content.push_back(0);
      } else if (kind == 5) {
        content.push_back(static_cast<std::uint8_t>(random()));
      } else {
        content.push_back(static_cast<std::uint8_t>('A' + random() % letters));
      }
    }
  }
  return content;
}

/// All three inflaters must find exactly `content`, and the end of the stream at its last byte.
inline void check_inflates_to(Bytes stream, Bytes content) {
  Buffer whole(content.size());
  const auto problem = inflate_exactly(stream, whole);
  REQUIRE_MESSAGE(!problem, problem.value_or(""));
  REQUIRE(std::equal(whole.begin(), whole.end(), content.begin(), content.end()));
  const auto by_zlib = zlib_inflate(stream, content.size());
  REQUIRE(by_zlib);
  REQUIRE(by_zlib->content == whole);
  std::vector<DeflateBlock> blocks;
  Buffer own(content.size());
  const auto own_problem = inflate_whole(stream, own, &blocks);
  REQUIRE_MESSAGE(!own_problem, own_problem.value_or(""));
  REQUIRE(own == whole);
  REQUIRE((blocks.empty() || blocks == by_zlib->blocks));
}

/// The blocks follow each other without a gap, only the last one is last, and they fill the stream.
inline void check_index(Bytes stream, const std::vector<DeflateBlock>& blocks, std::uint64_t size) {
  REQUIRE(!blocks.empty());
  std::uint64_t bit = 0;
  std::uint64_t content = 0;
  for (const DeflateBlock& block : blocks) {
    REQUIRE(block.first_bit == bit);
    REQUIRE(block.end_bit >= bit + 10);
    REQUIRE(block.content_begin == content);
    REQUIRE(block.content_end >= content);
    REQUIRE(block.last == (&block == &blocks.back()));
    bit = block.end_bit;
    content = block.content_end;
  }
  REQUIRE((bit + 7) / 8 == stream.size());
  REQUIRE(content == size);
}

}  // namespace truewheel
