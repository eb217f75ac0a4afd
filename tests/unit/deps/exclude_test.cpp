// SPDX-License-Identifier: Apache-2.0
#include <truewheel/deps.hpp>

#include <doctest/doctest.h>

using namespace truewheel::deps;

namespace {

std::vector<ExcludePattern> patterns(std::initializer_list<const char*> globs) {
  std::vector<ExcludePattern> list;
  for (const char* glob : globs) {
    ExcludePattern pattern;
    pattern.glob = glob;
    pattern.origin = "--exclude";
    list.push_back(pattern);
  }
  return list;
}

std::optional<std::size_t> match(const char* glob, std::string_view needed,
                                 std::string_view real_path = "") {
  auto list = patterns({glob});
  return match_exclude(list, needed, real_path);
}

}  // namespace

TEST_CASE("an exclude pattern matches the needed name and its forms cut at .so") {
  for (const char* glob :
       {"libfoo", "libfoo.so", "libfoo.so.*", "libfoo.so*", "libfoo.so.5", "*", "lib?oo.so.[45]"}) {
    CAPTURE(glob);
    CHECK(match(glob, "libfoo.so.5"));
  }
  for (const char* glob : {"libfo", "libfoo.so.4", "foo", "libfoo.", "libfoo.s", "LIBFOO*"}) {
    CAPTURE(glob);
    CHECK_FALSE(match(glob, "libfoo.so.5"));
  }
}

TEST_CASE("only a match through a cut form counts as one") {
  auto list = patterns({"libfoo.so", "libfoo.so.*"});
  CHECK(match_exclude(list, "libfoo.so.5", "") == 0);
  CHECK(list[0].hits == 1);
  CHECK(list[0].cut_hits == 1);
  CHECK(list[1].hits == 0);
  CHECK(match_exclude(list, "libfoo.so", "") == 0);
  CHECK(list[0].hits == 2);
  CHECK(list[0].cut_hits == 1);
  CHECK(list[0].matched == std::vector<std::string>{"libfoo.so", "libfoo.so.5"});
}

TEST_CASE("hits are counted each time, matched names once and sorted") {
  auto list = patterns({"lib*"});
  for (const char* name : {"libz.so.1", "liba.so", "libz.so.1"}) match_exclude(list, name, "");
  CHECK(list[0].hits == 3);
  CHECK(list[0].matched == std::vector<std::string>{"liba.so", "libz.so.1"});
}

TEST_CASE("a name is cut where .so ends it, not at a .so inside a word") {
  CHECK(match("libx.sound", "libx.sound.so.2"));
  CHECK_FALSE(match("libx", "libx.sound.so.2"));
  CHECK_FALSE(match("libnodot.so", "libnodot"));
  CHECK(match("libnodot", "libnodot"));
}

TEST_CASE("a pattern with a slash is matched against the resolved path, others are not") {
  CHECK(match("/opt/rocm*/lib/*", "libhip.so.6", "/opt/rocm-6.2/lib/libhip.so.6.2"));
  CHECK_FALSE(match("/opt/rocm/*", "libhip.so.6", ""));
  CHECK_FALSE(match("*rocm*", "libhip.so.6", "/opt/rocm/lib/libhip.so.6"));
}

TEST_CASE("a needed path is known by its base name too") {
  CHECK(match("libfoo.so", "/build/out/libfoo.so"));
  CHECK(match("/build/*", "/build/out/libfoo.so"));
  CHECK_FALSE(match("out*", "/build/out/libfoo.so"));
}

TEST_CASE("the interpreter's own library is known under every ABI flag") {
  for (const char* name :
       {"libpython3.so", "libpython3.11.so.1.0", "libpython3.13t.so.1.0", "libpython3.7m.so",
        "libpython2.7.so.1.0", "libpython3.14td.so.1.0", "/usr/lib/libpython3.9.so.1.0"}) {
    CAPTURE(name);
    CHECK(is_libpython(name));
  }
  for (const char* name :
       {"libpython.so", "libpython3", "libpython3.11", "libpython3.11.so.x", "libpython3.11.so.1.",
        "libpythonic3.so", "xlibpython3.so", "libpython3.11-dbg.so", "libpython3.11.so.1.0-abc"}) {
    CAPTURE(name);
    CHECK_FALSE(is_libpython(name));
  }
}

TEST_CASE(
    "a pattern does not speak of a library that is taken out of it, and still of the others") {
  auto list = patterns({"libnpp*.so*", "*/toolkit/*/libruntime.so*"});
  list[0].unless = {"libnppc.so.12"};
  list[1].unless = {"libruntime.so"};
  CHECK_FALSE(match_exclude(list, "libnppc.so.12", ""));
  CHECK(match_exclude(list, "libnppial.so.12", "") == 0);
  CHECK_FALSE(match_exclude(list, "libruntime.so.1", "/opt/toolkit/9/libruntime.so.1"));
  CHECK(list[0].matched == std::vector<std::string>{"libnppial.so.12"});
  CHECK(list[1].hits == 0);
}
