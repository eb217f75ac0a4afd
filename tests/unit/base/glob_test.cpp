// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

namespace truewheel {

TEST_CASE("glob_match knows stars, question marks and slashes that are nothing special") {
  CHECK(glob_match("*", ""));
  CHECK(glob_match("", ""));
  CHECK(!glob_match("", "a"));
  CHECK(glob_match("libcuda.so*", "libcuda.so.1"));
  CHECK(!glob_match("libcuda.so", "libcuda.so.1"));
  CHECK(glob_match("/opt/*/lib*.so", "/opt/rocm/lib/libx.so"));
  CHECK(glob_match("lib?.so", "liba.so"));
  CHECK(!glob_match("lib?.so", "lib.so"));
  CHECK(glob_match("lib?.so", "lib\xC3\xA9.so"));
  CHECK(glob_match("a*b*c", "a-b-b-c"));
  CHECK(!glob_match("a*b*c", "a-c-b"));
  CHECK(glob_match("*\n*", "a\nb"));
  CHECK(!glob_match("LIB*", "libx"));
}

TEST_CASE("glob_match reads brackets as Python's fnmatch does") {
  CHECK(glob_match("libx.so.[45]", "libx.so.4"));
  CHECK(!glob_match("libx.so.[45]", "libx.so.6"));
  CHECK(glob_match("[!a-c]", "d"));
  CHECK(!glob_match("[!a-c]", "b"));
  CHECK(glob_match("[a-c]", "b"));
  CHECK(!glob_match("[a-c]", "-"));
  CHECK(glob_match("[]]", "]"));
  CHECK(glob_match("[!]]", "a"));
  CHECK(!glob_match("[!]]", "]"));
  CHECK(glob_match("[", "["));
  CHECK(glob_match("[!", "[!"));
  CHECK(glob_match("[abc", "[abc"));
  CHECK(glob_match("[]", "[]"));
  CHECK(glob_match("[^a]", "^"));
  CHECK(glob_match("[^a]", "a"));
  CHECK(glob_match("[a-]", "-"));
  CHECK(glob_match("[-a]", "-"));
  CHECK(!glob_match("[c-a]", "b"));
  CHECK(!glob_match("[c-a]", "c"));
  CHECK(glob_match("[!c-a]", "b"));
  CHECK(glob_match("[\\]", "\\"));
  CHECK(glob_match("[b-ax]", "x"));
  CHECK(!glob_match("[b-ax]", "b"));
}

TEST_CASE("glob_match takes no exponential time") {
  const std::string text(20'000, 'a');
  CHECK(!glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
  CHECK(glob_match(std::string(5000, '*') + "a", text));
}

TEST_CASE("glob_match agrees with Python on random patterns") {
  if (std::system("command -v python3 >/dev/null 2>&1") != 0) return;
  const test::TemporaryFolder folder;
  constexpr unsigned kSeed = 20240229;
  CAPTURE(kSeed);
  std::mt19937 random(kSeed);
  const auto pick = [&](std::string_view from) { return from[random() % from.size()]; };
  std::string list;
  std::string ours;
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern;
    std::string text;
    for (auto n = random() % 9; n > 0; --n) pattern += pick("abc*?[[]]!!--^\\&~|.");
    for (auto n = random() % 5; n > 0; --n) text += pick("abc-]!^\\[&.");
    list += pattern + "\t" + text + "\n";
    ours += glob_match(pattern, text) ? '1' : '0';
  }
  test::write_text(folder / "list", list);
  test::write_text(
      folder / "match.py",
      "import fnmatch, sys, warnings\n"
      "warnings.simplefilter('ignore')\n"
      "rows = [l.split('\\t') for l in open(sys.argv[1]).read().split('\\n')[:-1]]\n"
      "open(sys.argv[2], 'w').write(''.join('01'[fnmatch.fnmatchcase(t, p)] for p, t in rows))\n");
  const std::string command = "python3 " + (folder / "match.py").native() + " " +
                              (folder / "list").native() + " " + (folder / "python").native();
  REQUIRE(std::system(command.c_str()) == 0);
  const std::string python = test::read_text(folder / "python");
  REQUIRE(python.size() == ours.size());
  const auto pairs = split(list, '\n');
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == python[i]) continue;
    CAPTURE(pairs[i]);
    CHECK(ours[i] == python[i]);
  }
  CHECK(ours.find('1') != std::string::npos);
}

}  // namespace truewheel
