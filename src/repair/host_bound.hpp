// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/loaded_wheel.hpp"
#include <truewheel/repair.hpp>

#include <vector>

namespace truewheel::repair {

/// Bundled libraries that a GPU's or a fabric's vendor installs on the user's machine: a warning a
/// profile that was not asked for, with the option that leaves them there.
void note_vendor_libraries(const std::vector<Graft>& grafts, const Options& options,
                           std::vector<Finding>& findings);

/// Warns about a graft that is known to misbehave away from its machine: GL dispatch, NSS, libdrm
/// (auditwheel#483), static TLS (auditwheel's users met "cannot allocate memory in static TLS
/// block"), a file that checks its own bytes (FIPS).
void note_host_bound(const Graft& graft, const elf::ElfFacts& facts,
                     std::vector<Finding>& findings);

/// Warns about what a library of the finished wheel, its own or a graft, asks of the process: an
/// executable stack (auditwheel#634), an interpreter of its own (auditwheel#23).
void note_risks(const std::string& where, const elf::ElfFacts& facts,
                std::vector<Finding>& findings);

/// Warns about links of the build that the archive made into copies: libp.so, libp.so.0 and
/// libp.so.0.0.0 with the same bytes in one folder are three libraries to the loader.
void note_copies(const LoadedWheel& wheel, std::vector<Finding>& findings);

}  // namespace truewheel::repair
