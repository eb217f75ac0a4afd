// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "unit/deps/layout_builder.hpp"
#include "unit/deps/scratch.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

using namespace truewheel;
using namespace truewheel::deps;
using testing::file;
using testing::Library;
using testing::Scratch;

namespace {

/// Options under which nothing of the machine is looked at but what the test names.
SearchOptions hermetic(const Scratch& scratch) {
  SearchOptions options;
  options.sysroot = scratch.at("sysroot");
  std::filesystem::create_directories(options.sysroot);
  return options;
}

ExcludePattern exclude(const std::string& glob) {
  ExcludePattern pattern;
  pattern.glob = glob;
  pattern.origin = "--exclude";
  return pattern;
}

const Edge& first_edge(const Graph& graph) { return graph.nodes.at(0).edges.at(0); }

bool has_note(const Graph& graph, std::string_view text) {
  const auto holds = [&](const std::string& note) { return note.find(text) != std::string::npos; };
  return std::any_of(graph.notes.begin(), graph.notes.end(), holds) ||
         std::any_of(graph.warnings.begin(), graph.warnings.end(), holds);
}

WheelFile needing(std::initializer_list<std::string> names, Library rest = {}) {
  rest.needed = names;
  return file("p/_x.so", std::move(rest));
}

}  // namespace

TEST_CASE("the wheel answers along the run path before its nearest sibling") {
  const Scratch scratch;
  const auto graph = resolve({needing({"liba.so"}, {.runpath = "/no:$ORIGIN/../q"}),
                              file("p/liba.so", {}), file("q/liba.so", {})},
                             {}, hermetic(scratch));
  CHECK(first_edge(graph).answer == Answer::sibling);
  CHECK(first_edge(graph).target == 2);
  CHECK(first_edge(graph).how == "RUNPATH $ORIGIN/../q");
  CHECK(first_edge(graph).searched.empty());
}

TEST_CASE("a sibling wins over an exclude and over this machine, and the pattern is not dead") {
  const Scratch scratch;
  scratch.library("build/liba.so");
  auto options = hermetic(scratch);
  options.search = {scratch.at("build")};
  const auto graph =
      resolve({needing({"liba.so"}), file("q/liba.so", {})}, {exclude("liba.so*")}, options);
  CHECK(first_edge(graph).answer == Answer::sibling);
  CHECK(first_edge(graph).target == 1);
  CHECK(graph.patterns[0].hits == 1);
}

TEST_CASE("another build-id is noted for a second sibling and for the build's copy") {
  const Scratch scratch;
  scratch.library("build/liba.so");
  auto options = hermetic(scratch);
  options.search = {scratch.at("build")};
  const auto graph =
      resolve({needing({"liba.so"}), file("p/liba.so", {.build_id = "aa"}),
               file("q/liba.so", {.build_id = "bb"}), file("r/liba.so", {.build_id = "aa"})},
              {}, options);
  CHECK(has_note(graph, "p/liba.so is taken, q/liba.so has another build-id"));
  CHECK(has_note(graph, "the build's copy " + scratch.at("build/liba.so")));
  CHECK(graph.warnings.size() == 2);

  const auto facts = testing::inspect_file(scratch.at("build/liba.so"));
  CHECK(resolve({needing({"liba.so"}), {"p/liba.so", facts}}, {}, options).warnings.empty());
}

TEST_CASE("a member that only has the soname is noted, not taken") {
  const Scratch scratch;
  const auto graph = resolve({needing({"liba.so.1"}), file("p/liba.so", {.soname = "liba.so.1"})},
                             {}, hermetic(scratch));
  CHECK(first_edge(graph).answer == Answer::missing);
  CHECK(has_note(graph, "p/liba.so has that SONAME but another file name"));
  CHECK(first_edge(graph).soname_of == std::vector<std::string>{"p/liba.so"});
  scratch.library("build/liba.so.1");
  auto options = hermetic(scratch);
  options.search = {scratch.at("build")};
  const auto found =
      resolve({needing({"liba.so.1"}), file("p/liba.so", {.soname = "liba.so.1"})}, {}, options);
  CHECK(first_edge(found).answer == Answer::host);
  CHECK(has_note(found, "p/liba.so has that SONAME but another file name"));
}

