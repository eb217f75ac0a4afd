// SPDX-License-Identifier: Apache-2.0
#include "elf/payload.hpp"

#include "edit_support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace truewheel::elf {
namespace {

TEST_CASE("an edit and strip leave a library's code and data, and a patched constant does not") {
  const test::Bench bench;
  const Buffer library = bench.build_file(
      "lib.so", "const char tag[] = \"VARIANT_A\"; int unused(int x) { return x * tag[x]; }",
      "-g -shared -fPIC -Wl,-soname,lib.so");
  ElfEdit wish;
  wish.soname = "lib-0a1b2c3d.so";
  wish.run_path = RunPath{RunPathKind::rpath, "$ORIGIN/../a/folder/with/a/long/name"};
  CHECK(same_payload(library, edit(library, wish).bytes));
  bench.must("strip -o stripped.so lib.so");
  CHECK(same_payload(library, test::read_file(bench / "stripped.so")));

  Buffer variant = library;
  const auto at = as_text(variant).find("VARIANT_A");
  REQUIRE(at != std::string::npos);
  variant[at + 8] = 'B';
  CHECK_FALSE(same_payload(library, variant));
  CHECK_FALSE(payload_digest(variant).empty());
}

}  // namespace
}  // namespace truewheel::elf
