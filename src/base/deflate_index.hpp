// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace truewheel {

/// Places of a raw deflate stream at which inflating can begin again, so that a small part of a
/// large content can be had without the whole of it. The way of zlib's examples/zran.c: a block's
/// first bit and the 32 KiB before it.
class InflateIndex {
 public:
  /// One pass over the whole stream, as inflate_in_pieces() makes it: `sink` gets the content in
  /// order. Returns what is wrong with the stream, or nullopt.
  [[nodiscard]] std::optional<std::string_view> build(Bytes compressed, std::uint64_t size,
                                                      const std::function<void(Bytes)>& sink);

  /// Fills `out` with the content from `offset` on. False when the stream is not what it was.
  [[nodiscard]] bool read(Bytes compressed, std::uint64_t offset,
                          std::span<std::uint8_t> out) const;

 private:
  struct Point {
    std::uint64_t out = 0;  ///< offset in the content
    std::uint64_t in = 0;   ///< offset of the first whole byte in the stream
    int bits = 0;           ///< how many bits of the byte before it belong to it
    Buffer window;          ///< the content before `out`, at most 32 KiB
  };
  std::vector<Point> points_;
};

}  // namespace truewheel