TEST_CASE("this machine is searched in the documented order") {
  const Scratch scratch;
  const std::vector<std::string> places = {"search",
                                           "rpath",
                                           "sysroot/audit",
                                           "sysroot/env",
                                           "sysroot/conf",
                                           "sysroot/lib/x86_64-linux-gnu",
                                           "sysroot/usr/lib/x86_64-linux-gnu",
                                           "sysroot/lib64",
                                           "sysroot/usr/lib64",
                                           "sysroot/lib",
                                           "sysroot/usr/lib"};
  scratch.library("liba.so");
  for (const auto& place : places) {
    std::filesystem::create_directories(scratch.at(place));
    std::filesystem::copy_file(scratch.at("liba.so"), scratch.at(place + "/liba.so"));
  }
  scratch.write("sysroot/etc/ld.so.conf", "/conf\n");
  auto options = hermetic(scratch);
  options.search = {scratch.at("search")};
  options.auditwheel_ld_library_path = {"/audit"};
  options.ld_library_path = {"/env"};
  const std::vector<WheelFile> files = {needing({"liba.so"}, {.rpath = scratch.at("rpath")})};
  std::vector<std::string> reasons;
  for (const auto& place : places) {
    CAPTURE(place);
    const auto graph = resolve(files, {}, options);
    REQUIRE(first_edge(graph).answer == Answer::host);
    CHECK(graph.nodes.at(1).path == scratch.at(place + "/liba.so"));
    reasons.push_back(first_edge(graph).how);
    std::filesystem::remove(scratch.at(place + "/liba.so"));
  }
  CHECK(reasons ==
        std::vector<std::string>{"--search " + scratch.at("search"), "RPATH " + scratch.at("rpath"),
                                 "AUDITWHEEL_LD_LIBRARY_PATH /audit", "LD_LIBRARY_PATH /env",
                                 "/etc/ld.so.conf /conf", "default folder /lib/x86_64-linux-gnu",
                                 "default folder /usr/lib/x86_64-linux-gnu",
                                 "default folder /lib64", "default folder /usr/lib64",
                                 "default folder /lib", "default folder /usr/lib"});
  const auto graph = resolve(files, {}, options);
  CHECK(first_edge(graph).answer == Answer::missing);
  CHECK(first_edge(graph).searched == reasons);
}

TEST_CASE("--ldpaths replaces the environment's path, ld.so.conf and the default folders") {
  const Scratch scratch;
  scratch.library("liba.so");
  for (const char* place : {"sysroot/env", "sysroot/conf", "sysroot/lib", "ldpath"}) {
    std::filesystem::create_directories(scratch.at(place));
  }
  std::filesystem::copy_file(scratch.at("liba.so"), scratch.at("sysroot/env/liba.so"));
  std::filesystem::copy_file(scratch.at("liba.so"), scratch.at("sysroot/lib/liba.so"));
  auto options = hermetic(scratch);
  options.ld_library_path = {"/env"};
  options.ldpaths.emplace();
  options.ldpaths->push_back(scratch.at("ldpath"));
  CHECK(first_edge(resolve({needing({"liba.so"})}, {}, options)).answer == Answer::missing);
  std::filesystem::copy_file(scratch.at("liba.so"), scratch.at("ldpath/liba.so"));
  CHECK(first_edge(resolve({needing({"liba.so"})}, {}, options)).how ==
        "--ldpaths " + scratch.at("ldpath"));
}

TEST_CASE("unloadable files of the wanted name are passed over with a note") {
  const Scratch scratch;
  scratch.write("1/liba.so", "/* GNU ld script */ GROUP ( libreal.so )\n");
  scratch.write("2/liba.so", "");
  scratch.library("3/liba.so");
  {  // e_machine of another processor
    std::fstream out(scratch.at("3/liba.so"), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(18).put(static_cast<char>(183));
  }
  std::filesystem::create_directories(scratch.at("4/liba.so"));
  REQUIRE(::mkdir(scratch.at("5").c_str(), 0755) == 0);
  REQUIRE(::mkfifo(scratch.at("5/liba.so").c_str(), 0600) == 0);
  scratch.link("6/liba.so", "gone");
  scratch.library("7/liba.so");
  std::filesystem::resize_file(scratch.at("7/liba.so"), 100);
  std::filesystem::create_directories(scratch.at("8"));
  const std::string object =
      "gcc -c -o '" + scratch.at("8/liba.so") + "' '" + scratch.at("source.c") + "'";
  REQUIRE(std::system(object.c_str()) == 0);
  scratch.library("glibc-hwcaps/x86-64-v3/liba.so");
  scratch.library("9/liba.so");
  auto options = hermetic(scratch);
  for (const char* folder :
       {"1", "2", "3", "4", "5", "6", "7", "8", "glibc-hwcaps/x86-64-v3", "9"}) {
    options.search.push_back(scratch.at(folder));
  }
  const auto graph = resolve({needing({"liba.so"})}, {}, options);
  REQUIRE(first_edge(graph).answer == Answer::host);
  CHECK(graph.nodes.at(1).path == scratch.at("9/liba.so"));
  for (const char* folder : {"1", "2", "3", "4", "5", "7", "8", "glibc-hwcaps/x86-64-v3"}) {
    CAPTURE(folder);
    CHECK(has_note(graph, "skipped " + scratch.at(folder) + "/liba.so: "));
  }
  CHECK(graph.notes.size() == 8);
}

TEST_CASE("run paths are inherited from the files a library was reached through") {
  const Scratch scratch;
  scratch.library("deep/libc1.so", "-Wl,-soname,libc1.so");
  scratch.library("b/libb.so", "-Wl,-soname,libb.so deep/libc1.so");
  const auto graph =
      resolve({needing({"libb.so"}, {.runpath = scratch.at("b") + ":" + scratch.at("deep")})}, {},
              hermetic(scratch));
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[1].edges.at(0).how == "RUNPATH " + scratch.at("deep") + " of p/_x.so");
  CHECK(graph.nodes[2].reached_from == 1);
  CHECK(graph.chain_to(2) == "p/_x.so (needs) libb.so (needs) libc1.so");
  CHECK(graph.chain_to(0) == "p/_x.so");
}

