// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "commands/patchelf.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace truewheel::commands {
namespace {

/// The gABI's numbers of EI_OSABI; the first name of each is the one that is printed.
struct OsAbi {
  std::uint8_t number;
  std::string_view name, also;
};
constexpr OsAbi kOsAbis[] = {
    {0, "System V", "sysv"},
    {1, "HP-UX", "hpux"},
    {2, "NetBSD", ""},
    {3, "Linux", "gnu"},
    {4, "GNU Hurd", "hurd"},
    {6, "Solaris", ""},
    {7, "AIX", ""},
    {8, "IRIX", ""},
    {9, "FreeBSD", ""},
    {10, "Tru64", ""},
    {12, "OpenBSD", ""},
    {13, "OpenVMS", ""},
    {0, "System V", "none"},
    {0, "System-V", "system-v"},
    {4, "GNU-Hurd", "gnu-hurd"},
};

std::string os_abi_name(std::uint8_t number) {
  const auto found = std::ranges::find(kOsAbis, number, &OsAbi::number);
  return found == std::end(kOsAbis) ? fmt::format("{:#x}", number) : std::string(found->name);
}

}  // namespace

std::uint8_t os_abi_of(const std::string& name) {
  const std::string wished = ascii_lower(name);
  const auto found = std::ranges::find_if(kOsAbis, [&](const OsAbi& abi) {
    return ascii_lower(abi.name) == wished || (!abi.also.empty() && abi.also == wished);
  });
  if (found == std::end(kOsAbis))
    throw Error(ErrorKind::usage, "os-abi", "there is no OS ABI of the name " + name);
  return found->number;
}

std::string patchelf_text(const elf::ElfFacts& facts, const PatchelfPrints& print) {
  std::string text;
  if (print.interpreter) {
    if (!facts.interpreter)
      throw Error(ErrorKind::unfit, "no-interpreter",
                  "the file names no interpreter: it is a library or a static program");
    text += *facts.interpreter + "\n";
  }
  // A separate debug file has the headers of a dynamic section, and no text in it.
  if ((print.run_path || print.needed) && !facts.is_dynamic() &&
      facts.kind != elf::FileKind::debug_only)
    throw Error(ErrorKind::unfit, "not-dynamic",
                facts.kind == elf::FileKind::static_executable
                    ? "a static program needs no library, and nothing reads a run path of it"
                    : "the file has no dynamic section");
  if (print.os_abi) text += os_abi_name(facts.os_abi) + "\n";
  if (print.soname && facts.soname) text += *facts.soname + "\n";
  if (print.run_path) {
    const auto run_path = facts.run_path();
    text += (run_path ? run_path->value : "") + "\n";
  }
  if (print.executable_stack) {
    text += fmt::format("execstack: {}\n", !facts.has_stack_note    ? '?'
                                           : facts.executable_stack ? 'X'
                                                                    : '-');
  }
  if (print.needed) {
    for (const std::string& name : facts.needed) text += name + "\n";
  }
  return text;
}

}  // namespace truewheel::commands
