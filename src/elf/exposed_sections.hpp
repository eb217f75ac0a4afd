// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <vector>

namespace truewheel::elf {

/// True when the next edit by an old patchelf would write program headers over a section. Up to
/// 0.18 it makes room for them in a shared object or PIE by moving sections away: in the order of
/// their headers, up to the first one that begins behind all that the table might take. A header of
/// a section that an edit moved to the end of the file stops it before those that still stand
/// behind the table.
[[nodiscard]] bool exposes_sections(const Header& header, const std::vector<Segment>& segments,
                                    const std::vector<Section>& sections);

}  // namespace truewheel::elf
