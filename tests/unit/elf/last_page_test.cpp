// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"
#include "elf/encode.hpp"

#include <algorithm>

/// Tables behind p_filesz, in the last page of their LOAD: loaders map whole pages. Programs of
/// published wheels (casadi's `clp`, edited by an old patchelf) are like that.
namespace truewheel::elf::test {
namespace {

/// A library whose last LOAD, an earlier edit's, ends with .dynamic and .dynstr.
Buffer build_with_own_load(const Bench& bench) {
  const Buffer library =
      bench.build_file("x.so", "int zeros[3000]; int run(void) { return zeros[7] + 42; }\n",
                       "-shared -fPIC -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-rpath,/opt/first");
  const Buffer edited = elf::edit(library, set_rpath(std::string(3000, 'p'))).bytes;
  REQUIRE(count_loads(edited) > count_loads(library));
  return edited;
}

/// The same with the last LOAD ending soon after its last page begins; its memory only if wished.
Buffer shorten_last_load(const Buffer& file, bool memory_too) {
  const ElfImage image(file);
  std::vector<Segment> segments = image.segments();
  Segment* last = nullptr;
  for (Segment& segment : segments) {
    if (segment.type == pt::kLoad) last = &segment;
  }
  const std::uint64_t by = (last->vaddr + last->filesz) % 4096 - 8;
  REQUIRE(by < last->filesz);
  last->filesz -= by;
  if (memory_too) last->memsz -= by;
  return with_bytes_at(file, image.header().phoff, Encoder(image.header()).segments(segments));
}

TEST_CASE("tables behind p_filesz are read, edited and then survive strip") {
  const Bench bench;
  const Buffer sound = build_with_own_load(bench);
  const Buffer shortened = shorten_last_load(sound, true);
  REQUIRE(bench.load(shortened) == "42\n");
  CHECK(texts_of(shortened, dt::kRunpath) == texts_of(sound, dt::kRunpath));
  CHECK(plan_edit(shortened, set_rpath(std::string(3000, 'p'))).changes_nothing(shortened.size()));
  for (const std::size_t length : {std::size_t{20}, std::size_t{3100}, std::size_t{9000}}) {
    const Edited edited = elf::edit(shortened, set_rpath(std::string(length, 'q')));
    CHECK(bench.load(edited.bytes) == "42\n");
    write_file(bench / "strip.so", edited.bytes);
    for (const char* tool : {"strip", "eu-strip", "llvm-strip"}) {
      if (!bench.run("command -v " + std::string(tool))) continue;
      bench.must("cp strip.so stripped.so && " + std::string(tool) + " stripped.so");
      CHECK(bench.load(read_file(bench / "stripped.so")) == "42\n");
    }
  }
}

TEST_CASE("what stands behind p_filesz counts for nothing where a loader clears it") {
  const Bench bench;
  const Buffer cleared = shorten_last_load(build_with_own_load(bench), false);
  CHECK(id_of([&] { static_cast<void>(inspect(cleared)); }) == "elf-strtab-unmapped");
}

}  // namespace
}  // namespace truewheel::elf::test
