// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_run.hpp"

#include "base/deflate_blocks.hpp"
#include <truewheel/error.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>

namespace truewheel {
namespace {

// The runs' output, which zlib cannot put behind what a vector holds.
constexpr std::size_t kPiece = 65536;
// zlib counts in 32 bits.
constexpr std::size_t kMaxChunk = std::size_t{1} << 30U;

}  // namespace

struct DeflateRunEncoder::Zlib {
  z_stream stream{};
  std::array<std::uint8_t, kPiece> piece{};

  void expect(int status, const char* call) const {
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK) {
      throw Error(ErrorKind::internal, "deflate-run", std::string("zlib refused ") + call);
    }
  }
};

DeflateRunEncoder::DeflateRunEncoder(int level) : zlib_(std::make_unique<Zlib>()) {
  constexpr int kDefaultMemory = 8;  // zlib.h, deflateInit2: memLevel
  // Runs are short, and zlib takes three times libdeflate's time for them: at its fast levels they
  // cost some KB, unless somebody asked for more than the default.
  constexpr int kDefault = 5, kFast = 3;
  if (level <= kDefault) level = std::min(level, kFast);
  zlib_->expect(deflateInit2(&zlib_->stream, level, Z_DEFLATED, -MAX_WBITS, kDefaultMemory,
                             Z_DEFAULT_STRATEGY),
                "deflateInit2");
}

DeflateRunEncoder::~DeflateRunEncoder() { deflateEnd(&zlib_->stream); }

std::size_t DeflateRunEncoder::bound(std::uint64_t length) const {
  constexpr std::size_t kFlush = 16;  // the bits before the run, and the empty block behind it
  return deflateBound(&zlib_->stream, static_cast<uLong>(length)) + kFlush;
}

void DeflateRunEncoder::encode(BitWriter& out, Bytes content, ContentRange run,
                               EndsStream ends_stream) {
  z_stream& stream = zlib_->stream;
  zlib_->expect(deflateReset(&stream), "deflateReset");
  const std::uint64_t before = std::min(run.begin, kDeflateWindow);
  if (before != 0) {
    const Bytes dictionary = content.subspan(static_cast<std::size_t>(run.begin - before),
                                             static_cast<std::size_t>(before));
    zlib_->expect(
        deflateSetDictionary(&stream, dictionary.data(), static_cast<uInt>(dictionary.size())),
        "deflateSetDictionary");
  }
  const BitWriter::Partial partial = out.take_partial();
  if (partial.count != 0) {
    zlib_->expect(
        deflatePrime(&stream, static_cast<int>(partial.count), static_cast<int>(partial.value)),
        "deflatePrime");
  }
  // A sync flush ends the run with an empty stored block, and so at a byte (zlib.h, deflate).
  const int ending = ends_stream == EndsStream::yes ? Z_FINISH : Z_SYNC_FLUSH;
  Bytes rest = content.subspan(static_cast<std::size_t>(run.begin),
                               static_cast<std::size_t>(run.end - run.begin));
  do {
    const Bytes chunk = rest.first(std::min(rest.size(), kMaxChunk));
    rest = rest.subspan(chunk.size());
    stream.next_in = const_cast<Bytef*>(chunk.data());
    stream.avail_in = static_cast<uInt>(chunk.size());
    do {
      stream.next_out = zlib_->piece.data();
      stream.avail_out = static_cast<uInt>(zlib_->piece.size());
      const int status = deflate(&stream, rest.empty() ? ending : Z_NO_FLUSH);
      // Z_BUF_ERROR: the piece before this one happened to be full with the last byte.
      if (status != Z_STREAM_END && status != Z_BUF_ERROR) zlib_->expect(status, "deflate");
      out.append(Bytes(zlib_->piece).first(zlib_->piece.size() - stream.avail_out));
    } while (stream.avail_out == 0);
  } while (!rest.empty());
}

}  // namespace truewheel
