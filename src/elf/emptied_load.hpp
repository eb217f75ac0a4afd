// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/file_map.hpp"
#include "elf/image.hpp"
#include "elf/tables.hpp"

#include <cstddef>
#include <vector>

namespace truewheel::elf {

/// The tables, by their indices, which are all that a LOAD holds, as in those that edits make;
/// empty for a LOAD with anything else. Where all of them leave, no loader misses it: its header
/// can be that of the LOAD they go to. GNU strip breaks files with a LOAD that no section is in.
[[nodiscard]] std::vector<std::size_t> tables_that_fill(const ElfImage& image, const FileMap& map,
                                                        const std::vector<Table>& tables,
                                                        const Segment& load);

}  // namespace truewheel::elf
