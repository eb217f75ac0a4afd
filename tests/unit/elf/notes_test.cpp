// SPDX-License-Identifier: Apache-2.0
#include "elf/notes.hpp"

#include "facts_support.hpp"
#include <truewheel/elf.hpp>

#include <doctest/doctest.h>

#include <string>

namespace truewheel::elf::test {

namespace {

std::string note(const std::string& section, const std::string& owner, const std::string& type,
                 const std::string& description, int align = 4) {
  const std::string alignment = ".balign " + std::to_string(align) + "\\n";
  return "__asm__(\".pushsection " + section + ",\\\"a\\\",%note\\n" + alignment +
         ".long 2f-1f, 4f-3f, " + type + "\\n1: .asciz \\\"" + owner + "\\\"\\n2: " + alignment +
         "3: " + description + "\\n4: " + alignment + ".popsection\\n\");\n";
}

/// JSON written with apostrophes, as a C string within an assembler string within a C string.
std::string json_text(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '\'') {
      text += R"(\\\")";
    } else {
      text += c;
    }
  }
  return text;
}

std::string text_note(const std::string& section, const std::string& type,
                      const std::string& json) {
  std::string description = ".asciz \\\"";
  description += json_text(json) + "\\\"";
  return note(section, "FDO", type, description);
}

std::string dlopen_note(const std::string& json) {
  return text_note(".note.dlopen", "0x407c0c0a", json);
}

}  // namespace

TEST_CASE("the build-id is the note's bytes in hex") {
  const auto with = [](const char* option) {
    return inspect(build("int f;", std::string("-shared -fPIC -Wl,--build-id=") + option));
  };
  CHECK(with("0x0123456789abcdef").build_id == "0123456789abcdef");
  CHECK(with("0x0102030405").build_id == "0102030405");
  CHECK(with("sha1").build_id->size() == 40);
  CHECK_FALSE(with("none").build_id.has_value());
}

TEST_CASE("the ISA level that a file needs is read, with and without section headers") {
  const auto level = [](const char* name) {
    return build("int f;", std::string("-shared -fPIC -fcf-protection=full -Wl,-z,") + name);
  };
  CHECK((inspect(level("x86-64-v2")).isa_needed & 2) != 0);
  CHECK((inspect(level("x86-64-v3")).isa_needed & 4) != 0);
  CHECK((inspect(level("x86-64-v4")).isa_needed & 8) != 0);
  CHECK(inspect(level("now")).isa_needed == 0);
  CHECK((inspect(without_sections(level("x86-64-v3"))).isa_needed & 4) != 0);
  CHECK((inspect_with_lief(without_sections(level("x86-64-v3"))).isa_needed & 4) != 0);
}

TEST_CASE("properties are padded to 8 bytes in 64-bit files and to 4 in 32-bit ones") {
  // One property in front of the one we look for: GNU_PROPERTY_X86_FEATURE_1_AND, IBT.
  const auto source = [](const std::string& pad, int align) {
    // lld keeps only the properties it knows, but it copies notes of other sections.
    return note(".note.ours", "GNU", "5",
                ".long 0xc0000002, 4, 1" + pad + ", 0xc0008002, 4, 6" + pad, align);
  };
  const Buffer wide = build_for("x86_64-linux-gnu", source(", 0", 8), "-shared");
  if (!wide.empty()) CHECK(inspect(wide).isa_needed == 6);
  const Buffer narrow = build_for("i686-linux-gnu", source("", 4), "-shared");
  if (!narrow.empty()) {
    CHECK(inspect(narrow).isa_needed == 6);
    CHECK(inspect_with_lief(narrow).isa_needed == 6);
  }
  // The same number means something else to other processors.
  const Buffer arm = build_for("aarch64-linux-gnu", source(", 0", 8), "-shared");
  if (!arm.empty()) CHECK(inspect(arm).isa_needed == 0);
}

