// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"
#include "elf/encode.hpp"
#include "elf/loads.hpp"

#include <algorithm>

/// What old versions of patchelf, and strip tools after them, leave in files that run.
/// tests/property/after_patchelf.py has the real ones.
namespace truewheel::elf::test {
namespace {

constexpr std::uint64_t kPage = 4096;

/// A library whose last LOAD, an earlier edit's, ends with 9000 bytes of strings.
Buffer build_with_long_strings(const Bench& bench) {
  const Buffer library =
      bench.build_file("x.so", "int zeros[3000]; int run(void) { return zeros[7] + 42; }\n",
                       "-shared -fPIC -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,--eh-frame-hdr "
                       "-Wl,-rpath,/opt/first");
  const Buffer edited = elf::edit(library, set_rpath(std::string(9000, 'p'))).bytes;
  REQUIRE(count_loads(edited) > count_loads(library));
  return edited;
}

std::vector<Segment>::iterator last_load(std::vector<Segment>& segments) {
  const auto last = std::find_if(segments.rbegin(), segments.rend(),
                                 [](const Segment& segment) { return segment.type == pt::kLoad; });
  REQUIRE(last != segments.rend());
  return last.base() - 1;
}

/// Takes the header that nothing here needs.
Segment take_spare_header(std::vector<Segment>& segments) {
  const auto spare = std::find_if(segments.begin(), segments.end(), [](const Segment& segment) {
    return segment.type == pt::kGnuEhFrame;
  });
  REQUIRE(spare != segments.end());
  const Segment result = *spare;
  segments.erase(spare);
  return result;
}

Buffer with_segments(const Buffer& file, const std::vector<Segment>& segments) {
  const ElfImage image(file);
  REQUIRE(segments.size() == image.segments().size());
  return with_bytes_at(file, image.header().phoff, Encoder(image.header()).segments(segments));
}

void check_survives_strip(const Bench& bench, const Buffer& library) {
  CHECK(bench.load(library) == "42\n");
  write_file(bench / "strip.so", library);
  for (const char* tool : {"strip", "eu-strip", "llvm-strip"}) {
    if (!bench.run("command -v " + std::string(tool))) continue;
    INFO(tool);
    bench.must("cp strip.so stripped.so && " + std::string(tool) + " stripped.so");
    const Buffer stripped = read_file(bench / "stripped.so");
    CHECK(bench.load(stripped) == "42\n");
    CHECK(bench.load(elf::edit(stripped, set_rpath(std::string(12000, 'r'))).bytes) == "42\n");
  }
}

TEST_CASE("strings across two LOADs that touch make these one, and survive strip") {
  const Bench bench;
  const Buffer sound = build_with_long_strings(bench);
  const ElfImage image(sound);
  std::vector<Segment> segments = image.segments();
  static_cast<void>(take_spare_header(segments));
  const auto first = last_load(segments);
  const std::uint64_t strings = *image.dynamic_value(dt::kStrTab);
  const std::uint64_t cut = (strings / kPage + 1) * kPage - first->vaddr;
  REQUIRE(cut < first->filesz);
  Segment second = *first;
  first->filesz = first->memsz = cut;
  second.vaddr += cut, second.paddr += cut, second.offset += cut;
  second.filesz = second.memsz = second.filesz - cut;
  segments.insert(first + 1, second);
  const Buffer split = with_segments(sound, segments);
  REQUIRE(bench.load(split) == "42\n");
  const Buffer edited = elf::edit(split, set_rpath(std::string(200, 'q'))).bytes;
  CHECK(count_loads(edited) == count_loads(sound));
  check_survives_strip(bench, edited);
}

TEST_CASE("strings that begin in front of their LOAD, in its first page, are read and edited") {
  const Bench bench;
  const Buffer sound = build_with_long_strings(bench);
  const ElfImage image(sound);
  std::vector<Segment> segments = image.segments();
  const auto load = last_load(segments);
  const std::uint64_t by = image.dynstr_offset() + 8 - load->offset;
  REQUIRE((load->vaddr + by) / kPage == load->vaddr / kPage);
  load->vaddr += by, load->paddr += by, load->offset += by;
  load->filesz -= by, load->memsz -= by;
  const Buffer shortened = with_segments(sound, segments);
  REQUIRE(bench.load(shortened) == "42\n");
  CHECK(texts_of(shortened, dt::kRunpath) == texts_of(sound, dt::kRunpath));
  check_survives_strip(bench, elf::edit(shortened, set_rpath(std::string(200, 'q'))).bytes);
}

TEST_CASE("a LOAD comes before the headers of the bytes that it begins with") {
  const Bench bench;
  const Buffer sound = build_with_long_strings(bench);
  std::vector<Segment> segments = ElfImage(sound).segments();
  Segment header = take_spare_header(segments);
  const auto load = last_load(segments);
  header.type = 0x60001234;  // no loader knows it
  header.offset = load->offset, header.vaddr = load->vaddr, header.paddr = load->paddr;
  header.filesz = header.memsz = 8;
  header.align = 1;
  segments.insert(load, header);
  const Buffer misordered = with_segments(sound, segments);
  REQUIRE(bench.load(misordered) == "42\n");
  const Buffer edited = elf::edit(misordered, set_rpath(std::string(200, 'q'))).bytes;
  const ElfImage image(edited);
  const auto place_of = [&](std::uint32_t type) {
    const auto found = std::find_if(
        image.segments().begin(), image.segments().end(),
        [&](const Segment& other) { return other.type == type && other.offset == header.offset; });
    REQUIRE(found != image.segments().end());
    return found - image.segments().begin();
  };
  CHECK(place_of(pt::kLoad) < place_of(header.type));
  check_survives_strip(bench, edited);
}

/// As patchelf writes the header of .bss: where the tables went that it moved, with the size that
/// it has.
Buffer with_bss_behind_headers(const Buffer& library, Section& bss) {
  const ElfImage image(library);
  std::vector<Section> sections = image.sections();
  const auto found = std::find_if(sections.begin(), sections.end(), [](const Section& section) {
    return section.type == sht::kNobits && section.size != 0;
  });
  REQUIRE(found != sections.end());
  found->addr = found->offset = image.header().phoff + image.header().phnum * 56;
  bss = *found;
  return with_bytes_at(library, image.header().shoff, Encoder(image.header()).sections(sections));
}

TEST_CASE("a header of .bss behind the program headers begins behind one more of them") {
  const Bench bench;
  Section bss;
  const Buffer misplaced = with_bss_behind_headers(
      bench.build_file("x.so", "int zeros[3000]; int run(void) { return zeros[7] + 42; }\n",
                       "-shared -fPIC -Wl,-z,noseparate-code -Wl,-z,norelro"),
      bss);
  REQUIRE(bench.load(misplaced) == "42\n");
  const Buffer edited = elf::edit(misplaced, set_rpath(std::string(9000, 'q'))).bytes;
  CHECK(bench.load(edited) == "42\n");
  const ElfImage after(edited);
  REQUIRE(after.header().phnum == ElfImage(misplaced).header().phnum + 1);
  const auto moved =
      std::find_if(after.sections().begin(), after.sections().end(),
                   [&](const Section& section) { return section.name_offset == bss.name_offset; });
  REQUIRE(moved != after.sections().end());
  CHECK(moved->addr == bss.addr + 56);
  CHECK(moved->size == bss.size - 56);
}

TEST_CASE("variables that no LOAD says it has any more keep the place behind their LOAD's bytes") {
  const Bench bench;
  Section bss;
  const Buffer library = with_bss_behind_headers(
      bench.build_file(
          "x.so",
          "int zeros[40], first = 42;\n"
          "int run(void) { int sum = first; for (int i = 0; i < 40; ++i) sum += zeros[i];"
          " return sum; }\n",
          "-shared -fPIC -Wl,-z,noseparate-code -Wl,-z,norelro"),
      bss);
  // Where no section is, strip cuts the memory off. The page is there all the same, with zeros.
  std::vector<Segment> segments = ElfImage(library).segments();
  const auto load = last_load(segments);
  load->memsz = load->filesz;
  Buffer cut = with_segments(library, segments);
  const std::uint64_t end = load->offset + load->filesz;
  std::fill(cut.begin() + static_cast<std::ptrdiff_t>(end),
            cut.begin() + static_cast<std::ptrdiff_t>(end + 200), std::uint8_t{0});
  REQUIRE(bench.load(cut) == "42\n");
  CHECK(bench.load(elf::edit(cut, set_rpath(std::string(2500, 'q'))).bytes) == "42\n");
}

TEST_CASE("a LOAD without bytes that strip left at an odd offset is unused in a program only") {
  Segment hollow;
  hollow.type = pt::kLoad;
  hollow.offset = 0x10e8, hollow.vaddr = 0x3feea0, hollow.align = 0x1000;
  Header header;
  header.type = et::kExec;
  std::vector<Segment> segments{hollow};
  accept_stripped_loads(header, {}, 0x10000, segments);
  CHECK(segments.front().type == pt::kNull);
  header.type = et::kDyn;
  segments = {hollow};
  accept_stripped_loads(header, {}, 0x10000, segments);
  CHECK(segments.front().type == pt::kLoad);
}

TEST_CASE("a LOAD that ends behind the file ends with it, if the file has all its sections") {
  Segment load;
  load.type = pt::kLoad;
  load.offset = 0x1000, load.vaddr = 0x5000, load.filesz = load.memsz = 0x1200;
  const Header header;
  const auto length = [&](const Segment& segment, std::uint64_t file_size,
                          const std::vector<Section>& sections) {
    std::vector<Segment> segments{segment};
    accept_stripped_loads(header, sections, file_size, segments);
    return segments.front().filesz;
  };
  CHECK(length(load, 0x2000, {Section{}}) == 0x1000);
  CHECK(length(load, 0x2000, {}) == 0x1200);
  CHECK(length(load, 0x1200, {Section{}}) == 0x200);
  CHECK(length(load, 0x1000, {Section{}}) == 0x1200);
  load.memsz = 0x3000;
  CHECK(length(load, 0x2000, {Section{}}) == 0x1200);
}

struct PageFile {
  Buffer bytes = Buffer(0x3000, 1);
  std::vector<Segment> segments{load_at(0x800, 0x10800, 0x400), load_at(0x1800, 0x11800, 0x400)};

