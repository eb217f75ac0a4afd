// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/elf.hpp>

#include <string>
#include <vector>

namespace truewheel::deps {

/// What distributions call an ELF file's machine in the names of their folders. Read from the file,
/// never from the machine that runs us; empty texts where nothing is known.
struct MachineNames {
  std::string multiarch;   ///< Debian's folder: "x86_64-linux-gnu"
  std::string lib_folder;  ///< "lib64", "lib", "libx32": glibc's own slibdir and value of $LIB
  std::string platform;    ///< the kernel's AT_PLATFORM: "x86_64"
  std::string musl;        ///< of /etc/ld-musl-<name>.path
};
[[nodiscard]] MachineNames machine_names(const elf::ElfFacts& facts);

/// The values that $LIB takes on the distributions, multiarch first.
[[nodiscard]] std::vector<std::string> lib_values(const MachineNames& names);

/// True when both are of one class, byte order and machine, so that one process can load both.
[[nodiscard]] bool same_machine(const elf::ElfFacts& left, const elf::ElfFacts& right);

/// "64-bit little-endian, machine 62", for messages.
[[nodiscard]] std::string describe_machine(unsigned bits, bool little_endian,
                                           std::uint16_t machine);

}  // namespace truewheel::deps
