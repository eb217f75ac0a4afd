// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace truewheel {

/// Small enough to stay in the processor's caches, large enough that a call for each costs nothing.
inline constexpr std::size_t kPieceSize = std::size_t{1} << 20U;

/// Calls `take` with one piece of the bytes after the other, each of kPieceSize but the last.
template <class Take>
void for_each_piece(Bytes bytes, Take&& take) {
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(kPieceSize, bytes.size()));
    bytes = bytes.subspan(piece.size());
    take(piece);
  }
}

}  // namespace truewheel