TEST_CASE("$ORIGIN of a library is the folder it was found in, then its real one") {
  const Scratch scratch;
  scratch.library("real/near/libb.so");
  scratch.library("found/near/libc1.so");
  scratch.library("real/liba.so.1",
                  "-Wl,-rpath,'$ORIGIN/near' real/near/libb.so found/near/libc1.so");
  std::filesystem::create_directories(scratch.at("found"));
  scratch.link("found/liba.so", "../real/liba.so.1");
  // gcc links by path without -soname: make the names plain.
  scratch.library("real/near/libb.so", "-Wl,-soname,libb.so");
  scratch.library("found/near/libc1.so", "-Wl,-soname,libc1.so", "int other(void) { return 3; }");
  scratch.library("real/liba.so.1",
                  "-Wl,-rpath,'$ORIGIN/near' real/near/libb.so found/near/libc1.so");
  auto options = hermetic(scratch);
  options.search = {scratch.at("found")};
  const auto graph = resolve({needing({"liba.so"})}, {}, options);
  REQUIRE(graph.nodes.size() == 4);
  CHECK(graph.nodes[1].path == scratch.at("real/liba.so.1"));
  CHECK(graph.nodes[2].path == scratch.at("real/near/libb.so"));
  CHECK(graph.nodes[3].path == scratch.at("found/near/libc1.so"));
}

TEST_CASE("one file under two names is one node, two files of one soname are two") {
  const Scratch scratch;
  scratch.library("b/libx.so.1.2");
  scratch.link("b/libx.so", "libx.so.1.2");
  scratch.link("b/libx.so.1", "libx.so.1.2");
  scratch.library("1/liby.so", "-Wl,-soname,liby.so", "int y(void) { return 1; }");
  scratch.library("2/liby.so", "-Wl,-soname,liby.so", "int y(void) { return 2; }");
  auto options = hermetic(scratch);
  options.search = {scratch.at("b")};
  const auto graph =
      resolve({file("p/1.so", {.needed = {"libx.so.1", "liby.so"}, .runpath = scratch.at("1")}),
               file("p/2.so", {.needed = {"libx.so", "liby.so"}, .runpath = scratch.at("2")})},
              {}, options);
  REQUIRE(graph.nodes.size() == 5);
  CHECK(graph.nodes[2].path == scratch.at("b/libx.so.1.2"));
  CHECK(graph.nodes[2].known_as == std::vector<std::string>{"libx.so", "libx.so.1"});
  CHECK(graph.nodes[3].path == scratch.at("1/liby.so"));
  CHECK(graph.nodes[4].path == scratch.at("2/liby.so"));
}

TEST_CASE("the same bytes in two places are one node, whose digest is computed when asked for") {
  const Scratch scratch;
  scratch.library("1/liby.so", "-Wl,-soname,liby.so");
  std::filesystem::create_directories(scratch.at("2"));
  std::filesystem::copy_file(scratch.at("1/liby.so"), scratch.at("2/libz.so"));
  auto graph = resolve({file("p/1.so", {.needed = {"liby.so"}, .runpath = scratch.at("1")}),
                        file("p/2.so", {.needed = {"libz.so"}, .runpath = scratch.at("2")})},
                       {}, hermetic(scratch));
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[2].known_as == std::vector<std::string>{"liby.so", "libz.so"});
  CHECK(graph.nodes[2].host_sha256.empty());
  const std::string digest = host_digest(graph.nodes[2]);
  CHECK(digest.size() == 64);
  scratch.write("sum", digest + "  " + scratch.at("1/liby.so") + "\n");
  CHECK(std::system(("sha256sum -c --status " + scratch.at("sum")).c_str()) == 0);
  CHECK(graph.nodes[2].host_sha256 == digest);
}

