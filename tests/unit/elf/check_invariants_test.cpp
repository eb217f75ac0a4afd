// SPDX-License-Identifier: Apache-2.0
//
// Each complaint that check_edit has of headers, bytes and wishes, with a file that deserves it.
#include "edit_support.hpp"
#include "elf/format.hpp"
#include "elf/symbol_versions.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace truewheel::elf::test {
namespace {

const char* const kSource =
    "#include <stdio.h>\n"
    "int data = 5; static int zeros[1000]; __thread int tls = 3;\n"
    "int run(void) { puts(\"\"); return data + tls + zeros[7]; }\n";

// Fields of 64-bit program headers and section headers (gABI).
constexpr std::uint64_t kFlags = 4, kPaddr = 24, kFilesz = 32, kMemsz = 40;
constexpr std::uint64_t kSectionOffset = 24, kSectionSize = 32, kSectionAlign = 48;

Buffer library() {
  static const Buffer made =
      build(kSource, "-shared -fPIC -fuse-ld=lld -Wl,-soname,libx.so -Wl,-z,now");
  return made;
}

/// The place of the entry of a program header; of LOADs the one with that number, from the end if
/// negative.
std::uint64_t segment_entry(const Buffer& file, std::uint32_t type, int number = 0) {
  const ElfImage image(file);
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < image.segments().size(); ++i) {
    if (image.segments()[i].type == type) places.push_back(image.header().phoff + 56 * i);
  }
  REQUIRE_FALSE(places.empty());
  return number < 0 ? places.back() : places.at(static_cast<std::size_t>(number));
}

/// The LOAD that has memory without bytes behind it.
int number_of_bss(const Buffer& file) {
  int number = 0;
  const ElfImage image(file);
  for (const Segment& segment : image.segments()) {
    if (segment.type != pt::kLoad) continue;
    if (segment.memsz > segment.filesz) return number;
    ++number;
  }
  FAIL("no LOAD with zeros");
  return 0;
}

std::uint64_t section_entry(const Buffer& file, std::string_view name) {
  const ElfImage image(file);
  for (std::size_t i = 0; i < image.sections().size(); ++i) {
    if (image.section_name(image.sections()[i]) == name) return image.header().shoff + 64 * i;
  }
  FAIL("no such section");
  return 0;
}

std::string joined(const std::vector<std::string>& complaints) {
  std::string all;
  for (const std::string& complaint : complaints) all += complaint + "\n";
  return all;
}

void check_told(const std::vector<std::string>& complaints, const std::string& words) {
  const std::string all = joined(complaints);
  INFO(words << " is not in:\n" << all);
  CHECK(all.find(words) != std::string::npos);
}

PatchList nothing_of(const Buffer& file) {
  PatchList nothing;
  nothing.keep = file.size();
  return nothing;
}

struct Damage {
  const char* complaint;
  std::function<void(Buffer&)> apply;
};

TEST_CASE("check_edit tells every way in which a finished file's headers can be wrong") {
  const Buffer before = library();
  ElfEdit wishes = set_rpath("/opt/" + std::string(5000, 'r'));
  const PatchList patches = plan_edit(before, wishes);
  const Buffer good = elf::apply(before, patches);
  REQUIRE(check_edit(before, good, wishes, patches).empty());
  REQUIRE(count_loads(good) == count_loads(before) + 1);

  const std::vector<Damage> damages = {
      {"LOAD 1 moved",
       [](Buffer& file) {
         poke(file, segment_entry(file, pt::kLoad) + kPaddr, std::uint64_t{0x1000});
       }},
      {"shrank",
       [](Buffer& file) {
         const auto at = segment_entry(file, pt::kLoad, number_of_bss(file));
         const auto size = ElfImage(file).reader().u64(at + kMemsz);
         poke(file, at + kMemsz, size - 8);
       }},
      {"with zero-initialised memory was extended",
       [](Buffer& file) {
         const auto at = segment_entry(file, pt::kLoad, number_of_bss(file));
         poke(file, at + kFilesz, ElfImage(file).reader().u64(at + kFilesz) + 8);
       }},
      {"the new LOAD has memory without bytes",
       [](Buffer& file) {
         const auto at = segment_entry(file, pt::kLoad, -1);
         poke(file, at + kMemsz, ElfImage(file).reader().u64(at + kMemsz) + 8);
       }},
      {"I11: the new LOAD is executable",
       [](Buffer& file) {
         poke(file, segment_entry(file, pt::kLoad, -1) + kFlags,
              std::uint32_t{pf::kRead | pf::kExecute});
       }},
      {"changed its header",
       [](Buffer& file) {
         poke(file, section_entry(file, ".comment") + kSectionAlign, std::uint64_t{8});
       }},
      {"changed its extent",
       [](Buffer& file) {
         poke(file, section_entry(file, ".comment") + kSectionSize, std::uint64_t{3});
       }},
      {"moved and changed its content",
       [](Buffer& file) {
         poke(file, section_entry(file, ".comment") + kSectionOffset, std::uint64_t{64});
       }},
      {"the version needs are not as wished",
       [](Buffer& file) {
         const auto needs = read_version_needs(ElfImage(file));
         poke(file, needs.records.at(0).versions.at(0).file_offset + 4, std::uint16_t{2});
       }},
      {"I12: dynamic symbol",
       [](Buffer& file) {
         const auto last = ElfImage(file).dynamic_symbol_count() - 1;
         poke(file, table_offset(file, dt::kSymTab) + last * 24, std::uint32_t{0x7fffffff});
       }},
  };
  for (const Damage& damage : damages) {
    Buffer bad = good;
    damage.apply(bad);
    check_told(check_edit(before, bad, wishes, patches), damage.complaint);
  }
  // A LOAD that held only tables may go; one with variables may not.
  Buffer fewer = before;
  poke(fewer, segment_entry(fewer, pt::kLoad, number_of_bss(fewer)), std::uint32_t{pt::kNull});
  check_told(check_edit(before, fewer, wishes, nothing_of(before)), "LOADs became");
}

