// SPDX-License-Identifier: Apache-2.0
//
// Any bytes give facts or a refusal. Where both readers speak of a file, they say the same of it,
// unless it is beyond what LIEF is given.
#include "elf/distilled_image.hpp"
#include <truewheel/elf.hpp>
#include <truewheel/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace truewheel;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the readers disagree: %s\n", what);
  std::abort();
}

void compare(Bytes file) {
  const elf::ElfFacts own = elf::inspect_natively(file);
  const elf::ElfFacts lief = elf::inspect_with_lief(file);
  expect(own.kind == lief.kind, "kind");
  expect(own.type == lief.type && own.machine == lief.machine && own.bits == lief.bits, "header");
  expect(own.interpreter == lief.interpreter, "interpreter");
  expect(own.executable_stack == lief.executable_stack, "executable_stack");
  if (elf::ElfImage(file).dynamic().size() > elf::kDistilledDynamicEntries) return;
  expect(own.needed == lief.needed, "needed");
  expect(own.soname == lief.soname, "soname");
  expect(own.rpath == lief.rpath && own.runpath == lief.runpath, "run paths");
  expect(own.filtees == lief.filtees && own.auditors == lief.auditors, "auxiliary");
  expect(own.dt_flags == lief.dt_flags && own.dt_flags_1 == lief.dt_flags_1, "flags");
  std::size_t versions = own.version_definitions.size() + 1;
  for (const elf::VersionNeed& need : own.version_needs) versions += need.versions.size();
  if (versions > elf::kDistilledVersions || own.imports.size() > 1000) return;
  expect(own.version_needs == lief.version_needs, "version needs");
  expect(own.version_definitions == lief.version_definitions, "version definitions");
  expect(own.imports == lief.imports, "imports");
  expect(own.python_exports == lief.python_exports, "python exports");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file(data, size);
  static_cast<void>(elf::identify(file));
  try {
    static_cast<void>(elf::inspect(file));
    compare(file);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::refused) throw;
  }
  return 0;
}
