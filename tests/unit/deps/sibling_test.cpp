// SPDX-License-Identifier: Apache-2.0
#include "deps/sibling.hpp"

#include "unit/deps/layout_builder.hpp"

#include <doctest/doctest.h>

using namespace truewheel;
using namespace truewheel::deps;
using testing::file;

using Roots = std::vector<std::size_t>;

TEST_CASE("a sibling is the member whose file name is the needed name") {
  const std::vector<WheelFile> files = {file("p/_x.so", {}), file("q/liba.so.1", {})};
  CHECK(find_sibling(files, 0, "liba.so.1") == 1);
  CHECK(find_sibling(files, 0, "/build/liba.so.1") == 1);
  CHECK_FALSE(find_sibling(files, 0, "liba.so"));
}

TEST_CASE("a member that only has the soname is no sibling") {
  const std::vector<WheelFile> files = {file("p/_x.so", {}),
                                        file("p/liba.so", {.soname = "liba.so.1"})};
  CHECK_FALSE(find_sibling(files, 0, "liba.so.1"));
}

TEST_CASE("of several siblings the same folder comes first, then the nearest, then the name") {
  std::vector<WheelFile> files = {file("p/sub/_x.so", {}), file("q/liba.so", {}),
                                  file("a.libs/liba.so", {}), file("p/lib/liba.so", {}),
                                  file("p/sub/liba.so", {})};
  CHECK(find_sibling(files, 0, "liba.so") == 4);
  files.pop_back();
  CHECK(find_sibling(files, 0, "liba.so") == 3);
  files.pop_back();
  CHECK(find_sibling(files, 0, "liba.so") == 2);
}

TEST_CASE("files of another class, machine or byte order are no siblings") {
  for (const testing::Library& other :
       {testing::Library{.bits = 32}, testing::Library{.machine = 183},
        testing::Library{.little_endian = false}}) {
    const std::vector<WheelFile> files = {file("p/_x.so", {}), file("p/liba.so", other)};
    CHECK_FALSE(find_sibling(files, 0, "liba.so"));
  }
}

TEST_CASE("programs and files that nothing can load are no siblings") {
  constexpr std::uint32_t kPie = 0x08000000;
  for (const auto kind : {elf::FileKind::executable, elf::FileKind::debug_only,
                          elf::FileKind::relocatable, elf::FileKind::static_executable}) {
    const std::vector<WheelFile> files = {file("p/_x.so", {}), file("p/liba.so", {.kind = kind})};
    CHECK_FALSE(find_sibling(files, 0, "liba.so"));
  }
  std::vector<WheelFile> files = {
      file("p/_x.so", {}), file("p/liba.so", {.kind = elf::FileKind::pie, .dt_flags_1 = kPie})};
  CHECK_FALSE(find_sibling(files, 0, "liba.so"));
  files[1] = file("p/liba.so", {.kind = elf::FileKind::pie});  // a library that can be run
  CHECK(find_sibling(files, 0, "liba.so") == 1);
}

TEST_CASE("a wrapper that needs a library of its own file name means the other file") {
  std::vector<WheelFile> files = {file("p/liba.so", {}), file("q/liba.so", {})};
  CHECK(find_sibling(files, 0, "liba.so") == 1);
  CHECK_FALSE(find_sibling({file("p/liba.so", {})}, 0, "liba.so"));
  files[0] = file("p/liba.so", {.soname = "liba.so"});
  CHECK(find_sibling(files, 0, "liba.so") == 0);
}

TEST_CASE("extension modules, programs and libraries nobody needs are roots") {
  const std::vector<WheelFile> files = {
      file("p/_x.so", {.needed = {"liba.so"}, .python_exports = {"PyInit__x"}}),
      file("p/liba.so", {.needed = {"libb.so", "libc.so.6"}}),
      file("p/libb.so", {}),
      file("p/plugin.so", {.needed = {"liba.so", "_x.so"}}),
      file("p/run", {.needed = {"libb.so"}, .kind = elf::FileKind::executable}),
      file("p/data.o", {.kind = elf::FileKind::relocatable})};
  CHECK(load_roots(files) == Roots{0, 3, 4});
}

TEST_CASE("libraries that need each other have a root all the same") {
  CHECK(load_roots({file("p/liba.so", {.needed = {"libb.so"}}),
                    file("p/libb.so", {.needed = {"liba.so"}})}) == Roots{0});
  CHECK(load_roots(
            {file("p/_x.so", {.needed = {"liba.so"}}), file("p/liba.so", {.needed = {"libb.so"}}),
             file("p/libb.so", {.needed = {"liba.so"}}), file("p/libm.so", {.needed = {"libn.so"}}),
             file("p/libn.so", {.needed = {"libm.so"}})}) == Roots{0, 3});
  CHECK(load_roots({file("p/liba.so", {.needed = {"liba.so"}, .soname = "liba.so"})}) == Roots{0});
}

TEST_CASE("a layout without a file that can be loaded has no roots") {
  CHECK(load_roots({}).empty());
  CHECK(load_roots({file("a.o", {.kind = elf::FileKind::relocatable})}).empty());
}