TEST_CASE("package and dlopen notes are read in either byte order and class") {
  const std::string source = text_note(".note.package", "0xcafe1a7e", "{'type':'deb'}") +
                             dlopen_note(
                                 "[{'soname':['libzstd.so.1','libzstd.so'],'feature':'zstd',"
                                 "'priority':'required'},{'soname':['liblzma.so.5']}]");
  std::size_t seen = 0;
  for (const std::string& target : kTargets) {
    const Buffer file = build_for(target, source, "-shared");
    if (file.empty()) continue;
    CAPTURE(target);
    ++seen;
    for (const ElfFacts& facts :
         {inspect(file), inspect(without_sections(file)), inspect_with_lief(file)}) {
      CHECK(facts.package_note == "{\"type\":\"deb\"}");
      REQUIRE(facts.dlopen_notes.size() == 2);
      CHECK(facts.dlopen_notes[0].sonames ==
            std::vector<std::string>{"libzstd.so.1", "libzstd.so"});
      CHECK(facts.dlopen_notes[0].feature == "zstd");
      CHECK(facts.dlopen_notes[0].priority == "required");
      CHECK(facts.dlopen_notes[1].sonames == std::vector<std::string>{"liblzma.so.5"});
      CHECK(facts.dlopen_notes[1].priority == "recommended");
    }
  }
  if (seen == 0) MESSAGE("skipped: clang and lld build for no machine here");
}

TEST_CASE("the linker's package metadata is read") {
  const ElfFacts facts =
      inspect(build("int f;",
                    "-shared -fPIC "
                    "-Xlinker '--package-metadata={\"type\":\"deb\",\"name\":\"x\"}'"));
  CHECK(facts.package_note == "{\"type\":\"deb\",\"name\":\"x\"}");
}

TEST_CASE("a dlopen note that is no JSON array of objects is no note") {
  const auto count = [](const std::string& json) {
    return inspect(build(dlopen_note(json), "-shared -fPIC")).dlopen_notes.size();
  };
  CHECK(count("[{'soname':['liba.so']}]") == 1);
  CHECK(count("[{'soname':['liba.so']}") == 0);
  CHECK(count("") == 0);
  CHECK(count("17") == 0);
  CHECK(count("[17, {}, 'x']") == 0);
  CHECK(count("[{'soname':'liba.so'}]") == 0);
  CHECK(count("[{'soname':[1,2]}]") == 0);
  CHECK(count(std::string(60000, '[')) == 0);
  CHECK(count("[{'soname':['\\\\377']}]") == 0);
}

TEST_CASE("a note area that lies about its sizes ends there, and the file is still read") {
  Buffer file = build("int f;", "-shared -fPIC -Wl,--build-id=0x01020304");
  const ElfImage image(file);
  const Segment* area = image.find_segment(pt::kNote);
  REQUIRE(area != nullptr);
  for (const std::uint32_t size : {0xffffffffU, 0x7fffffffU, 0x10000U}) {
    for (const std::uint64_t field : {0U, 4U}) {
      Buffer damaged = file;
      for (const Segment& segment : image.segments()) {
        if (segment.type == pt::kNote) poke(damaged, segment.offset + field, size);
      }
      CHECK(refusal(damaged).empty());
      CHECK_FALSE(inspect(damaged).build_id.has_value());
    }
  }
}

TEST_CASE("note areas that overlap many times are refused instead of read for hours") {
  Buffer file = build("int f;", "-shared -fPIC");
  const ElfImage image(file);
  const std::uint64_t shoff = image.header().shoff;
  for (std::size_t i = 1; i < image.sections().size(); ++i) {
    // Without the sections of the dynamic tables the headers would not be believed at all.
    const std::uint32_t type = image.sections()[i].type;
    if (type == sht::kDynsym || type == sht::kStrtab || type >= sht::kGnuHash) continue;
    poke(file, shoff + i * 64 + 4, sht::kNote);
    poke(file, shoff + i * 64 + 24, std::uint64_t{0});
    poke(file, shoff + i * 64 + 32, std::uint64_t{file.size()});
  }
  CHECK(refusal(file) == "elf-notes");
}

}  // namespace truewheel::elf::test