TEST_CASE("without a soname the same bytes under other names are libraries of their own") {
  const Scratch scratch;
  scratch.library("1/liby.so");
  for (const char* copy : {"1/libz.so", "2/liby.so"}) {
    std::filesystem::create_directories(scratch.at("2"));
    std::filesystem::copy_file(scratch.at("1/liby.so"), scratch.at(copy));
  }
  const auto graph =
      resolve({file("p/1.so", {.needed = {"liby.so", "libz.so"}, .runpath = scratch.at("1")}),
               file("p/2.so", {.needed = {"liby.so"}, .runpath = scratch.at("2")})},
              {}, hermetic(scratch));
  REQUIRE(graph.nodes.size() == 4);
  CHECK(graph.nodes[2].path == scratch.at("1/liby.so"));
  CHECK(graph.nodes[3].path == scratch.at("1/libz.so"));
}

TEST_CASE("a file of the wheel finds libraries of this machine by the DT_RPATH of what loads it") {
  const Scratch scratch;
  scratch.library("b/libx.so", "-Wl,-soname,libx.so");
  const auto find = [&](Library member, Library loader) {
    member.needed = {"libx.so"};
    loader.needed = {"libmid.so"};
    return resolve(
               {file("p/libmid.so", std::move(member)),
                file("p/libtop.so", {.needed = {"libm.so"}}), file("p/m.so", std::move(loader))},
               {}, hermetic(scratch))
        .nodes[0]
        .edges[0];
  };
  const std::string folder = scratch.at("b");
  const auto found = find({}, {.rpath = folder});
  CHECK(found.answer == Answer::host);
  CHECK(found.how == "RPATH " + folder + " of p/m.so");
  CHECK(find({}, {.runpath = folder}).answer == Answer::missing);
  CHECK(find({.runpath = "$ORIGIN"}, {.rpath = folder}).answer == Answer::missing);
}

TEST_CASE("a library that finds others depending on what loads it is warned of") {
  const Scratch scratch;
  scratch.library("a/libx.so", "-Wl,-soname,libx.so", "int x(void) { return 1; }");
  scratch.library("b/libx.so", "-Wl,-soname,libx.so", "int x(void) { return 2; }");
  scratch.library("y/liby.so", "-Wl,-soname,liby.so " + scratch.at("a/libx.so"));
  const auto warnings = [&](const std::string& first, const std::string& second) {
    const auto path = [&](const std::string& folder) {
      return scratch.at(folder) + ":" + scratch.at("y");
    };
    return resolve({file("p/1.so", {.needed = {"liby.so"}, .rpath = path(first)}),
                    file("p/2.so", {.needed = {"liby.so"}, .rpath = path(second)})},
                   {}, hermetic(scratch))
        .warnings;
  };
  CHECK(warnings("a", "a").empty());
  const auto told = warnings("a", "b");
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("loaded through p/2.so it finds " + scratch.at("b/libx.so")) !=
        std::string::npos);
}

TEST_CASE("equal copies whose $ORIGIN leads to different libraries are warned of") {
  const Scratch scratch;
  scratch.library("a/libx.so", "-Wl,-soname,libx.so", "int x(void) { return 1; }");
  scratch.library("b/libx.so", "-Wl,-soname,libx.so", "int x(void) { return 2; }");
  scratch.library("a/liby.so",
                  "-Wl,-soname,liby.so -Wl,-rpath,'$ORIGIN' " + scratch.at("a/libx.so"));
  std::filesystem::copy_file(scratch.at("a/liby.so"), scratch.at("b/liby.so"));
  const auto graph = resolve({file("p/1.so", {.needed = {"liby.so"}, .runpath = scratch.at("a")}),
                              file("p/2.so", {.needed = {"liby.so"}, .runpath = scratch.at("b")})},
                             {}, hermetic(scratch));
  REQUIRE(graph.warnings.size() == 1);
  CHECK(graph.warnings[0].find("loaded from " + scratch.at("b") + " it finds " +
                               scratch.at("b/libx.so")) != std::string::npos);
}

