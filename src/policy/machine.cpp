// SPDX-License-Identifier: Apache-2.0
#include "policy/machine.hpp"

#include "base/text.hpp"
#include <truewheel/policy.hpp>

namespace truewheel::policy {
namespace {

// e_machine values (gABI and its supplements).
constexpr std::uint16_t kMachine386 = 3;
constexpr std::uint16_t kMachinePpc64 = 21;
constexpr std::uint16_t kMachineS390 = 22;
constexpr std::uint16_t kMachineArm = 40;
constexpr std::uint16_t kMachineX86_64 = 62;
constexpr std::uint16_t kMachineAarch64 = 183;
constexpr std::uint16_t kMachineRiscv = 243;
constexpr std::uint16_t kMachineLoongarch = 258;

// ARM ELF supplement: the EABI version is the top byte, and 0x400 says that floats travel in
// registers.
constexpr std::uint32_t kArmEabiMask = 0xFF000000;
constexpr std::uint32_t kArmEabi5 = 0x05000000;
constexpr std::uint32_t kArmHardFloat = 0x00000400;

std::optional<deps::Libc> libc_of_interpreter(std::string_view interpreter) {
  const std::string_view name = base_name(interpreter);
  if (name.starts_with("ld-musl-")) return deps::Libc::musl;
  if (name.starts_with("ld-linux") || name.starts_with("ld64.so.") || name.starts_with("ld.so.")) {
    return deps::Libc::glibc;
  }
  if (name == "linker" || name == "linker64") return deps::Libc::bionic;
  return std::nullopt;
}

std::optional<deps::Libc> libc_of_needed(std::string_view needed) {
  if (needed.starts_with("libc.musl-") || needed.starts_with("ld-musl-")) return deps::Libc::musl;
  // glibc's libc is libc.so.6 everywhere but on ia64 and alpha (6.1), which have no tag.
  if (needed == "libc.so.6" || needed.starts_with("ld-linux") || needed.starts_with("ld64.so.")) {
    return deps::Libc::glibc;
  }
  return std::nullopt;
}

// "_x.cpython-311-x86_64-linux-gnu.so": CPython's own name of the platform. Before 3.11 musl builds
// said gnu too, so that such a name tells nothing (bpo-43112).
std::optional<deps::Libc> libc_of_name(std::string_view path) {
  const std::string_view name = base_name(path);
  if (name.ends_with("-linux-musl.so") || name.ends_with("-linux-musleabihf.so")) {
    return deps::Libc::musl;
  }
  if (!name.ends_with("-linux-gnu.so") && !name.ends_with("-linux-gnueabihf.so")) {
    return std::nullopt;
  }
  constexpr std::string_view kMarker = ".cpython-3";
  const std::size_t at = name.rfind(kMarker);
  if (at == std::string_view::npos) return std::nullopt;
  int minor = 0;
  for (const char c : name.substr(at + kMarker.size(), 3)) {
    if (c < '0' || c > '9') break;
    minor = minor * 10 + (c - '0');
  }
  if (minor < 11) return std::nullopt;
  return deps::Libc::glibc;
}

}  // namespace

std::optional<std::string> architecture_of(const elf::Identity& identity) {
  const bool is_64 = identity.bits == 64;
  const bool little = identity.little_endian;
  switch (identity.machine) {
    case kMachine386:
      return !is_64 && little ? std::optional("i686") : std::nullopt;
    case kMachineX86_64:  // 32 bits of it are x32, which no table knows
      return is_64 && little ? std::optional("x86_64") : std::nullopt;
    case kMachineAarch64:
      return is_64 && little ? std::optional("aarch64") : std::nullopt;
    case kMachinePpc64:
      if (!is_64) return std::nullopt;
      return little ? "ppc64le" : "ppc64";
    case kMachineS390:
      return is_64 && !little ? std::optional("s390x") : std::nullopt;
    case kMachineRiscv:
      return is_64 && little ? std::optional("riscv64") : std::nullopt;
    case kMachineLoongarch:
      return is_64 && little ? std::optional("loongarch64") : std::nullopt;
    case kMachineArm: {
      const bool hard_float =
          (identity.flags & kArmEabiMask) == kArmEabi5 && (identity.flags & kArmHardFloat) != 0;
      return !is_64 && little && hard_float ? std::optional("armv7l") : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool serves(const std::optional<std::string>& file_architecture,
            const std::string& wheel_architecture) {
  return file_architecture == wheel_architecture ||
         (wheel_architecture == "armv6l" && file_architecture == "armv7l");
}

std::optional<std::string> architecture_of_facts(const elf::ElfFacts& facts) {
  return architecture_of(elf::Identity{.bits = facts.bits,
                                       .little_endian = facts.little_endian,
                                       .type = facts.type,
                                       .machine = facts.machine,
                                       .flags = facts.flags});
}

std::optional<deps::Libc> libc_of_file(std::string_view path, const elf::ElfFacts& facts) {
  if (facts.interpreter) {
    if (const auto libc = libc_of_interpreter(*facts.interpreter)) return libc;
  }
  for (const std::string& needed : facts.needed) {
    if (const auto libc = libc_of_needed(needed)) return libc;
  }
  return libc_of_name(path);
}

std::optional<deps::Libc> libc_of(const std::vector<std::string>& platform_tags,
                                  const std::vector<deps::WheelFile>& files) {
  std::set<deps::Libc> found;
  for (const std::string& tag : platform_tags) {
    const std::string family = parse_platform_tag(tag).family;
    if (family == "manylinux") found.insert(deps::Libc::glibc);
    if (family == "musllinux") found.insert(deps::Libc::musl);
    if (family == "android") found.insert(deps::Libc::bionic);
  }
  if (found.empty()) {
    for (const deps::WheelFile& file : files) {
      if (!file.facts) continue;
      if (const auto libc = libc_of_file(file.path, *file.facts)) found.insert(*libc);
    }
  }
  if (found.size() != 1) return std::nullopt;
  return *found.begin();
}

int android_level(const std::vector<std::string>& platform_tags) {
  int level = 0;
  for (const std::string& tag : platform_tags) {
    const PlatformTag parsed = parse_platform_tag(tag);
    if (parsed.family == "android" && (level == 0 || parsed.major < level)) level = parsed.major;
  }
  return level;
}

std::optional<std::string> isa_above_baseline(const elf::ElfFacts& facts) {
  if (facts.machine != kMachineX86_64 && facts.machine != kMachine386) return std::nullopt;
  // Bits of the x86 psABI: 1 baseline, 2 v2, 4 v3, 8 v4; each level contains the ones below it.
  const std::uint32_t above = facts.isa_needed & ~1U;
  if (above == 0) return std::nullopt;
  if (above > 15) return "an unknown x86-64 level";
  return (above & 8U) != 0 ? "x86-64-v4" : (above & 4U) != 0 ? "x86-64-v3" : "x86-64-v2";
}

}  // namespace truewheel::policy
