// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <string>

namespace truewheel::test {

/// What a repair starts from.
struct BuiltWheel {
  std::string archive;
  std::string outside_library;  ///< that this machine has; empty for none
};

/// A wheel p-1 of pieces: each a byte that says where the piece goes (kPlaces of built_wheel.cpp),
/// its length in two little-endian bytes, and its content. METADATA, WHEEL and RECORD are true
/// unless a piece says otherwise.
[[nodiscard]] BuiltWheel built_wheel(Bytes pieces, bool is_compressed);

}  // namespace truewheel::test