TEST_CASE("thousands of libraries of one size are told apart without comparing each with each") {
  const Scratch scratch;
  scratch.library("libx.so", "-Wl,-soname,libx.so");
  std::ifstream original(scratch.at("libx.so"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(original), {}};
  constexpr std::size_t kLibraries = 3000;
  Library many{.runpath = scratch.at("many")};
  for (std::size_t i = 0; i < kLibraries; ++i) {
    // Bytes behind the sections; the last library is the first one once more.
    const std::string number = std::to_string(100000 + i % (kLibraries - 1));
    many.needed.push_back("lib" + std::to_string(i) + ".so");
    scratch.write("many/" + many.needed.back(), bytes + number);
  }
  const auto graph = resolve({file("p/1.so", std::move(many))}, {}, hermetic(scratch));
  REQUIRE(graph.nodes.size() == 1 + kLibraries - 1);
  CHECK(graph.nodes[1].known_as == std::vector<std::string>{"lib0.so", "lib2999.so"});
}

TEST_CASE("excluding a library prunes it, and what another path needs is still found") {
  const Scratch scratch;
  scratch.library("b/liby.so.1", "-Wl,-soname,liby.so.1");
  scratch.library("b/libx.so.5", "-Wl,-soname,libx.so.5 b/liby.so.1");
  auto options = hermetic(scratch);
  options.search = {scratch.at("b")};
  const std::vector<WheelFile> files = {file("p/1.so", {.needed = {"libx.so.5"}}),
                                        file("p/2.so", {.needed = {"liby.so.1"}})};
  for (const char* glob : {"libx.so", "libx.so*", "libx.so.[45]", "libx"}) {
    CAPTURE(glob);
    const auto graph = resolve(files, {exclude(glob)}, options);
    CHECK(first_edge(graph).answer == Answer::excluded);
    CHECK(first_edge(graph).pattern == 0);
    CHECK_FALSE(first_edge(graph).target);
    REQUIRE(graph.nodes.size() == 3);
    CHECK(graph.nodes[2].path == scratch.at("b/liby.so.1"));
    CHECK(graph.nodes[2].reached_from == 1);
  }
  CHECK(resolve({files[0]}, {exclude("libx")}, options).nodes.size() == 1);
  CHECK(resolve(files, {exclude("*")}, options).nodes.size() == 2);
  CHECK(resolve(files, {exclude("libq.so")}, options).patterns[0].hits == 0);
}

TEST_CASE("a pattern with a slash excludes by the real path that the search found") {
  const Scratch scratch;
  scratch.library("rocm-6.2/libx.so.5");
  scratch.link("rocm", "rocm-6.2");
  auto options = hermetic(scratch);
  options.search = {scratch.at("rocm")};
  const auto graph =
      resolve({needing({"libx.so.5"})}, {exclude(scratch.at("rocm-*") + "/*")}, options);
  CHECK(first_edge(graph).answer == Answer::excluded);
  CHECK(graph.nodes.size() == 1);
  CHECK(graph.patterns[0].matched == std::vector<std::string>{"libx.so.5"});
}

TEST_CASE("libpython is neither looked for nor missing") {
  const Scratch scratch;
  const auto graph =
      resolve({needing({"libpython3.13t.so.1.0"})}, {exclude("libpython3*")}, hermetic(scratch));
  CHECK(first_edge(graph).answer == Answer::libpython);
  CHECK(first_edge(graph).how == "libpython");
  CHECK(first_edge(graph).pattern == 0);
  CHECK(graph.nodes.size() == 1);
  const auto own = resolve({needing({"libpython3.11.so.1.0"}), file("p/libpython3.11.so.1.0", {})},
                           {}, hermetic(scratch));
  CHECK(first_edge(own).answer == Answer::libpython);
  CHECK(first_edge(own).target == 1);
  CHECK_FALSE(first_edge(own).pattern);
}

TEST_CASE("a needed path is a wheel file of its base name, else that very file, else its name") {
  const Scratch scratch;
  scratch.library("b/libfoo.so");
  const std::string path = scratch.at("b/libfoo.so");
  const auto outside = resolve({needing({path})}, {}, hermetic(scratch));
  REQUIRE(first_edge(outside).answer == Answer::host);
  CHECK(outside.nodes.at(1).path == path);
  CHECK(outside.nodes.at(1).known_as == std::vector<std::string>{path});
  CHECK(first_edge(resolve({needing({path}), file("q/libfoo.so", {})}, {}, hermetic(scratch)))
            .target == 1);

  const std::string away = scratch.at("gone/libfoo.so");
  const auto gone = resolve({needing({away})}, {}, hermetic(scratch));
  CHECK(first_edge(gone).answer == Answer::missing);
  CHECK(first_edge(gone).searched.front() == away);
  // auditwheel finds the relative ones by name; the loader would not, so that it is said.
  for (const auto& needed : {away, std::string("./libfoo.so"), std::string("@rpath/libfoo.so")}) {
    CAPTURE(needed);
    const auto by_name =
        resolve({needing({needed}, {.runpath = scratch.at("b")})}, {}, hermetic(scratch));
    CHECK(first_edge(by_name).answer == Answer::host);
    CHECK(has_note(by_name, needed + ", which is not there: " + path));
  }
}

TEST_CASE("a needed path below $ORIGIN is that very file of the wheel") {
  const Scratch scratch;
  for (const char* needed :
       {"$ORIGIN/sub/libfoo.so", "${ORIGIN}/sub/libfoo.so", "$ORIGIN/../p/./sub/libfoo.so"}) {
    CAPTURE(needed);
    const auto graph =
        resolve({needing({needed}), file("p/libfoo.so", {}), file("p/sub/libfoo.so", {})}, {},
                hermetic(scratch));
    CHECK(first_edge(graph).answer == Answer::sibling);
    CHECK(first_edge(graph).target == 2);
    CHECK(first_edge(graph).how == "path");
  }
  // What is not there, or no library of the machine, leaves the sibling of that name.
  for (const char* needed : {"$ORIGIN/gone/libfoo.so", "$ORIGIN/arm/libfoo.so"}) {
    CAPTURE(needed);
    const auto graph = resolve(
        {needing({needed}), file("p/libfoo.so", {}), file("p/arm/libfoo.so", {.machine = 183})}, {},
        hermetic(scratch));
    CHECK(first_edge(graph).target == 1);
    CHECK(first_edge(graph).how == "sibling");
  }
}

TEST_CASE("a program's auditor that would stay outside the wheel is warned about") {
  const Scratch scratch;
  scratch.library("b/libaud.so");
  auto options = hermetic(scratch);
  options.search = {scratch.at("b")};
  const auto naming = [](const std::string& names, elf::FileKind kind = elf::FileKind::pie) {
    auto facts = std::make_shared<elf::ElfFacts>(*file("p/tool", {}).facts);
    facts->kind = kind;
    facts->auditors = {names};
    return WheelFile{"p/tool", facts};
  };
  const auto on_host = resolve({naming("libaud.so")}, {}, options);
  CHECK(has_note(on_host, "names the auditor libaud.so"));
  CHECK(has_note(on_host, scratch.at("b/libaud.so") + " is not bundled"));
  const auto list = resolve({naming("libgone.so:libaud.so")}, {}, options);
  CHECK(has_note(list, "names the auditor libgone.so"));
  CHECK(has_note(list, "names the auditor libaud.so"));
  CHECK(resolve({naming("libaud.so"), file("p/libaud.so", {})}, {}, options).warnings.empty());
  const auto excluded = resolve({naming("libaud.so")}, {exclude("libaud.so")}, options);
  CHECK(excluded.warnings.empty());
  CHECK(excluded.patterns[0].hits == 1);
  // glibc asks only the program, musl nobody.
  const auto library = naming("libaud.so", elf::FileKind::shared_object);
  CHECK(resolve({library}, {}, options).warnings.empty());
  options.libc = Libc::musl;
  CHECK(resolve({naming("libaud.so")}, {}, options).warnings.empty());
}

TEST_CASE("filtees are dependencies for glibc, and a missing auxiliary one is none") {
  const Scratch scratch;
  scratch.library("b/libfil.so");
  auto options = hermetic(scratch);
  options.search = {scratch.at("b")};
  const auto naming = [](const std::string& name, bool is_required) {
    auto facts = std::make_shared<elf::ElfFacts>(*file("p/_x.so", {}).facts);
    facts->filtees = {{name, is_required, 0}};
    return WheelFile{"p/_x.so", facts};
  };
  for (const bool is_required : {true, false}) {
    CAPTURE(is_required);
    const auto on_host = resolve({naming("libfil.so", is_required)}, {}, options);
    REQUIRE(on_host.nodes[0].edges.size() == 1);
    CHECK(first_edge(on_host).answer == Answer::host);
    CHECK(first_edge(on_host).tag == (is_required ? Tag::filter : Tag::auxiliary));
    const auto nowhere = resolve({naming("libgone.so", is_required)}, {}, options);
    CHECK(nowhere.nodes[0].edges.size() == (is_required ? 1 : 0));
    CHECK(has_note(nowhere, "the loader goes on without it") == !is_required);
  }
  options.libc = Libc::musl;
  CHECK(resolve({naming("libfil.so", true)}, {}, options).nodes[0].edges.empty());
}

TEST_CASE("under a sysroot a library's absolute paths and links mean that sysroot") {
  const Scratch scratch;
  scratch.library("sysroot/opt/x/libb.so", "-Wl,-soname,libb.so");
  scratch.library("sysroot/usr/lib/liba.so.1",
                  "-Wl,-soname,liba.so -Wl,-rpath,/opt/x sysroot/opt/x/libb.so");
  scratch.link("sysroot/usr/lib/liba.so", "/usr/lib/liba.so.1");
  scratch.link("sysroot/lib", "/usr/lib");
  const auto graph = resolve({needing({"liba.so"})}, {}, hermetic(scratch));
  REQUIRE(graph.nodes.size() == 3);
  CHECK(first_edge(graph).how == "default folder /lib");
  CHECK(graph.nodes[1].path == scratch.at("sysroot/usr/lib/liba.so.1"));
  CHECK(graph.nodes[2].path == scratch.at("sysroot/opt/x/libb.so"));
}

TEST_CASE("a grafted library's need is answered by the wheel first") {
  const Scratch scratch;
  scratch.library("b/libb.so", "-Wl,-soname,libb.so");
  scratch.library("b/liba.so", "-Wl,-soname,liba.so b/libb.so");
  auto options = hermetic(scratch);
  options.search = {scratch.at("b")};
  const auto graph = resolve({needing({"liba.so"}), file("q/libb.so", {})}, {}, options);
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[2].edges.at(0).answer == Answer::sibling);
  CHECK(graph.nodes[2].edges.at(0).target == 1);
}

