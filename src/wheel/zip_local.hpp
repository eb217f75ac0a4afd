// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wheel/zip_format.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>

namespace truewheel::wheel {

/// The bytes of a member in the archive: header, compressed data, data descriptor.
struct LocalRange {
  std::uint64_t data_offset = 0;
  std::uint64_t end = 0;
  bool has_descriptor = false;
};

/// Reads the local header that `entry` points to and holds it against the entry, field by field,
/// and the data descriptor if one is announced. `limit` is where the directory starts.
[[nodiscard]] LocalRange read_local(Bytes archive, const DirectoryEntry& entry,
                                    std::uint64_t limit);

}  // namespace truewheel::wheel
