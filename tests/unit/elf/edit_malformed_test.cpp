// SPDX-License-Identifier: Apache-2.0
//
// Files that a fuzzer or the sweep over single bytes broke the editor with, by the kind of fault.
#include "base/byte_reader.hpp"
#include "edit_support.hpp"
#include "elf/format.hpp"
#include "elf/symbol_versions.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace truewheel::elf::test {
namespace {

const char* const kLibrary = "int run(void) { return 4; }\n";

Buffer build_library(const Bench& bench) {
  return bench.build_file("l.so", kLibrary,
                          "-shared -fPIC -Wl,-soname,libl.so -Wl,--build-id=none");
}

void put(Buffer& file, std::uint64_t offset, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    file[static_cast<std::size_t>(offset) + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

constexpr std::uint64_t kShoff = 40, kPhoff = 32;

TEST_CASE("a file that lost its section headers gets none from the bytes that an edit adds") {
  const Bench bench;
  Buffer library = build_library(bench);
  // e_shoff leads a little behind the end of the file; the new LOAD will be there.
  put(library, kShoff, library.size() + 8, 8);
  const Edited edited = elf::edit(library, set_rpath(std::string(9000, 'r')));
  REQUIRE(edited.bytes.size() > library.size() + 8 + 64);
  CHECK(ElfImage(edited.bytes).sections().empty());
  CHECK(ElfImage(edited.bytes).header().shoff == 0);
  CHECK(bench.load(edited.bytes) == "4\n");
  CHECK(plan_edit(edited.bytes, set_rpath(std::string(9000, 'r')))
            .changes_nothing(edited.bytes.size()));
}

TEST_CASE("an entry of index 0 that is not empty begins no table of section headers") {
  const Bench bench;
  Buffer library = build_library(bench);
  const std::uint64_t table = ElfImage(library).header().shoff;
  put(library, table + 16, 0x1000, 8);  // sh_addr of the null section
  CHECK(ElfImage(library).sections().empty());
  CHECK(bench.load(elf::edit(library, set_rpath("$ORIGIN/lib")).bytes) == "4\n");
}

TEST_CASE("a section that the file does not hold makes the whole table not be believed") {
  const Bench bench;
  Buffer library = build_library(bench);
  const std::uint64_t table = ElfImage(library).header().shoff;
  put(library, table + 64 + 32, ~std::uint64_t{0}, 8);  // sh_size of the first real section
  CHECK(ElfImage(library).sections().empty());
  const std::string path(300, 'r');
  CHECK(bench.load(elf::edit(library, set_rpath(path)).bytes) == "4\n");
}

TEST_CASE("a symbol whose version had no record loses its index with the last need above it") {
  const Bench bench;
  bench.write("dep.c", "int dep(void) { return 4; }\n");
  bench.write("dep.map", "DEP_1 { global: dep; };\n");
  bench.must(
      "gcc -shared -fPIC -nostdlib -o libdep.so dep.c -Wl,-soname,libdep.so "
      "-Wl,--version-script=dep.map");
  Buffer library = bench.build_file(
      "l.so", "int dep(void); int other(void); int run(void) { return dep() + other(); }\n",
      "-shared -fPIC -nostdlib ./libdep.so -Wl,--version-script=dep.map");
  const ElfImage image(library);
  const auto needs = read_version_needs(image);
  REQUIRE(needs.records.size() == 1);
  const std::uint16_t index = needs.records[0].versions.at(0).index;
  // The record gets a larger index; the symbol keeps the old one, which now has no version.
  put(library, needs.records[0].versions[0].file_offset + 6, index + 1U, 2);
  ElfEdit wishes;
  wishes.remove_needed = {"libdep.so"};
  const Buffer edited = elf::edit(library, wishes).bytes;
  for (const ImportedSymbol& symbol : inspect(edited).imports) CHECK(symbol.version.empty());
}

TEST_CASE("a library's name with a control character is never wished") {
  const Bench bench;
  const Buffer library = build_library(bench);
  ElfEdit soname, added, renamed;
  soname.soname = "lib\n.so";
  added.add_needed = {"lib\x7f.so"};
  renamed.replace_needed["libc.so.6"] = "lib\x01.so";
  for (const ElfEdit& wishes : {soname, added, renamed}) {
    CHECK(id_of([&] { static_cast<void>(plan_edit(library, wishes)); }) ==
          "elf-wish-control-character");
  }
}

TEST_CASE("a new interpreter leaves alone what PT_INTERP has behind the name") {
  const Bench bench;
  Buffer program = bench.build_file("p", "int main(void) { return 0; }\n", "");
  const ElfImage image(program);
  const Segment segment = *image.find_segment(pt::kInterp);
  const std::uint64_t size_field =
      64 +
      static_cast<std::uint64_t>(image.find_segment(pt::kInterp) - image.segments().data()) * 56 +
      32;
  put(program, size_field, segment.filesz + 40, 8);
  ElfEdit wishes;
  wishes.interpreter = "/l";
  // Notes follow: the name's bytes are theirs, too.
  CHECK(id_of([&] { static_cast<void>(elf::edit(program, wishes)); }) == "elf-tables-overlap");
}

TEST_CASE("more program headers than kernels read are refused at once") {
  Buffer file(64 + 2000 * 56);
  const std::string ident =
      "\x7f"
      "ELF\x02\x01\x01";
  std::copy(ident.begin(), ident.end(), file.begin());
  put(file, 16, et::kDyn, 2);
  put(file, 20, 1, 4);
  put(file, kPhoff, 64, 8);
  put(file, 52, 64, 2);
  put(file, 54, 56, 2);
  put(file, 56, 2000, 2);
  CHECK(id_of([&] { static_cast<void>(inspect(file)); }) == "elf-phnum");
}

TEST_CASE("relocations and hash buckets that no LOAD holds are refused") {
  const Bench bench;
  const Buffer library =
      bench.build_file("l.so", "int x; int *p = &x; int run(void) { return 4; }\n",
                       "-shared -fPIC -Wl,--hash-style=both");
  const auto change = [&](std::int64_t tag, std::uint64_t value) {
    Buffer changed = library;
    const ElfImage image(library);
    for (const DynamicEntry& entry : image.dynamic()) {
      if (entry.tag == tag) put(changed, entry.file_offset + 8, value, 8);
    }
    return id_of([&] { static_cast<void>(inspect(changed)); });
  };
  CHECK(change(dt::kRelaSz, std::uint64_t{1} << 32) == "elf-relocations");
  CHECK(change(dt::kRela, ~std::uint64_t{0} - 63) == "elf-relocations");
  Buffer buckets = library;
  const ElfImage image(library);
  put(buckets, *image.offset_of(*image.dynamic_value(dt::kHash)), 0xffffffff, 4);
  CHECK(id_of([&] { static_cast<void>(inspect(buckets)); }) == "elf-hash");
}

TEST_CASE("an address of DT_SYMTAB in no LOAD gets no bytes from the LOAD that an edit adds") {
  const Bench bench;
  const auto with_symbols_at = [&](std::uint64_t vaddr) {
    Buffer library = without_sections(build_library(bench));
    const ElfImage image(library);
    for (const DynamicEntry& entry : image.dynamic()) {
      if (entry.tag == dt::kSymTab) put(library, entry.file_offset + 8, vaddr, 8);
    }
    return library;
  };
  const ElfEdit wishes = set_rpath(std::string(9000, 'r'));
  const Buffer edited = elf::edit(with_symbols_at(0x7ffff000), wishes).bytes;
  std::uint64_t added = 0;
  const ElfImage image(edited);
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kLoad) added = std::max(added, segment.vaddr);
  }
  CHECK(id_of([&] { static_cast<void>(elf::edit(with_symbols_at(added + 24), wishes)); }) ==
        "elf-symbol-count");
}

TEST_CASE("a file that contradicts itself is refused where its edit cannot be judged") {
  const Bench bench;
  const Buffer library =
      bench.build_file("l.so", "extern int far; int *p = &far; int run(void) { return 4; }\n",
                       "-shared -fPIC -Wl,--hash-style=gnu");
  const ElfImage image(library);
  // Another entry point, as an edit that went wrong would leave it.
  PatchList patches;
  patches.keep = library.size();
  patches.patches = {{24, {0x40, 0, 0, 0, 0, 0, 0, 0}}};
  const auto id = [&](const Buffer& before) {
    const Buffer after = elf::apply(before, patches);
    return id_of([&] { require_sound_edit(before, after, {}, patches, Unpatched::compared); });
  };
  CHECK(id(library) == "elf-edit-broken");

  Buffer unmapped = library;
  for (const DynamicEntry& entry : image.dynamic()) {
    if (entry.tag == dt::kInitArray) put(unmapped, entry.file_offset + 8, 0x7ffff000, 8);
  }
  CHECK(id(unmapped) == "elf-inconsistent");

  Buffer hash = library;
  const std::uint64_t table = *image.offset_of(*image.dynamic_value(dt::kGnuHash));
  put(hash, table + 12, 1, 4);  // another shift of the filter
  CHECK(id(hash) == "elf-inconsistent");

  Buffer relocation = library;
  const std::uint64_t relocations = *image.offset_of(*image.dynamic_value(dt::kRela));
  put(relocation, relocations + 12, 0x7fffffff, 4);
  CHECK(id(relocation) == "elf-inconsistent");

  Buffer unloaded = library;
  for (std::size_t i = 0; i < image.sections().size(); ++i) {
    if (image.section_name(image.sections()[i]) != ".eh_frame") continue;
    put(unloaded, image.header().shoff + i * 64 + 8, 0, 8);  // sh_flags
  }
  REQUIRE(unloaded != library);
  CHECK(id(unloaded) == "elf-inconsistent");
}

TEST_CASE("EI_OSABI is not changed where PT_INTERP ends with it") {
  const Bench bench;
  Buffer program = bench.build_file("program", "int main(void) { return 0; }\n", "-no-pie");
  const ElfImage image(program);
  std::uint64_t entry = 0;
  for (std::size_t i = 0; i < image.segments().size(); ++i) {
    if (image.segments()[i].type == pt::kInterp) entry = image.header().phoff + 56 * i;
  }
  ElfEdit edit;
  edit.os_abi = 9;
  CHECK(plan_edit(program, edit).patches.size() == 1);
  put(program, entry + 8, 2, 8);   // p_offset: "LF", class, order, version, and the byte itself
  put(program, entry + 32, 6, 8);  // p_filesz
  CHECK(id_of([&] { static_cast<void>(plan_edit(program, edit)); }) == "elf-tables-overlap");
}

}  // namespace
}  // namespace truewheel::elf::test