TEST_CASE("a foreign file of the wheel is a node and nobody's sibling") {
  const Scratch scratch;
  const auto graph =
      resolve({needing({"liba.so"}), file("p/liba.so", {.needed = {"libc.so.6"}, .machine = 183})},
              {}, hermetic(scratch));
  CHECK(first_edge(graph).answer == Answer::missing);
  CHECK(graph.nodes.at(1).edges.at(0).answer == Answer::missing);
}

TEST_CASE("libraries of this machine that need each other end the search") {
  const Scratch scratch;
  scratch.library("b/libb.so", "-Wl,-soname,libb.so");
  scratch.library("b/liba.so", "-Wl,-soname,liba.so b/libb.so");
  scratch.library("b/libb.so", "-Wl,-soname,libb.so b/liba.so");
  auto options = hermetic(scratch);
  options.search = {scratch.at("b")};
  const auto graph = resolve({needing({"liba.so"})}, {}, options);
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[2].edges.at(0).target == 1);
}

TEST_CASE("bionic and musl search their own default folders") {
  const Scratch scratch;
  scratch.library("sysroot/system/lib64/liba.so");
  auto options = hermetic(scratch);
  options.libc = Libc::bionic;
  CHECK(first_edge(resolve({needing({"liba.so"})}, {}, options)).how ==
        "default folder /system/lib64");
  options.libc = Libc::musl;
  scratch.library("sysroot/usr/local/lib/liba.so");
  CHECK(first_edge(resolve({needing({"liba.so"})}, {}, options)).how ==
        "default folder /usr/local/lib");
}

