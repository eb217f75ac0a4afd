// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace truewheel::deps::testing {

/// Facts of an x86-64 library, made without a file.
struct Library {
  std::vector<std::string> needed = {};
  std::optional<std::string> soname = {};
  std::optional<std::string> rpath = {};
  std::optional<std::string> runpath = {};
  elf::FileKind kind = elf::FileKind::shared_object;
  std::optional<std::string> build_id = {};
  std::vector<std::string> python_exports = {};
  unsigned bits = 64;
  std::uint16_t machine = 62;
  bool little_endian = true;
  std::uint32_t dt_flags_1 = 0;
  std::vector<elf::VersionNeed> version_needs = {};
  std::vector<std::string> version_definitions = {};
};

inline WheelFile file(std::string path, Library library) {
  auto facts = std::make_shared<elf::ElfFacts>();
  facts->kind = library.kind;
  facts->bits = library.bits;
  facts->little_endian = library.little_endian;
  facts->machine = library.machine;
  facts->type = library.kind == elf::FileKind::executable ? 2 : 3;
  facts->needed = std::move(library.needed);
  facts->soname = std::move(library.soname);
  facts->rpath = std::move(library.rpath);
  facts->runpath = std::move(library.runpath);
  facts->build_id = std::move(library.build_id);
  facts->python_exports = std::move(library.python_exports);
  facts->dt_flags_1 = library.dt_flags_1;
  facts->version_needs = std::move(library.version_needs);
  facts->version_definitions = std::move(library.version_definitions);
  return {std::move(path), std::move(facts)};
}

inline bool nothing_provided(const std::string&) { return false; }

inline std::vector<LoadStep> load(const std::vector<WheelFile>& layout, Libc libc = Libc::glibc,
                                  const LoaderMachine& machine = {}) {
  return simulate_load(layout, 0, libc, nothing_provided, machine);
}

}  // namespace truewheel::deps::testing