TEST_CASE("check_edit tells of a dynamic section that lost its write permission") {
  const Buffer before = build(kSource, "-shared -fPIC -fuse-ld=lld -Wl,-z,norelro");
  Buffer after = before;
  const ElfImage image(before);
  int number = 0;
  for (const Segment& segment : image.segments()) {
    if (segment.type != pt::kLoad) continue;
    const auto dynamic = image.dynamic_segment()->vaddr;
    if (dynamic >= segment.vaddr && dynamic < segment.vaddr + segment.memsz) break;
    ++number;
  }
  poke(after, segment_entry(after, pt::kLoad, number) + kFlags, std::uint32_t{pf::kRead});
  check_told(check_edit(before, after, {}, nothing_of(before)), "PT_DYNAMIC is no longer writable");
}

TEST_CASE("check_edit tells of a stack header or an interpreter that is not what was wished") {
  const Buffer file = library();
  ElfEdit executable, interpreter;
  executable.executable_stack = true;
  interpreter.interpreter = "/lib/ld.so";
  check_told(check_edit(file, file, executable, nothing_of(file)), "PT_GNU_STACK is not as wished");
  check_told(check_edit(file, file, interpreter, nothing_of(file)), "PT_INTERP is not as wished");

  Buffer without = file;
  poke(without, segment_entry(without, pt::kGnuStack), pt::kNull);
  check_told(check_edit(without, file, {}, nothing_of(file)),
             "there is a PT_GNU_STACK that nobody wished");
}

TEST_CASE("check_edit tells of patches that are not what an edit may patch") {
  const Buffer file = library();
  const auto told = [&](const PatchList& patches, const std::string& words) {
    check_told(check_edit(file, file, {}, patches), words);
  };
  PatchList more = nothing_of(file);
  ++more.keep;
  told(more, "the patch list keeps more than there is");
  PatchList less = nothing_of(file);
  less.keep = 64;
  told(less, "a LOAD's bytes are not kept in place");

  const ElfImage image(file);
  PatchList code = nothing_of(file);
  for (const Segment& segment : image.segments()) {
    if (segment.type != pt::kLoad || (segment.flags & pf::kExecute) == 0) continue;
    const auto at = static_cast<std::size_t>(segment.offset);
    code.patches = {{segment.offset, {file[at], file[at + 1]}}};
  }
  REQUIRE_FALSE(code.patches.empty());
  told(code, "changes bytes that are not the edit's");

  PatchList twice = nothing_of(file);
  twice.patches = {{20, {1, 0, 0, 0}}, {22, {0, 0}}};
  told(twice, "the patches are not ascending and disjoint");
}

TEST_CASE("patches that leave the file, or keep more than it has, are never applied") {
  const Buffer file = library();
  PatchList more = nothing_of(file);
  ++more.keep;
  CHECK(id_of([&] { static_cast<void>(elf::apply(file, more)); }) == "elf-patch-range");
  PatchList behind = nothing_of(file);
  behind.patches = {{file.size() - 1, {1, 2}}};
  CHECK(id_of([&] { static_cast<void>(elf::apply(file, behind)); }) == "elf-patch-range");
  behind.patches = {{file.size() + 1, {1}}};
  CHECK(id_of([&] { static_cast<void>(elf::apply(file, behind)); }) == "elf-patch-range");
  behind.patches = {{file.size() - 1, {file.back()}}};
  CHECK(elf::apply(file, behind) == file);
}

TEST_CASE("a broken edit is a bug where the file was sound, and a refusal where it was not") {
  const Buffer file = library();
  PatchList patches = nothing_of(file);
  patches.patches = {{24, {0x40, 0, 0, 0, 0, 0, 0, 0}}};
  const Buffer broken = elf::apply(file, patches);  // another entry point
  const auto id = [&](const Buffer& before, const Buffer& after) {
    return id_of([&] { require_sound_edit(before, after, {}, patches, Unpatched::compared); });
  };
  CHECK(id(file, broken) == "elf-edit-broken");
  CHECK(id_of([&] {
          require_sound_edit(file, broken, {}, nothing_of(file), Unpatched::compared);
        }) == "none");  // nothing was to be edited

  // A PT_PHDR that is not the table, before and after.
  Buffer odd = file;
  poke(odd, segment_entry(odd, pt::kPhdr) + kFilesz, std::uint64_t{8});
  CHECK(id(odd, elf::apply(odd, patches)) == "elf-inconsistent");
}

}  // namespace
}  // namespace truewheel::elf::test
