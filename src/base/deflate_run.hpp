// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bit_writer.hpp"
#include "base/deflate_splice.hpp"
#include <truewheel/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace truewheel {

/// Encodes runs of a content as deflate blocks in the middle of a stream. One encoder serves all
/// runs of a stream; each starts afresh.
class DeflateRunEncoder {
 public:
  explicit DeflateRunEncoder(int level);
  ~DeflateRunEncoder();
  DeflateRunEncoder(const DeflateRunEncoder&) = delete;
  DeflateRunEncoder& operator=(const DeflateRunEncoder&) = delete;

  /// At most how many bytes `encode` writes for `length` bytes.
  [[nodiscard]] std::size_t bound(std::uint64_t length) const;

  /// Blocks of content[run] from the writer's position on, at whatever bit of a byte it is; they
  /// may refer to the content before the run, and end at a byte.
  void encode(BitWriter& out, Bytes content, ContentRange run, EndsStream ends_stream);

 private:
  struct Zlib;
  std::unique_ptr<Zlib> zlib_;
};

}  // namespace truewheel
