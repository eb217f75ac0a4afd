// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/layout.hpp"
#include "elf/string_table.hpp"
#include "elf/wish.hpp"
#include "elf/writes.hpp"

#include <vector>

namespace truewheel::elf {

/// What changes in tables of symbols and of their versions, by the tables' old places: new names,
/// versions that go, and values that follow what moves.
[[nodiscard]] std::vector<Write> edit_symbols(const ElfImage& image, const Wish& wish,
                                              const StringPlan& strings, const Layout& layout);

}  // namespace truewheel::elf
