// SPDX-License-Identifier: Apache-2.0
#include "deps/machine.hpp"

#include <fmt/format.h>

namespace truewheel::deps {
namespace {

// e_machine values of the gABI's registry.
constexpr std::uint16_t kI386 = 3;
constexpr std::uint16_t kMips = 8;
constexpr std::uint16_t kPowerPc64 = 21;
constexpr std::uint16_t kS390 = 22;
constexpr std::uint16_t kArm = 40;
constexpr std::uint16_t kX86_64 = 62;
constexpr std::uint16_t kAarch64 = 183;
constexpr std::uint16_t kRiscv = 243;
constexpr std::uint16_t kLoongArch = 258;

constexpr std::uint32_t kArmHardFloat = 0x400;  // EF_ARM_ABI_FLOAT_HARD

}  // namespace

MachineNames machine_names(const elf::ElfFacts& facts) {
  const bool is_64 = facts.bits == 64;
  const std::string lib = is_64 ? "lib64" : "lib";
  switch (facts.machine) {
    case kX86_64:
      if (!is_64) return {"x86_64-linux-gnux32", "libx32", "x86_64", "x32"};
      return {"x86_64-linux-gnu", lib, "x86_64", "x86_64"};
    case kI386:
      return {"i386-linux-gnu", lib, "i686", "i386"};
    case kAarch64:
      return facts.little_endian ? MachineNames{"aarch64-linux-gnu", lib, "aarch64", "aarch64"}
                                 : MachineNames{"aarch64_be-linux-gnu", lib, "", "aarch64_be"};
    case kArm:
      return (facts.flags & kArmHardFloat) != 0
                 ? MachineNames{"arm-linux-gnueabihf", lib, "v7l", "armhf"}
                 : MachineNames{"arm-linux-gnueabi", lib, "v7l", "arm"};
    case kPowerPc64:
      return facts.little_endian
                 ? MachineNames{"powerpc64le-linux-gnu", lib, "power8", "powerpc64le"}
                 : MachineNames{"powerpc64-linux-gnu", lib, "power8", "powerpc64"};
    case kS390:
      return is_64 ? MachineNames{"s390x-linux-gnu", lib, "", "s390x"}
                   : MachineNames{"s390-linux-gnu", lib, "", ""};
    case kRiscv:
      return {is_64 ? "riscv64-linux-gnu" : "riscv32-linux-gnu", lib, "",
              is_64 ? "riscv64" : "riscv32"};
    case kLoongArch:
      return {is_64 ? "loongarch64-linux-gnu" : "loongarch32-linux-gnu", lib, "", "loongarch64"};
    case kMips:
      return is_64 ? MachineNames{facts.little_endian ? "mips64el-linux-gnuabi64"
                                                      : "mips64-linux-gnuabi64",
                                  lib, "", facts.little_endian ? "mips64el" : "mips64"}
                   : MachineNames{facts.little_endian ? "mipsel-linux-gnu" : "mips-linux-gnu", lib,
                                  "", facts.little_endian ? "mipsel" : "mips"};
    default:
      return {"", lib, "", ""};
  }
}

std::vector<std::string> lib_values(const MachineNames& names) {
  std::vector<std::string> values;
  if (!names.multiarch.empty()) values.push_back("lib/" + names.multiarch);
  values.push_back(names.lib_folder);
  if (names.lib_folder != "lib") values.emplace_back("lib");
  return values;
}

bool same_machine(const elf::ElfFacts& left, const elf::ElfFacts& right) {
  return left.bits == right.bits && left.little_endian == right.little_endian &&
         left.machine == right.machine;
}

std::string describe_machine(unsigned bits, bool little_endian, std::uint16_t machine) {
  return fmt::format("{}-bit {}-endian, machine {}", bits, little_endian ? "little" : "big",
                     machine);
}

}  // namespace truewheel::deps
