// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/subject.hpp"

namespace truewheel::check {

/// ELF members above this size are read in part.
inline constexpr std::uint64_t kLargeMember = 48ULL << 20;

/// Hashes a large deflated ELF member and fills in its facts from the parts that a loader's tables
/// lie in, without ever holding the rest: GPU plugins have hundreds of megabytes of device code.
/// False when its headers do not tell where those parts are; then nothing is filled in.
[[nodiscard]] bool inspect_large_member(Bytes archive, const wheel::Member& member,
                                        const Options& options, Inspected& inspected);

/// elf::payload_digest() of a large member, which is inflated twice and never held.
[[nodiscard]] std::string payload_of_large_member(Bytes archive, const wheel::Member& member);

}  // namespace truewheel::check
