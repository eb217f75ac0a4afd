// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_index.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace truewheel {
namespace {

constexpr std::size_t kWindow = 32768;
/// Content between two points: what a read inflates in vain at most.
constexpr std::uint64_t kDistance = 4ULL << 20;

class RawInflater {
 public:
  RawInflater() {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~RawInflater() { inflateEnd(&stream_); }
  RawInflater(const RawInflater&) = delete;
  RawInflater& operator=(const RawInflater&) = delete;
  z_stream& stream() { return stream_; }

  /// Gives the inflater the next part of the input when it has none. At the input's end there may
  /// still be output that had no room.
  void feed(Bytes& rest) {
    if (stream_.avail_in != 0 || rest.empty()) return;
    const auto length = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = const_cast<Bytef*>(rest.data());
    stream_.avail_in = static_cast<uInt>(length);
    rest = rest.subspan(length);
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::optional<std::string_view> InflateIndex::build(Bytes compressed, std::uint64_t size,
                                                    const std::function<void(Bytes)>& sink) {
  // The last 32 KiB always stand in front of the place where new bytes go.
  constexpr std::size_t kPiece = 512 * 1024;
  points_.assign(1, Point{});  // the stream's own beginning, at which inflate() does not stop
  RawInflater inflater;
  z_stream& stream = inflater.stream();
  Buffer buffer(kWindow + kPiece);
  std::size_t filled = kWindow;  // of the buffer, the window counted
  std::size_t told = kWindow;    // up to here the sink has it
  std::uint64_t produced = 0;
  std::uint64_t last = 0;
  Bytes rest = compressed;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    inflater.feed(rest);
    if (filled == buffer.size()) {
      sink(Bytes(buffer).subspan(told, filled - told));
      std::memmove(buffer.data(), buffer.data() + filled - kWindow, kWindow);
      filled = told = kWindow;
    }
    stream.next_out = buffer.data() + filled;
    stream.avail_out = static_cast<uInt>(buffer.size() - filled);
    status = inflate(&stream, Z_BLOCK);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    // There is room for output, so that without progress it is the input that ended.
    if (status != Z_OK && status != Z_STREAM_END) return "the deflate stream is damaged";
    const auto length = buffer.size() - filled - stream.avail_out;
    filled += length;
    produced += length;
    if (produced > size) return "the content is longer than the size it is given";
    // Bit 7: at the end of a block's header or of a block; bit 6: that was the last block.
    const bool at_block = (stream.data_type & 128) != 0 && (stream.data_type & 64) == 0;
    if (!at_block || produced - last < kDistance) continue;
    Point point;
    point.out = last = produced;
    point.in = compressed.size() - rest.size() - stream.avail_in;
    point.bits = stream.data_type & 7;
    const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, produced));
    const auto at = buffer.begin() + static_cast<std::ptrdiff_t>(filled);
    point.window.assign(at - static_cast<std::ptrdiff_t>(known), at);
    points_.push_back(std::move(point));
  }
  if (filled != told) sink(Bytes(buffer).subspan(told, filled - told));
  if (stream.avail_in != 0 || !rest.empty()) return "data follows the end of the deflate stream";
  if (produced != size) return "the content is shorter than the size it is given";
  return std::nullopt;
}

bool InflateIndex::read(Bytes compressed, std::uint64_t offset, std::span<std::uint8_t> out) const {
  const auto behind =
      std::upper_bound(points_.begin(), points_.end(), offset,
                       [](std::uint64_t wanted, const Point& point) { return wanted < point.out; });
  if (behind == points_.begin()) return false;
  const Point& point = *std::prev(behind);
  RawInflater inflater;
  z_stream& stream = inflater.stream();
  if (point.bits != 0 && inflatePrime(&stream, point.bits,
                                      compressed[static_cast<std::size_t>(point.in) - 1] >>
                                          (8 - point.bits)) != Z_OK) {
    return false;
  }
  if (!point.window.empty() &&
      inflateSetDictionary(&stream, point.window.data(), static_cast<uInt>(point.window.size())) !=
          Z_OK) {
    return false;
  }
  Bytes rest = compressed.subspan(static_cast<std::size_t>(point.in));
  std::uint64_t skip = offset - point.out;
  std::array<std::uint8_t, kWindow> scrap{};
  while (!out.empty()) {
    inflater.feed(rest);
    const bool skips = skip != 0;
    const auto room = skips ? std::min<std::uint64_t>(scrap.size(), skip)
                            : std::min<std::uint64_t>(out.size(), 1U << 30);
    stream.next_out = skips ? scrap.data() : out.data();
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) return false;
    const auto length = room - stream.avail_out;
    if (skips) {
      skip -= length;
    } else {
      out = out.subspan(static_cast<std::size_t>(length));
    }
    if (status == Z_STREAM_END && (skip != 0 || !out.empty())) return false;
  }
  return true;
}

}  // namespace truewheel
