// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/host_files.hpp"
#include <truewheel/deps.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::deps {

/// True if the file of the wheel is the library that the build found: the same build-id, or, where
/// one of them has none, the same bytes. strip and an edited run path leave a build-id as it is.
[[nodiscard]] bool is_same_library(const WheelFile& file, const HostFile& build);

/// The symbols that `needing` takes from the library it calls `needed`, if that is `build`, and
/// that `file` does not define: `needing` was linked with another library than this one. Empty
/// where one of the two has no DT_GNU_HASH to tell. `is_elsewhere` says which symbols another
/// library of `needing` defines; it is asked for those whose version does not name the library.
[[nodiscard]] std::vector<std::string> symbols_of_build_alone(
    const elf::ElfFacts& needing, std::string_view needed, const elf::ElfFacts& file,
    const elf::ElfFacts& build, const std::function<bool(std::uint32_t hash)>& is_elsewhere);

}  // namespace truewheel::deps
