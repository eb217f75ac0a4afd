// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/layout.hpp"
#include "elf/string_table.hpp"
#include "elf/wish.hpp"
#include <truewheel/elf.hpp>

namespace truewheel::elf {

/// Turns decisions into bytes: the patches and the new tail that give the file the wished state in
/// the chosen layout. Decides nothing; two writes to one byte are a bug and an Error(internal).
[[nodiscard]] PatchList rewrite(const ElfImage& image, const Wish& wish, const StringPlan& strings,
                                const Layout& layout);

}  // namespace truewheel::elf
