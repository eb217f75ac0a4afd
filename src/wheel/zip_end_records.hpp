// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>

namespace truewheel::wheel {

/// What the records at the end of an archive say, once they agree with each other and with where
/// they lie.
struct EndRecords {
  std::uint64_t entry_count = 0;
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_size = 0;
  bool has_comment = false;
  bool has_nul_tail = false;  ///< NUL bytes follow the end record
};

/// Finds the end records and holds them to: exactly one end record reaches the end of the file (a
/// tail of NUL bytes aside), ZIP64 records are complete and agree with it, and the directory ends
/// where they start.
[[nodiscard]] EndRecords read_end_records(Bytes archive);

}  // namespace truewheel::wheel