  static Segment load_at(std::uint64_t offset, std::uint64_t vaddr, std::uint64_t size) {
    Segment load;
    load.type = pt::kLoad, load.flags = pf::kRead, load.align = 0x1000;
    load.offset = offset, load.vaddr = vaddr, load.filesz = load.memsz = size;
    return load;
  }
};

TEST_CASE("LOADs reach over their pages where a table is there, and touch") {
  PageFile file;
  extend_over_pages(file.segments, 0x10b00, 0xe00, file.bytes, Zeros::are_padding);
  CHECK(file.segments[0].filesz == 0x800);
  CHECK(file.segments[1].vaddr == 0x11000);
  CHECK(file.segments[1].offset == 0x1000);
  CHECK(file.segments[1].filesz == 0xc00);
  join_loads(file.segments, 0x10b00, 0xe00);
  CHECK(file.segments[0].filesz == 0x1400);
  CHECK(file.segments[1].type == pt::kNull);
}

TEST_CASE("LOADs stay as they are where their pages are another's, cleared, or only zeros") {
  const auto stays = [](PageFile file, std::uint64_t vaddr, std::uint64_t length) {
    const std::vector<Segment> before = file.segments;
    extend_over_pages(file.segments, vaddr, length, file.bytes, Zeros::are_padding);
    return std::equal(before.begin(), before.end(), file.segments.begin(),
                      [](const Segment& a, const Segment& b) {
                        return a.vaddr == b.vaddr && a.filesz == b.filesz && a.offset == b.offset;
                      });
  };
  PageFile file;
  CHECK(stays(file, 0x12000, 0x10));
  CHECK_FALSE(stays(file, 0x11c00, 0x10));
  file.bytes.assign(0x3000, 0);
  CHECK(stays(file, 0x11c00, 0x10));
  CHECK(stays(file, 0x11700, 0x200));
  file.bytes.assign(0x3000, 1);
  file.segments[1].memsz = 0x600;
  CHECK(stays(file, 0x11c00, 0x10));
  file.segments[0] = PageFile::load_at(0x800, 0x10800, 0x900);
  CHECK(stays(file, 0x11700, 0x200));
}

TEST_CASE("LOADs that touch stay two where one may be written") {
  PageFile file;
  file.segments[1] = PageFile::load_at(0xc00, 0x10c00, 0x400);
  file.segments[1].flags = pf::kRead | pf::kWrite;
  join_loads(file.segments, 0x10b00, 0x200);
  CHECK(file.segments[0].filesz == 0x400);
  CHECK(file.segments[1].type == pt::kLoad);
}

}  // namespace
}  // namespace truewheel::elf::test
