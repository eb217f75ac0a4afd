// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/elf.hpp>

namespace truewheel::elf {

/// The facts of an ET_EXEC or ET_DYN file by LIEF, from its distilled image. LIEF prints nothing
/// and its exceptions do not leave: what it cannot read is Error(internal, "elf-lief"), since the
/// image is our own work. May be called from several threads.
[[nodiscard]] ElfFacts read_with_lief(const Buffer& distilled);

}  // namespace truewheel::elf
