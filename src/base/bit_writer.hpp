// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstddef>
#include <cstdint>

namespace truewheel {

/// Writes bits from the lowest of each byte up, as deflate packs them (RFC 1951, 3.1.1).
class BitWriter {
 public:
  /// Bits that do not fill a byte yet: the `count` lowest of `value`, 0 to 7 of them.
  struct Partial {
    unsigned value = 0;
    unsigned count = 0;
  };

  /// `room`: how many bytes are expected; more are fine, but cost a move of what is there.
  explicit BitWriter(std::size_t room) { bytes_.reserve(room); }

  /// Where the next bit goes, counted from the first.
  [[nodiscard]] std::uint64_t position() const {
    return std::uint64_t{8} * bytes_.size() + partial_.count;
  }

  /// The `count` lowest bits of `value`, at most 16.
  void put(unsigned value, unsigned count);

  /// Fills the byte begun with zeros.
  void align();

  /// Whole bytes; the position must be at a byte's start.
  void append(Bytes bytes);

  /// The bits [first, end) of `source`, counted as `position` counts.
  void copy(Bytes source, std::uint64_t first, std::uint64_t end);

  /// Gives the bits of the unfinished byte away: whoever takes them appends the byte with them.
  [[nodiscard]] Partial take_partial();

  /// All bytes, the last filled with zeros; nothing is left.
  [[nodiscard]] Buffer finish();

 private:
  void copy_shifted(Bytes source, unsigned shift, std::size_t count);

  Buffer bytes_;
  Partial partial_;
};

}  // namespace truewheel
