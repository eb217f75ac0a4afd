// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_blocks.hpp"

#include "base/deflate.hpp"
#include "base/inflate.hpp"
#include <truewheel/error.hpp>

#include <string>

namespace truewheel {
namespace {

// The id under which the archive's reader refuses the same faults.
[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::refused, "zip-content", what);
}

}  // namespace

std::vector<DeflateBlock> index_deflate(Bytes stream, const std::function<void(Bytes)>& sink) {
  PiecewiseInflater inflater(stream, BlockIndex::made);
  while (true) {
    const Bytes piece = inflater.next();
    if (piece.empty()) break;
    if (sink) sink(piece);
  }
  if (const auto problem = inflater.problem()) refuse(std::string(*problem));
  return inflater.take_blocks();
}

std::vector<DeflateBlock> inflate_and_index(Bytes stream, std::span<std::uint8_t> content) {
  std::vector<DeflateBlock> blocks;
  if (const auto problem = inflate_whole(stream, content, &blocks)) refuse(std::string(*problem));
  return blocks;
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
