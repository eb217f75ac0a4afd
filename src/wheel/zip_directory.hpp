// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wheel/zip_end_records.hpp"
#include "wheel/zip_format.hpp"
#include "wheel/zip_notes.hpp"
#include <truewheel/bytes.hpp>

#include <vector>

namespace truewheel::wheel {

/// Reads the central directory: exactly the promised entries fill exactly its bytes, and each is
/// one that a wheel may have by its own words (names, flags, methods, sizes, types).
[[nodiscard]] std::vector<DirectoryEntry> read_directory(Bytes archive, const EndRecords& records,
                                                         Oddities& oddities);

}  // namespace truewheel::wheel
