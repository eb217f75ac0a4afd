// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace truewheel::elf {

/// Looks for anything but program headers and dynamic table tags that refers to an address range:
/// symbols, relocation addends, the entry point, init and fini functions. A range that one of
/// these refers to must not move. Returns what it found, or why it cannot tell; nullopt when the
/// range is referred to by nothing.
[[nodiscard]] std::optional<std::string> find_reference(const ElfImage& image, std::uint64_t begin,
                                                        std::uint64_t end);

}  // namespace truewheel::elf
