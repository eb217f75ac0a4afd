// SPDX-License-Identifier: Apache-2.0
#include "deps/run_path.hpp"

#include "unit/deps/layout_builder.hpp"

#include <doctest/doctest.h>

using namespace truewheel;
using namespace truewheel::deps;
using Kind = EntryPlace::Kind;

namespace {

EntryPlace place(std::string_view entry, std::string_view path = "pkg/sub/_x.so",
                 testing::Library library = {}) {
  return place_entry(entry, path, *testing::file("x", std::move(library)).facts);
}

const TokenValues kValues{"/origin", "lib64", "x86_64"};

}  // namespace

TEST_CASE("a run path is split at its colons and keeps empty entries") {
  CHECK(run_path_entries("a:b") == std::vector<std::string>{"a", "b"});
  CHECK(run_path_entries(":a::") == std::vector<std::string>{"", "a", "", ""});
  CHECK(run_path_entries("").empty());
}

TEST_CASE("tokens are expanded plain and in braces, anywhere in the text") {
  CHECK(expand_tokens("$ORIGIN/lib", kValues) == "/origin/lib");
  CHECK(expand_tokens("${ORIGIN}/lib", kValues) == "/origin/lib");
  CHECK(expand_tokens("${ORIGIN}lib", kValues) == "/originlib");
  CHECK(expand_tokens("x/$ORIGIN/$LIB/${PLATFORM}", kValues) == "x//origin/lib64/x86_64");
}

TEST_CASE("a token must not go on as an identifier, nor lack its closing brace") {
  for (const char* text : {"$ORIGINfoo", "$ORIGIN_", "$ORIGIN9", "${ORIGIN", "$origin", "$", "$$",
                           "${ORIGINX}", "$HOME", "$LIBS"}) {
    CAPTURE(text);
    CHECK(expand_tokens(text, kValues) == text);
  }
  CHECK(expand_tokens("$$ORIGIN", kValues) == "$/origin");
  CHECK(expand_tokens("$ORIGIN-x", kValues) == "/origin-x");
}

TEST_CASE("a token without a value drops its entry") {
  CHECK_FALSE(expand_tokens("$ORIGIN/$LIB", {"/o", {}, "p"}));
  CHECK_FALSE(expand_tokens("${PLATFORM}", {"/o", "l", {}}));
  CHECK(expand_tokens("$ORIGIN", {"/o", {}, {}}) == "/o");
}

TEST_CASE("musl and bionic replace the token's letters whatever follows") {
  CHECK(replace_prefix_token("$ORIGINfoo:${ORIGIN}x", "ORIGIN", "/o") == "/ofoo:/ox");
}

TEST_CASE("an entry relative to the file lies inside the installation root") {
  CHECK(place("$ORIGIN").kind == Kind::inside);
  CHECK(place("$ORIGIN").folder == "pkg/sub");
  CHECK(place("$ORIGIN/").folder == "pkg/sub");
  CHECK(place("${ORIGIN}/../lib/.").folder == "pkg/lib");
  CHECK(place("$ORIGIN/../../pkg.libs").folder == "pkg.libs");
  CHECK(place("$ORIGIN/../..").kind == Kind::inside);
  CHECK(place("$ORIGIN/../..").folder.empty());
  CHECK(place("$ORIGIN", "_x.so").folder.empty());
}

TEST_CASE("an entry that climbs over the installation root is above it") {
  CHECK(place("$ORIGIN/../../..").kind == Kind::above);
  CHECK(place("$ORIGIN/../../../lib/pkg").kind == Kind::above);
  CHECK(place("$ORIGIN/..", "_x.so").kind == Kind::above);
  CHECK(place("$ORIGIN../x", "_x.so").kind == Kind::above);
}

TEST_CASE("entries without an origin are absolute, relative or empty") {
  CHECK(place("/opt/rocm/lib").kind == Kind::absolute);
  CHECK(place("lib").kind == Kind::relative);
  CHECK(place("$ORIGINAL/lib").kind == Kind::relative);
  CHECK(place("./$ORIGIN").kind == Kind::relative);
  CHECK(place("").kind == Kind::empty);
}

TEST_CASE("$LIB and $PLATFORM of an entry are those of the file's own machine") {
  CHECK(place("$ORIGIN/$LIB").folder == "pkg/sub/lib64");
  CHECK(place("$ORIGIN/$LIB", "p/x.so", {.bits = 32, .machine = 3}).folder == "p/lib");
  CHECK(place("$ORIGIN/$PLATFORM", "p/x.so", {.machine = 183}).folder == "p/aarch64");
}
