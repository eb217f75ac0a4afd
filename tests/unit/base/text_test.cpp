// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include "base/unicode.hpp"

#include <doctest/doctest.h>

namespace truewheel {

using Strings = std::vector<std::string>;

TEST_CASE("take_piece takes one piece after the other and ends with the text") {
  std::string_view text = "a::b:";
  CHECK(take_piece(text, ':') == "a");
  CHECK(take_piece(text, ':').empty());
  CHECK(take_piece(text, ':') == "b");
  CHECK(text.empty());
  text = "whole";
  CHECK(take_piece(text, ':') == "whole");
  CHECK(text.empty());
}

TEST_CASE("split and join are each other's inverse") {
  CHECK(split("", ',') == Strings{""});
  CHECK(split("a,,b,", ',') == Strings{"a", "", "b", ""});
  CHECK(join({}, ",").empty());
  CHECK(join({"a"}, ",") == "a");
  CHECK(join({"a", "", "b"}, ", ") == "a, , b");
}

TEST_CASE("base_name and folder_name cut at the last slash") {
  CHECK(base_name("a/b/c.so") == "c.so");
  CHECK(base_name("c.so") == "c.so");
  CHECK(base_name("a/").empty());
  CHECK(folder_name("a/b/c.so") == "a/b");
  CHECK(folder_name("c.so").empty());
  CHECK(folder_name("/c.so").empty());
}

TEST_CASE("normal_path resolves dots without asking the disk") {
  CHECK(normal_path("a/b/../c/./d") == "a/c/d");
  CHECK(normal_path("") == "");
  CHECK(normal_path(".") == "");
  CHECK(normal_path("a/..") == "");
  CHECK(normal_path("a//b/") == "a/b");
  CHECK(normal_path("/a/../../b") == "/b");
  CHECK(normal_path("/..") == "/");
  CHECK(normal_path("/") == "/");
  CHECK(normal_path("...") == "...");
  CHECK(!normal_path(".."));
  CHECK(!normal_path("a/../../b"));
  CHECK(!normal_path("a/../.."));
}

TEST_CASE("relative_path leads from one folder to another") {
  CHECK(relative_path("pkg/sub", "pkg.libs") == "../../pkg.libs");
  CHECK(relative_path("pkg", "pkg").empty());
  CHECK(relative_path("", "").empty());
  CHECK(relative_path("", "pkg/lib") == "pkg/lib");
  CHECK(relative_path("pkg/lib", "") == "../..");
  CHECK(relative_path("a/b/c", "a/d") == "../../d");
  CHECK(relative_path("a/b", "a/b/c") == "c");
  CHECK(relative_path("ab", "abc") == "../abc");
}

TEST_CASE("printable leaves text alone and escapes what could deceive a reader") {
  CHECK(printable("plain caf\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80") ==
        "plain caf\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80");
  CHECK(printable("a\nb\rc\td") == "a\\nb\\rc\\td");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x1b[31m\x7f") == "\\x1b[31m\\x7f");
  CHECK(printable("\xC2\x85") == "\\x85");
  CHECK(printable("\xE2\x80\xAE\xE2\x80\xA8\xEF\xBB\xBF") == "\\u202e\\u2028\\ufeff");
  CHECK(printable("\xF3\xA0\x80\x81") == "\\U000e0001");
  CHECK(printable("caf\xE9!") == "caf\\xe9!");
  CHECK(printable("\xC0\xAF\xED\xA0\x80") == "\\xc0\\xaf\\xed\\xa0\\x80");
  CHECK(printable("\xE2\x82") == "\\xe2\\x82");
}

TEST_CASE("is_valid_utf8 takes the shortest forms of scalar values alone") {
  for (const char* text : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xEF\xBF\xBF",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CHECK(is_valid_utf8(text));
  }
  for (const char* text :
       {"\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "a\xE2\x82"}) {
    CHECK(!is_valid_utf8(text));
  }
}

TEST_CASE("names that some file system takes for one have one collision key") {
  CHECK(collision_key("LIB/A.So") == collision_key("lib/a.so"));
  CHECK(collision_key("caf\xC3\xA9") == collision_key("CAFE\xCC\x81"));
  CHECK(collision_key("stra\xC3\x9F"
                      "e") == collision_key("STRASSE"));
  CHECK(collision_key("\xEF\xAC\x81le") == collision_key("FILE"));     // ligature fi
  CHECK(collision_key("\xE2\x84\xAB") == collision_key("a\xCC\x8A"));  // Angstrom sign
  CHECK(collision_key("\xCE\xA3") == collision_key("\xCF\x82"));       // Sigma and final sigma
  CHECK(collision_key("\xEA\xB0\x80") == collision_key("\xE1\x84\x80\xE1\x85\xA1"));  // Hangul
  CHECK(collision_key("\xEA\xB0\x81") == collision_key("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"));
  CHECK(collision_key("a\xCC\xA3\xCC\x81") ==
        collision_key("a\xCC\x81\xCC\xA3"));  // marks in another order
  CHECK(collision_key("a") != collision_key("b"));
  CHECK(collision_key("\xC3\xA9") != collision_key("e"));
  CHECK(collision_key("a\xFF") != collision_key("a\xFE"));
}

}  // namespace truewheel
