// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include <truewheel/elf.hpp>

#include <doctest/doctest.h>

namespace truewheel::elf::test {
namespace {

/// An AArch64 program as crt1.o makes it: a note of the ABI behind .interp, for which
/// the assembler has made a mapping symbol.
Buffer build_program(const Bench& bench) {
  bench.write("program.s",
              ".globl _start\n.text\n_start:\n.word 0\n"
              ".section .note.ABI-tag,\"a\",%note\n.p2align 2\n.long 4, 16, 1\n.asciz \"GNU\"\n"
              ".long 0, 3, 7, 0\n");
  bench.must("clang --target=aarch64-linux-gnu -c -o program.o program.s");
  bench.must(
      "ld.lld -pie --hash-style=gnu --dynamic-linker=/lib/ld-linux.so.1 -o program program.o");
  return read_file(bench / "program");
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

}  // namespace

TEST_CASE("a mapping symbol does not keep the note that it marks in its place") {
  const Bench bench;
  const Buffer program = build_program(bench);
  CHECK(bench.output_of("readelf -sW", program).find("$d") != std::string::npos);
  const auto edited = edit(program, set_rpath(std::string(500, 'p')));
  CHECK(joined(edited.patches.steps).find("grows in place") != std::string::npos);
  CHECK(ElfImage(edited.bytes).header().phoff == ElfImage(program).header().phoff);
  CHECK(edited.patches.growth < 4096);
}

TEST_CASE("an absolute _DYNAMIC follows the dynamic section") {
  // GNU ld makes it absolute on AArch64, ARM, MIPS, RISC-V and S/390.
  const Bench bench;
  Buffer program = bench.build_file("program", "int main(void) { return 0; }\n",
                                    "-pie -Wl,--spare-dynamic-tags=1");
  {
    const ElfImage image(program);
    const std::uint64_t dynamic = image.find_segment(pt::kDynamic)->vaddr;
    for (const Section& table : image.sections()) {
      if (table.type != sht::kSymtab) continue;
      const auto end = static_cast<std::size_t>(table.offset + table.size);
      for (auto at = static_cast<std::size_t>(table.offset); at < end; at += 24) {
        if (image.reader().u64(at + 8) != dynamic) continue;
        program[at + 6] = shn::kAbs & 0xff;
        program[at + 7] = shn::kAbs >> 8;
      }
    }
  }
  CHECK(bench.output_of("readelf -sW", program).find("ABS _DYNAMIC") != std::string::npos);
  ElfEdit wishes = set_rpath("/opt/lib");
  wishes.soname = "libnew.so";
  const Buffer edited = edit(program, wishes).bytes;
  const std::uint64_t moved = ElfImage(edited).find_segment(pt::kDynamic)->vaddr;
  CHECK(moved != ElfImage(program).find_segment(pt::kDynamic)->vaddr);
  CHECK(bench.output_of("eu-elflint --gnu-ld", edited).find("_DYNAMIC") == std::string::npos);
  CHECK(bench.execute(edited).empty());
}

TEST_CASE("a hash table keeps its bytes where the words are not as wide as the machine's") {
  // mold writes words of 4 bytes for S/390, whose own have 8.
  const Bench bench;
  Buffer library = bench.build_file("case.so", "int run(void) { return 3; }\n",
                                    "-shared -fPIC -Wl,--hash-style=both,-soname,libcase.so");
  library[18] = static_cast<std::uint8_t>(em::kS390);
  Buffer edited = edit(library, set_rpath(std::string(9000, 'p'))).bytes;
  for (Buffer* file : {&library, &edited}) (*file)[18] = static_cast<std::uint8_t>(em::kX86_64);
  CHECK(bench.load(edited) == "3\n");
  const std::string histogram = bench.output_of("readelf -IW", library);
  CHECK(histogram.find("bucket") != std::string::npos);
  CHECK(bench.output_of("readelf -IW", edited) == histogram);
}

TEST_CASE("a new LOAD suits the largest page of the file's machine, not of this one") {
  const Bench bench;
  Buffer program = build_program(bench);
  const ElfImage image(program);
  // Files whose LOADs say nothing of pages.
  for (std::size_t i = 0; i < image.header().phnum; ++i) {
    if (image.segments()[i].type != pt::kLoad) continue;
    const auto field =
        program.begin() + static_cast<std::ptrdiff_t>(image.header().phoff + 56 * i + 48);
    std::fill(field, field + 8, std::uint8_t{0});
  }
  for (const auto& kind : {std::pair{em::kAarch64, 0x10000},
                           {em::kPpc64, 0x10000},
                           {em::kMips, 0x10000},
                           {em::kLoongArch, 0x10000},
                           {em::kSparcV9, 0x2000},
                           {em::kRiscv, 0x1000},
                           {em::kS390, 0x1000},
                           {em::kX86_64, 0x1000}}) {
    const auto [machine, page] = kind;
    CAPTURE(kind.first);
    program[18] = static_cast<std::uint8_t>(machine & 0xff);
    program[19] = static_cast<std::uint8_t>(machine >> 8);
    const auto edited = edit(program, set_rpath(std::string(500, 'p')));
    const ElfImage after(edited.bytes);
    const Segment* last = nullptr;
    for (const Segment& segment : after.segments()) {
      if (segment.type == pt::kLoad) last = &segment;
    }
    REQUIRE(count_loads(edited.bytes) == count_loads(program) + 1);
    CHECK(last->align == static_cast<std::uint64_t>(page));
    CHECK((last->vaddr - last->offset) % last->align == 0);
  }
}

}  // namespace truewheel::elf::test
