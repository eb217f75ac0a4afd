// SPDX-License-Identifier: Apache-2.0
#include "unit/policy/graph_builder.hpp"
#include <truewheel/policy.hpp>

#include <doctest/doctest.h>

namespace truewheel::policy {
namespace {

using deps::Libc;
using testing::FileBuilder;

std::string architecture(unsigned bits, bool little, std::uint16_t machine,
                         std::uint32_t flags = 0) {
  return architecture_of(
             {.bits = bits, .little_endian = little, .type = 3, .machine = machine, .flags = flags})
      .value_or("none");
}

TEST_CASE("an ELF header tells the architecture of a tag") {
  CHECK(architecture(64, true, 62) == "x86_64");
  CHECK(architecture(32, true, 3) == "i686");
  CHECK(architecture(64, true, 183) == "aarch64");
  CHECK(architecture(64, true, 21) == "ppc64le");
  CHECK(architecture(64, false, 21) == "ppc64");
  CHECK(architecture(64, false, 22) == "s390x");
  CHECK(architecture(64, true, 243) == "riscv64");
  CHECK(architecture(64, true, 258) == "loongarch64");
}

TEST_CASE("x32, 32-bit and wrong-endian variants have no tag") {
  CHECK(architecture(32, true, 62) == "none");
  CHECK(architecture(32, true, 183) == "none");
  CHECK(architecture(64, false, 183) == "none");
  CHECK(architecture(32, false, 22) == "none");
  CHECK(architecture(32, true, 243) == "none");
  CHECK(architecture(64, true, 224) == "none");  // EM_AMDGPU
}

TEST_CASE("armv7l asks for EABI version 5 and hard floats") {
  CHECK(architecture(32, true, 40, 0x05000400) == "armv7l");
  CHECK(architecture(32, true, 40, 0x05000200) == "none");
  CHECK(architecture(32, true, 40, 0x04000400) == "none");
  CHECK(architecture(32, false, 40, 0x05000400) == "none");
}

deps::WheelFile file(FileBuilder builder) {
  return {builder.path_, std::make_shared<const elf::ElfFacts>(builder.facts_)};
}

TEST_CASE("the libc comes from the platform tags, whatever the files say") {
  const std::vector<deps::WheelFile> glibc_file = {file(FileBuilder("a.so").needs("libc.so.6"))};
  CHECK(libc_of({"manylinux2014_x86_64", "manylinux_2_28_x86_64"}, {}) == Libc::glibc);
  CHECK(libc_of({"musllinux_1_2_x86_64"}, glibc_file) == Libc::musl);
  CHECK(libc_of({"android_24_arm64_v8a"}, {}) == Libc::bionic);
  CHECK(android_level({"android_24_arm64_v8a", "android_21_arm64_v8a"}) == 21);
  CHECK(android_level({"linux_aarch64"}) == 0);
  CHECK(libc_of({"manylinux_2_12_x86_64", "musllinux_1_1_x86_64"}, glibc_file) == std::nullopt);
}

TEST_CASE("a linux tag leaves the libc to interpreters and needed libraries") {
  const std::vector<std::string> tags = {"linux_x86_64"};
  CHECK(libc_of(tags, {file(FileBuilder("a.so").needs("libc.so.6"))}) == Libc::glibc);
  CHECK(libc_of(tags, {file(FileBuilder("a.so").needs("libc.musl-x86_64.so.1"))}) == Libc::musl);
  CHECK(libc_of(tags, {file(FileBuilder("a.so").needs("ld-linux-x86-64.so.2"))}) == Libc::glibc);
  const auto with_interpreter = [](const char* interpreter) {
    return file(
        FileBuilder("prog").facts([&](elf::ElfFacts& facts) { facts.interpreter = interpreter; }));
  };
  CHECK(libc_of(tags, {with_interpreter("/lib/ld-musl-i386.so.1")}) == Libc::musl);
  CHECK(libc_of(tags, {with_interpreter("/lib64/ld64.so.1")}) == Libc::glibc);
  CHECK(libc_of(tags, {with_interpreter("/system/bin/linker64")}) == Libc::bionic);
  CHECK(libc_of(tags, {with_interpreter("/lib/ld-musl-x86_64.so.1"),
                       file(FileBuilder("a.so").needs("libc.so.6"))}) == std::nullopt);
  CHECK(libc_of(tags, {file(FileBuilder("a.so").needs("libm.so"))}) == std::nullopt);
  CHECK(libc_of(tags, {}) == std::nullopt);
}

TEST_CASE("an extension's file name tells the libc when nothing else does") {
  const auto by_name = [](const char* name) {
    return libc_of({"linux_x86_64"}, {file(FileBuilder(name))});
  };
  CHECK(by_name("p/_x.cpython-312-x86_64-linux-musl.so") == Libc::musl);
  CHECK(by_name("p/_x.cpython-312-x86_64-linux-gnu.so") == Libc::glibc);
  CHECK(by_name("p/_x.cpython-313t-arm-linux-gnueabihf.so") == Libc::glibc);
  // Before CPython 3.11 builds on musl called themselves gnu, too.
  CHECK(by_name("p/_x.cpython-310-x86_64-linux-gnu.so") == std::nullopt);
  CHECK(by_name("p/_x.abi3.so") == std::nullopt);
}

TEST_CASE("a program's interpreter is at the path of its platform's ABI or is told") {
  struct Row {
    unsigned bits;
    std::uint16_t machine;
    Libc libc;
    const char* standard;
  };
  for (const Row& row : std::vector<Row>{
           {64, 62, Libc::glibc, "/lib64/ld-linux-x86-64.so.2"},
           {32, 3, Libc::glibc, "/lib/ld-linux.so.2"},
           {64, 183, Libc::glibc, "/lib/ld-linux-aarch64.so.1"},
           {64, 62, Libc::musl, "/lib/ld-musl-x86_64.so.1"},
           {64, 183, Libc::musl, "/lib/ld-musl-aarch64.so.1"},
           {64, 183, Libc::bionic, "/system/bin/linker64"},
       }) {
    CAPTURE(row.standard);
    elf::ElfFacts facts;
    facts.kind = elf::FileKind::pie;
    facts.bits = row.bits;
    facts.machine = row.machine;
    facts.type = 3;
    CHECK_FALSE(odd_interpreter(facts, row.libc));  // none at all
    facts.interpreter = row.standard;
    CHECK_FALSE(odd_interpreter(facts, row.libc));
    facts.interpreter = std::string("/nix/store/abc") + row.standard;
    const auto odd = odd_interpreter(facts, row.libc);
    REQUIRE(odd);
    CHECK(odd->interpreter == facts.interpreter);
    CHECK(odd->standard == row.standard);
    facts.kind = elf::FileKind::shared_object;  // nobody starts it
    CHECK_FALSE(odd_interpreter(facts, row.libc));
  }
}

}  // namespace
}  // namespace truewheel::policy
