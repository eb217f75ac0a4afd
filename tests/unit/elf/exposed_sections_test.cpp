// SPDX-License-Identifier: Apache-2.0
#include "elf/exposed_sections.hpp"

#include "edit_support.hpp"
#include "elf/encode.hpp"

#include <algorithm>
#include <string>
#include <vector>

/// Room for a program header that old patchelf adds without a look at what stands there.
/// tests/property/patchelf_after_truewheel.py has the real ones.
namespace truewheel::elf::test {
namespace {

constexpr std::uint64_t kEntry = 56;
const char* const kProgram =
    "#include <stdio.h>\nint main(void) { puts(\"all is well\"); return 0; }\n";
const char* const kOptions = "-fPIE -pie -Wl,--build-id";

/// A file that has one more program header where the next one goes, whatever was there.
Buffer with_one_more_header(const Buffer& file) {
  const ElfImage image(file);
  const Encoder encoder(image.header());
  std::vector<Segment> segments = image.segments();
  segments.emplace_back();
  for (Segment& segment : segments) {
    if (segment.type == pt::kPhdr) segment.filesz = segment.memsz = segments.size() * kEntry;
  }
  const Buffer more = with_bytes_at(file, image.header().phoff, encoder.segments(segments));
  return with_bytes_at(more, 56, encoder.half(static_cast<std::uint16_t>(segments.size())));
}

/// The offset of the first section with bytes behind the program headers.
std::uint64_t first_section_behind_headers(const ElfImage& image) {
  std::uint64_t first = image.file().size();
  for (const Section& section : image.sections()) {
    if (section.type != sht::kNull && section.type != sht::kNobits && section.size != 0)
      first = std::min(first, section.offset);
  }
  return first;
}

std::uint64_t headers_end(const ElfImage& image) {
  return image.header().phoff + image.header().phnum * kEntry;
}

bool is_exposed(const Buffer& file) {
  const ElfImage image(file);
  return exposes_sections(image.header(), image.segments(), image.sections());
}

TEST_CASE("a program whose first sections move has room for a program header of old patchelf") {
  const Bench bench;
  const Buffer program = bench.build_file("x", kProgram, kOptions);
  REQUIRE(first_section_behind_headers(ElfImage(program)) == headers_end(ElfImage(program)));
  ElfEdit longer_interpreter;
  longer_interpreter.interpreter = "/lib64/../lib64/../lib64/../lib64/ld-linux-x86-64.so.2";
  ElfEdit both = set_rpath(std::string(9000, 'r'));
  both.interpreter = longer_interpreter.interpreter;
  const std::string notes = bench.output_of("readelf -n", program);
  for (const ElfEdit& wish : {set_rpath(std::string(9000, 'r')), longer_interpreter, both}) {
    const Buffer edited = elf::edit(program, wish).bytes;
    CHECK(bench.execute(edited) == "all is well\n");
    CHECK_FALSE(is_exposed(edited));
    const ElfImage image(edited);
    CHECK(first_section_behind_headers(image) >= headers_end(image) + kEntry);
    const Buffer grown = with_one_more_header(edited);
    CHECK(bench.execute(grown) == "all is well\n");
    CHECK(bench.output_of("readelf -n", grown) == notes);
  }
}

TEST_CASE("a program that got room for old patchelf's program header is edited again, and has it") {
  const Bench bench;
  Buffer program = bench.build_file("x", kProgram, kOptions);
  for (const std::size_t length : {std::size_t{5000}, std::size_t{9000}, std::size_t{20000}}) {
    program = elf::edit(program, set_rpath(std::string(length, 'r'))).bytes;
    CHECK(bench.execute(with_one_more_header(program)) == "all is well\n");
    CHECK_FALSE(is_exposed(program));
  }
  for (const char* tool : {"strip", "eu-strip", "llvm-strip"}) {
    if (!bench.run("command -v " + std::string(tool))) continue;
    INFO(tool);
    write_file(bench / "strip", program);
    bench.must("cp strip stripped && " + std::string(tool) + " stripped");
    const Buffer stripped = read_file(bench / "stripped");
    CHECK_FALSE(is_exposed(stripped));
    CHECK(bench.execute(with_one_more_header(stripped)) == "all is well\n");
  }
}

TEST_CASE("a library whose notes move has room, though its hash table has to move as well") {
  const Bench bench;
  const Buffer library =
      bench.build_file("x.so", "int run(void) { return 42; }\n",
                       "-shared -fPIC -fcf-protection -Wl,--build-id -Wl,-z,noseparate-code");
  const Buffer edited = elf::edit(library, set_rpath(std::string(9000, 'r'))).bytes;
  REQUIRE(count_loads(edited) > count_loads(library));
  CHECK(bench.load(edited) == "42\n");
  CHECK_FALSE(is_exposed(edited));
}

/// Headers of sections of 0x20 bytes at these offsets, behind the empty one.
std::vector<Section> sections_at(const std::vector<std::uint64_t>& offsets) {
  std::vector<Section> sections(1);
  for (const std::uint64_t offset : offsets) {
    Section section;
    section.type = sht::kProgbits;
    section.offset = offset, section.size = 0x20;
    sections.push_back(section);
  }
  return sections;
}

TEST_CASE("a section is exposed behind the header of one that has moved away") {
  Header header;
  header.bits = 64, header.type = et::kDyn, header.phoff = 64;
  const std::vector<Segment> segments(10);
  const std::uint64_t end = 64 + 10 * kEntry;
  const auto exposes = [&](const std::vector<Section>& sections) {
    return exposes_sections(header, segments, sections);
  };
  CHECK_FALSE(exposes({}));
  CHECK_FALSE(exposes(sections_at({end, end + 0x20, end + 0x40, 0x5000})));
  CHECK(exposes(sections_at({0x5000, end, end + 0x20})));
  CHECK(exposes(sections_at({end, 0x5000, end + 0x20})));
  CHECK(exposes(sections_at({0x5000, end + kEntry - 1})));
  CHECK_FALSE(exposes(sections_at({0x5000, end + kEntry})));
  // Neither has bytes that could be lost.
  std::vector<Section> without_bytes = sections_at({0x5000, end, end});
  without_bytes[2].type = sht::kNobits;
  without_bytes[3].size = 0;
  CHECK_FALSE(exposes(without_bytes));
  header.type = et::kExec;
  CHECK_FALSE(exposes(sections_at({0x5000, end})));
}

TEST_CASE("notes that old patchelf moves take a program header each") {
  Header header;
  header.bits = 64, header.type = et::kDyn, header.phoff = 64;
  const std::uint64_t end = 64 + 10 * kEntry;
  std::vector<Segment> segments(10);
  segments[9].type = pt::kNote;
  segments[9].offset = end, segments[9].filesz = 0x40;
  std::vector<Section> sections = sections_at({end, end + 0x20, 0x5000, end + kEntry});
  sections[1].type = sections[2].type = sht::kNote;
  CHECK(exposes_sections(header, segments, sections));
  segments[9].filesz = 0x20;
  CHECK_FALSE(exposes_sections(header, segments, sections));
}

}  // namespace
}  // namespace truewheel::elf::test
