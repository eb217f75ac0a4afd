// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace truewheel::deps {

/// The versions that `needing` insists on having from the library that it calls `needed`, and that
/// `library` does not define: glibc loads the two together never (elf/dl-version.c, match_symbol:
/// "version `FOO_2' not found"). A library that defines no version at all is taken, with a warning
/// of the loader's; musl and bionic compare nothing here.
[[nodiscard]] std::vector<std::string> lacking_versions(const elf::ElfFacts& needing,
                                                        std::string_view needed,
                                                        const elf::ElfFacts& library);

/// False, and said why in `skipped`, where that is glibc's answer to `needed` of `needing` being
/// the library at `path`.
[[nodiscard]] bool has_versions(const Node& needing, const std::string& needed,
                                const std::string& path, const elf::ElfFacts& library, Libc libc,
                                std::vector<std::string>& skipped);

}  // namespace truewheel::deps