TEST_CASE("the libc of this machine is found like any library") {
  const auto graph = resolve({needing({"libc.so.6"})}, {}, {});
  REQUIRE(first_edge(graph).answer == Answer::host);
  CHECK(graph.nodes.at(1).facts->soname == "libc.so.6");
}

TEST_CASE("a library that lacks a version which the file needs is passed over and said why") {
  const Scratch scratch;
  scratch.write("old.map", "FOO_1 { global: value; };");
  scratch.write("new.map", "FOO_1 { global: value; }; FOO_2 { global: other; } FOO_1;");
  scratch.library("old/liba.so", "-Wl,--version-script=old.map");
  scratch.library("new/liba.so", "-Wl,--version-script=new.map",
                  "int value(void) { return 1; } int other(void) { return 2; }");
  auto options = hermetic(scratch);
  options.search = {scratch.at("old")};
  const std::vector<elf::VersionNeed> needs = {{"liba.so", {{"FOO_1", false}, {"FOO_2", false}}}};
  const std::vector<WheelFile> layout = {
      needing({"liba.so"}, {.runpath = "$ORIGIN/q", .version_needs = needs}),
      file("p/q/liba.so", {.version_definitions = {"FOO_1"}})};

  const auto without = resolve(layout, {}, options);
  CHECK(first_edge(without).answer == Answer::missing);
  REQUIRE(first_edge(without).passed_over.size() == 2);
  CHECK(first_edge(without).passed_over[0] ==
        "p/q/liba.so: it does not define FOO_2, which p/_x.so needs");
  CHECK(first_edge(without).passed_over[1] ==
        scratch.at("old/liba.so") + ": it does not define FOO_2, which p/_x.so needs");

  options.search.push_back(scratch.at("new"));
  const auto with = resolve(layout, {}, options);
  CHECK(first_edge(with).answer == Answer::host);
  CHECK(with.nodes.at(2).path == scratch.at("new/liba.so"));
  CHECK(has_note(with, "skipped p/q/liba.so: it does not define FOO_2"));

  options.libc = Libc::musl;  // compares no versions
  CHECK(first_edge(resolve(layout, {}, options)).target == 1);
  options.libc = Libc::glibc;
  options.is_promised = [](std::string_view name) { return name == "liba.so"; };
  options.search = {scratch.at("old")};  // the user's system has another one than this machine
  CHECK(first_edge(resolve(layout, {}, options)).answer == Answer::host);
}

