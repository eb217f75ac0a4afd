// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/draft.hpp"
#include "elf/ground.hpp"

#include <vector>

namespace truewheel::elf {

/// lld gives a small library's .dynamic a LOAD of its own, with no padding behind it. When it
/// leaves, no section is in that LOAD, and GNU strip writes it with an offset that no loader takes.
/// For a draft in which it leaves: the same with another small table in its old place, one draft
/// for each that may be worth it. None where the LOAD keeps a section anyhow.
[[nodiscard]] std::vector<Draft> with_stand_in(const Ground& ground, const Table& dynamic,
                                               const Draft& draft);

}  // namespace truewheel::elf
