// SPDX-License-Identifier: Apache-2.0
//
// Any bytes get zlib's verdict from the inflater, whole and in pieces, and what is taken gets
// zlib's bytes and blocks. The first 8 bytes are left out, so that the splice's seeds serve here
// too.
#include "base/inflate.hpp"
#include "support/zlib_oracle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace truewheel;

constexpr std::size_t kControl = 8;
constexpr std::size_t kMaxContent = 1U << 20U;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kControl) return 0;
  // A copy of its own, so that a byte read past the end is noticed.
  const Buffer stream(data + kControl, data + size);
  const auto by_zlib = zlib_inflate(stream, kMaxContent);
  PiecewiseInflater pieces(stream, BlockIndex::made);
  Buffer content;
  for (Bytes piece = pieces.next(); !piece.empty() && content.size() <= kMaxContent;
       piece = pieces.next()) {
    content.insert(content.end(), piece.begin(), piece.end());
  }
  const bool taken = !pieces.problem() && content.size() <= kMaxContent;
  expect(taken == by_zlib.has_value(), "in pieces the verdict is not zlib's");
  Buffer whole(by_zlib ? by_zlib->content.size() : std::min(content.size(), kMaxContent));
  std::vector<DeflateBlock> blocks;
  expect(inflate_whole(stream, whole, &blocks).has_value() != taken, "the verdict is not zlib's");
  if (!taken) return 0;
  expect(content == by_zlib->content, "in pieces the bytes are not zlib's");
  expect(whole == by_zlib->content, "the bytes are not zlib's");
  expect(blocks.empty() || blocks == by_zlib->blocks, "the blocks are not zlib's");
  expect(pieces.take_blocks() == blocks, "the indexes differ");
  return 0;
}
