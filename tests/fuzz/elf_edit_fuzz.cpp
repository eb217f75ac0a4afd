// SPDX-License-Identifier: Apache-2.0
//
// The first byte picks the edit, the rest is the ELF file. It is refused, or the result passes the
// oracle of tests/elf_cases.
#include "elf_cases/edit_oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace truewheel;
  if (size == 0) return 0;
  const Bytes file(data + 1, size - 1);
  // LIEF takes most of the time, and has a fuzzer of its own in elf_reader_fuzz: every eighth input
  // asks it.
  unsigned sum = 0;
  for (std::size_t i = 0; i < size && i < 4096; ++i) sum += data[i];
  const auto witness = sum % 8 == 0 ? elf::oracle::Witness::lief : elf::oracle::Witness::none;
  try {
    static_cast<void>(elf::oracle::judge(file, data[0], witness));
  } catch (const elf::oracle::Broken& broken) {
    std::fprintf(stderr, "edit %u: %s\n", unsigned{data[0]}, broken.what());
    std::abort();
  }
  return 0;
}
