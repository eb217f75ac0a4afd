// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace truewheel::elf {

/// Where a file's code and data are (begin and end, ascending): the sections that no editor of
/// dynamic sections touches, nor does strip. Empty without section headers that can be trusted.
[[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> payload_ranges(
    const ElfImage& image);

/// Hex sha256 of them, "" where there are none: equal for one library before and after it was
/// bundled or stripped. A build-id does not tell: it may be set by hand, and a product may be
/// patched after it was linked.
[[nodiscard]] std::string payload_digest(Bytes file);

/// True if both have code and data, and the same.
[[nodiscard]] bool same_payload(Bytes one, Bytes other);

}  // namespace truewheel::elf
