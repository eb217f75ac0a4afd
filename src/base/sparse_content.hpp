// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_pages.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <vector>

namespace truewheel {

/// A content of which only some pages are in memory. Who reads it gets zeros elsewhere, and that is
/// noticed: ask `missed` before believing anything that was read.
class SparseContent {
 public:
  explicit SparseContent(std::uint64_t size);

  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// Asks for whole pages around a range, as far as the content reaches.
  void want(Range range);

  /// Offers a piece of the content: what is wanted of it is kept. Each pass over the content must
  /// offer all of it.
  void offer(std::uint64_t offset, Bytes piece);

  /// Wants a range, and takes those of its pages that were not wanted yet from the content, of
  /// which all is at hand.
  void add(Range range, Bytes content);

  [[nodiscard]] Bytes bytes() const { return content_.bytes(); }

  /// The pages that were read and never offered while they were wanted; nothing when all that was
  /// read is the content.
  [[nodiscard]] std::vector<Range> missed() const;

 private:
  MappedPages content_;
  std::uint64_t page_;
  std::vector<bool> wanted_;  ///< by page
};

}  // namespace truewheel
