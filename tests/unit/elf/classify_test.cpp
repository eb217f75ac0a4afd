// SPDX-License-Identifier: Apache-2.0
#include "facts_support.hpp"
#include <truewheel/elf.hpp>

#include <doctest/doctest.h>

#include <string>

namespace truewheel::elf::test {

namespace {

constexpr const char* kProgram = "#include <stdio.h>\nint main(void) { return puts(\"x\") < 0; }\n";
constexpr const char* kLibrary = "#include <stdio.h>\nint f(void) { return puts(\"x\"); }\n";
// A library that can be run, as libc.so.6 and libQt5Core.so.5 can.
constexpr const char* kRunnableLibrary =
    "#include <unistd.h>\n"
    "const char interpreter[] __attribute__((section(\".interp\"))) = "
    "\"/lib64/ld-linux-x86-64.so.2\";\n"
    "void run(void) { _exit(0); }\n";

FileKind kind_of_text(const std::string& text) { return classify(as_bytes(text)); }

FileKind kind_after(const std::string& command) {
  const Scratch scratch;
  scratch.write("source.c", kProgram);
  const bool ran = scratch.run("gcc -g -o program source.c && " + command);
  INFO(scratch.log());
  REQUIRE(ran);
  return classify(read_file(scratch / "out"));
}

}  // namespace

TEST_CASE("what has no ELF magic is data, however it is named") {
  CHECK(kind_of_text("") == FileKind::data);
  CHECK(kind_of_text("\x7f"
                     "EL") == FileKind::data);
  CHECK(kind_of_text("INPUT(libfoo.so.1)\n") == FileKind::data);
  CHECK(kind_of_text("!<arch>\nfoo.o/") == FileKind::data);
  CHECK(kind_of_text("MZ\x90") == FileKind::data);
  CHECK(kind_of_text("\xcf\xfa\xed\xfe") == FileKind::data);
  CHECK(inspect(as_bytes("#!/bin/sh\n")).kind == FileKind::data);
}

TEST_CASE("an ELF magic without an ELF header is refused") {
  Buffer file = build(kLibrary, "-shared -fPIC");
  for (const std::size_t length : {4U, 5U, 15U, 16U, 51U, 63U}) {
    const Buffer cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(static_cast<void>(classify(cut)), Error);
    CHECK_FALSE(identify(cut).has_value());
  }
  for (const std::size_t field : {4U, 5U, 6U}) {
    for (const unsigned wrong : {0U, 3U, 255U}) {
      Buffer damaged = file;
      damaged[field] = static_cast<std::uint8_t>(wrong);
      CHECK(refusal(damaged) == "elf-ident");
    }
  }
}

TEST_CASE("identify reads who a file is for, also when the rest of it is malformed") {
  Buffer file = build(kLibrary, "-shared -fPIC");
  const Identity expected{64, true, et::kDyn, em::kX86_64, 0};
  CHECK(identify(file) == expected);
  poke(file, 32, ~std::uint64_t{0});  // e_phoff
  CHECK(identify(file) == expected);
  CHECK_THROWS_AS(static_cast<void>(inspect(file)), Error);

  const Buffer mips = small_library("mips-linux-gnu");
  if (mips.empty()) return;
  const auto identity = identify(mips);
  REQUIRE(identity.has_value());
  CHECK(identity->bits == 32);
  CHECK_FALSE(identity->little_endian);
  CHECK(identity->machine == em::kMips);
  CHECK(identity->flags == ElfImage(mips).header().flags);
}

TEST_CASE("programs and libraries are told apart") {
  CHECK(classify(build(kLibrary, "-shared -fPIC")) == FileKind::shared_object);
  CHECK(classify(build(kProgram, "-fPIE -pie")) == FileKind::pie);
  CHECK(classify(build(kProgram, "-fno-pie -no-pie")) == FileKind::executable);
  CHECK(classify(build(kProgram, "-static")) == FileKind::static_executable);
  CHECK(classify(build(kProgram, "-static-pie -fPIE")) == FileKind::static_executable);
  CHECK(classify(build(kProgram, "-c")) == FileKind::relocatable);
}

TEST_CASE("a library that can be run is a library, by its SONAME") {
  const std::string options = "-shared -fPIC -Wl,-e,run ";
  CHECK(classify(build(kRunnableLibrary, options + "-Wl,-soname,librun.so.1")) ==
        FileKind::shared_object);
  CHECK(classify(build(kRunnableLibrary, options)) == FileKind::pie);
  CHECK(classify(build(kRunnableLibrary, options + "-Wl,-soname,librun.so.1 -Wl,-z,nodlopen")) ==
        FileKind::shared_object);
}

TEST_CASE("DF_1_PIE makes a program, whatever else a file has") {
  Buffer file = build(kProgram, "-fPIE -pie -Wl,-soname,libx.so.1");
  CHECK(classify(file) == FileKind::pie);
}

TEST_CASE("core files and types of an operating system are left alone") {
  Buffer file = build(kLibrary, "-shared -fPIC");
  poke(file, 16, et::kCore);
  CHECK(classify(file) == FileKind::core);
  CHECK(inspect(file).kind == FileKind::core);
  CHECK(inspect(file).needed.empty());
  poke(file, 16, std::uint16_t{0xfe00});
  CHECK(classify(file) == FileKind::other);
  poke(file, 16, std::uint16_t{0});
  CHECK(classify(file) == FileKind::other);
}

TEST_CASE("separate debug files are known, whichever tool made them") {
  CHECK(kind_after("objcopy --only-keep-debug program out") == FileKind::debug_only);
  CHECK(kind_after("eu-strip -f out program") == FileKind::debug_only);
  CHECK(kind_after("llvm-objcopy --only-keep-debug program out") == FileKind::debug_only);
  CHECK(kind_after("gcc -g -static -o program source.c && objcopy --only-keep-debug program out") ==
        FileKind::debug_only);
  CHECK(kind_after("objcopy --strip-all program out") == FileKind::pie);
  CHECK(kind_after("cp program out; eu-strip -f debug out") == FileKind::pie);
}

TEST_CASE("section headers cannot hide a dynamic section from us that the loader sees") {
  Buffer file = build(kLibrary, "-shared -fPIC");
  const ElfImage image(file);
  const auto& sections = image.sections();
  std::size_t found = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].type != sht::kDynamic) continue;
    poke(file, image.header().shoff + i * 64 + 4, sht::kNobits);
    ++found;
  }
  REQUIRE(found == 1);
  CHECK(refusal(file) == "elf-hollow-dynamic");
}

}  // namespace truewheel::elf::test
