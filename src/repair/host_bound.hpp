// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/repair.hpp>

#include <vector>

namespace truewheel::repair {

/// Warns about a graft that is known to misbehave away from its machine: GL dispatch, NSS, libdrm
/// (settled point 7, bug-classes.md B12), an executable stack (A43), static TLS (A44), a file that
/// checks its own bytes (B27).
void note_host_bound(const Graft& graft, const elf::ElfFacts& facts,
                     std::vector<Finding>& findings);

}  // namespace truewheel::repair