TEST_CASE("a library without versions, or without a weak one, is as good as any to the loader") {
  const Scratch scratch;
  const std::vector<elf::VersionNeed> needs = {{"liba.so", {{"FOO_1", false}, {"FOO_2", true}}}};
  for (const auto& defined : {std::vector<std::string>{}, {"FOO_1"}}) {
    const auto graph = resolve({needing({"liba.so"}, {.version_needs = needs}),
                                file("p/liba.so", {.version_definitions = defined})},
                               {}, hermetic(scratch));
    CHECK(first_edge(graph).target == 1);
  }
}

TEST_CASE("a file with the name of the platform's library answers only where the loader finds it") {
  const Scratch scratch;
  auto options = hermetic(scratch);
  options.is_promised = [](std::string_view name) { return name == "libz.so.1"; };
  const auto stub = file("p/tests/data/libz.so.1", {});

  // No run path leads there: the system's it is, as today.
  CHECK(first_edge(resolve({needing({"libz.so.1"}), stub}, {}, options)).answer == Answer::missing);
  // One that does leads to the wheel's own choice.
  const auto found =
      resolve({needing({"libz.so.1"}, {.runpath = "$ORIGIN/tests/data"}), stub}, {}, options);
  CHECK(first_edge(found).target == 1);
  // DT_RPATH is inherited, DT_RUNPATH is not, and of two the one that is found is taken.
  for (const bool inherits : {true, false}) {
    Library module{.needed = {"liba.so"}};
    (inherits ? module.rpath : module.runpath) = "$ORIGIN/lib";
    const auto graph =
        resolve({file("p/_x.so", module), file("p/lib/liba.so", {.needed = {"libz.so.1"}}),
                 file("p/lib/libz.so.1", {.build_id = "aa"}), stub},
                {}, options);
    const auto& edge = graph.nodes.at(1).edges.at(0);
    CHECK(edge.target == (inherits ? std::optional<NodeId>(2) : std::nullopt));
    CHECK(graph.warnings.empty());
  }
  // What no platform promises is the packager's, wherever it lies.
  options.is_promised = [](std::string_view) { return false; };
  CHECK(first_edge(resolve({needing({"libz.so.1"}), stub}, {}, options)).target == 1);
}

TEST_CASE(
    "a library of this machine takes the wheel's copy of a promised one where a load has it") {
  const Scratch scratch;
  scratch.library("build/libz.so.1");
  scratch.library("build/liba.so", scratch.at("build/libz.so.1"));
  auto options = hermetic(scratch);
  options.search = {scratch.at("build")};
  options.is_promised = [](std::string_view name) { return name.starts_with("libz"); };
  const auto answer = [&](Library module) {
    const auto graph =
        resolve({file("p/_x.so", std::move(module)), file("p/lib/libz.so.1", {})}, {}, options);
    const auto& host = graph.nodes.at(2);
    CHECK(host.path == scratch.at("build/liba.so"));
    return host.edges.at(0).answer;
  };
  CHECK(answer({.needed = {"liba.so"}}) == Answer::host);
  CHECK(answer({.needed = {"liba.so"}, .rpath = "$ORIGIN/lib"}) == Answer::sibling);
  CHECK(answer({.needed = {"liba.so"}, .runpath = "$ORIGIN/lib"}) == Answer::host);
  CHECK(answer({.needed = {"libz.so.1", "liba.so"}, .runpath = "$ORIGIN/lib"}) == Answer::sibling);
}
