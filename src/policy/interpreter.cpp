// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "deps/machine.hpp"
#include "policy/machine.hpp"
#include <truewheel/policy.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace truewheel::policy {
namespace {

/// By architecture: sysdeps/**/shlib-versions and the rtld paths of each psABI.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kGlibc = {{
    {"x86_64", "/lib64/ld-linux-x86-64.so.2"},
    {"i686", "/lib/ld-linux.so.2"},
    {"aarch64", "/lib/ld-linux-aarch64.so.1"},
    {"armv7l", "/lib/ld-linux-armhf.so.3"},
    {"ppc64le", "/lib64/ld64.so.2"},
    {"ppc64", "/lib64/ld64.so.1"},
    {"s390x", "/lib/ld64.so.1"},
    {"riscv64", "/lib/ld-linux-riscv64-lp64d.so.1"},
    {"loongarch64", "/lib64/ld-linux-loongarch-lp64d.so.1"},
}};

/// Empty where none is known.
std::string standard_interpreter(const elf::ElfFacts& facts, const std::string& architecture,
                                 deps::Libc libc) {
  switch (libc) {
    case deps::Libc::glibc: {
      const auto found = std::find_if(kGlibc.begin(), kGlibc.end(),
                                      [&](const auto& row) { return row.first == architecture; });
      return found == kGlibc.end() ? std::string() : std::string(found->second);
    }
    case deps::Libc::musl: {
      const auto name = deps::machine_names(facts).musl;
      return name.empty() ? std::string() : "/lib/ld-musl-" + name + ".so.1";
    }
    case deps::Libc::bionic:
      return facts.bits == 64 ? "/system/bin/linker64" : "/system/bin/linker";
  }
  return {};
}

}  // namespace

std::string OddInterpreter::sentence() const {
  return "is started by " + printable(interpreter) +
         ", which other machines do not have: they have " + standard;
}

std::string OddInterpreter::hint() const {
  return "truewheel patchelf --set-interpreter " + standard;
}

std::optional<OddInterpreter> odd_interpreter(const elf::ElfFacts& facts, deps::Libc libc) {
  const bool is_program = facts.kind == elf::FileKind::executable ||
                          (facts.kind == elf::FileKind::pie && !facts.soname);
  const auto architecture = architecture_of_facts(facts);
  if (!is_program || !facts.interpreter || !architecture) return std::nullopt;
  // A program of another libc is told of elsewhere; its own interpreter is right.
  for (const auto any : {deps::Libc::glibc, deps::Libc::musl, deps::Libc::bionic}) {
    if (*facts.interpreter == standard_interpreter(facts, *architecture, any)) return std::nullopt;
  }
  auto standard = standard_interpreter(facts, *architecture, libc);
  if (standard.empty()) return std::nullopt;
  return OddInterpreter{*facts.interpreter, std::move(standard)};
}

}  // namespace truewheel::policy
