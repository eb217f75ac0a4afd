// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>
#include <truewheel/elf.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace truewheel::policy {

/// architecture_of for a file whose facts are known.
[[nodiscard]] std::optional<std::string> architecture_of_facts(const elf::ElfFacts& facts);

/// The C library that one file speaks for: by its interpreter, else by a libc that it needs, else
/// by a file name with its platform in it; nullopt when it says nothing.
[[nodiscard]] std::optional<deps::Libc> libc_of_file(std::string_view path,
                                                     const elf::ElfFacts& facts);

/// "x86-64-v3" for GNU_PROPERTY_X86_ISA_1_NEEDED bits above the baseline; nullopt when the baseline
/// is enough.
[[nodiscard]] std::optional<std::string> isa_above_baseline(const elf::ElfFacts& facts);

}  // namespace truewheel::policy
