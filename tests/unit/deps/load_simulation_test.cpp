// SPDX-License-Identifier: Apache-2.0
#include "unit/deps/layout_builder.hpp"

#include <doctest/doctest.h>

using namespace truewheel;
using namespace truewheel::deps;
using testing::file;
using testing::load;

namespace {

using Files = std::vector<WheelFile>;

LoadStep only_step(const Files& files, Libc libc = Libc::glibc, const LoaderMachine& machine = {}) {
  const auto steps = load(files, libc, machine);
  REQUIRE(steps.size() == 1);
  return steps.front();
}

const LoadStep& step_of(const std::vector<LoadStep>& steps, std::size_t needing,
                        std::string_view needed) {
  for (const auto& step : steps) {
    if (step.needing == needing && step.needed == needed) return step;
  }
  FAIL("no such step");
  return steps.front();
}

}  // namespace

TEST_CASE("a library is found by the entry of the needing file's own run path") {
  const auto step =
      only_step({file("p/_x.so", {.needed = {"liba.so"}, .runpath = "/abs:$ORIGIN/l"}),
                 file("p/l/liba.so", {})});
  CHECK(step.via == Via::runpath);
  CHECK(step.found == 1);
  CHECK(step.entry == "$ORIGIN/l");
  CHECK(step.entry_owner == 0);
  CHECK(only_step({file("p/_x.so", {.needed = {"liba.so"}, .rpath = "$ORIGIN/l"}),
                   file("p/l/liba.so", {})})
            .via == Via::rpath);
}

TEST_CASE("the first entry that has the library wins") {
  const auto step = only_step(
      {file("p/_x.so", {.needed = {"liba.so"}, .runpath = "$ORIGIN/n:$ORIGIN/../q:$ORIGIN"}),
       file("p/liba.so", {}), file("q/liba.so", {})});
  CHECK(step.found == 2);
  CHECK(step.entry == "$ORIGIN/../q");
}

TEST_CASE("a library beside the needing file is not found without a run path") {
  CHECK(only_step({file("p/_x.so", {.needed = {"liba.so"}}), file("p/liba.so", {})}).via ==
        Via::not_found);
}

TEST_CASE("DT_RUNPATH turns DT_RPATH off, an empty DT_RUNPATH too") {
  for (const char* runpath : {"/elsewhere", ""}) {
    CHECK(
        only_step({file("p/_x.so", {.needed = {"liba.so"}, .rpath = "$ORIGIN", .runpath = runpath}),
                   file("p/liba.so", {})})
            .via == Via::not_found);
  }
}

TEST_CASE("glibc inherits DT_RPATH along the chain of loaders, DT_RUNPATH never") {
  const auto chain = [](testing::Library root, testing::Library middle) {
    root.needed = {"liba.so"};
    middle.needed = {"libb.so"};
    return load({file("p/_x.so", std::move(root)), file("p/l/liba.so", std::move(middle)),
                 file("p/l/libb.so", {})});
  };
  const auto inherited = chain({.rpath = "$ORIGIN/l"}, {});
  CHECK(step_of(inherited, 1, "libb.so").via == Via::inherited_rpath);
  CHECK(step_of(inherited, 1, "libb.so").entry_owner == 0);

  CHECK(step_of(chain({.runpath = "$ORIGIN/l"}, {}), 1, "libb.so").via == Via::not_found);
  CHECK(step_of(chain({.rpath = "$ORIGIN/l"}, {.runpath = "/x"}), 1, "libb.so").via ==
        Via::not_found);
  CHECK(step_of(chain({.rpath = "$ORIGIN/l"}, {.rpath = "/x"}), 1, "libb.so").via ==
        Via::inherited_rpath);
}

TEST_CASE("an ancestor with DT_RUNPATH gives no DT_RPATH, but those behind it do") {
  const auto steps =
      load({file("p/run", {.needed = {"liba.so"}, .rpath = "$ORIGIN", .kind = elf::FileKind::pie}),
            file("p/liba.so", {.needed = {"libb.so"}, .rpath = "/no", .runpath = "$ORIGIN"}),
            file("p/libb.so", {.needed = {"libc1.so"}}), file("p/libc1.so", {})});
  CHECK(step_of(steps, 2, "libc1.so").via == Via::inherited_rpath);
  CHECK(step_of(steps, 2, "libc1.so").entry_owner == 0);
}

TEST_CASE("the chain goes by who loaded a file first, not by everyone who needs it") {
  // libb.so is loaded by the root (no run path of use below), then needed by libr.so whose RPATH
  // would help.
  const auto steps = load(
      {file("p/_x.so", {.needed = {"libb.so", "libr.so"}, .runpath = "$ORIGIN"}),
       file("p/libb.so", {.needed = {"libq.so"}}),
       file("p/libr.so", {.needed = {"libb.so"}, .rpath = "$ORIGIN/q"}), file("p/q/libq.so", {})});
  CHECK(step_of(steps, 1, "libq.so").via == Via::not_found);
  CHECK(step_of(steps, 2, "libb.so").via == Via::already_loaded);
}

TEST_CASE("loading is breadth-first, and what is loaded needs no search") {
  const auto steps =
      load({file("p/_x.so", {.needed = {"liba.so", "libb.so"}, .runpath = "$ORIGIN"}),
            file("p/liba.so", {.needed = {"libb.so"}}), file("p/libb.so", {})});
  REQUIRE(steps.size() == 3);
  CHECK(steps[1].needed == "libb.so");
  CHECK(steps[1].via == Via::runpath);
  CHECK(steps[2].via == Via::already_loaded);
  CHECK(steps[2].found == 2);
}

TEST_CASE("glibc matches what is loaded by its soname too, musl does not") {
  const Files files = {file("p/_x.so", {.needed = {"liba.so", "libb.so"}, .runpath = "$ORIGIN"}),
                       file("p/liba.so", {.soname = "liba.so.1"}),
                       file("p/libb.so", {.needed = {"liba.so.1"}})};
  CHECK(step_of(load(files), 2, "liba.so.1").found == 1);
  CHECK(step_of(load(files, Libc::musl), 2, "liba.so.1").via == Via::not_found);
}

TEST_CASE("the root itself is known by its soname only, until a search finds its file") {
  const Files files = {file("p/_x.so", {.needed = {"liba.so", "libb.so"}, .runpath = "$ORIGIN"}),
                       file("p/liba.so", {.needed = {"_x.so"}, .runpath = "$ORIGIN"}),
                       file("p/libb.so", {.needed = {"_x.so"}})};
  const auto steps = load(files);
  CHECK(step_of(steps, 1, "_x.so").via == Via::runpath);
  CHECK(step_of(steps, 1, "_x.so").found == 0);
  CHECK(step_of(steps, 2, "_x.so").via == Via::already_loaded);
  CHECK(steps.size() == 4);  // and it was not loaded a second time
}

TEST_CASE("two files of one name are two libraries, and the first one loaded wins") {
  const auto steps =
      load({file("p/_x.so", {.needed = {"liba.so", "libb.so"}, .runpath = "$ORIGIN/1"}),
            file("p/1/liba.so", {}),
            file("p/1/libb.so", {.needed = {"liba.so"}, .runpath = "$ORIGIN/../2"}),
            file("p/2/liba.so", {})});
  CHECK(step_of(steps, 2, "liba.so").found == 1);
}

TEST_CASE("a run path finds what the environment has as well; the rest is provided or missing") {
  const Files files = {
      file("p/_x.so", {.needed = {"libz.so.1", "libm.so.6", "libq.so"}, .runpath = "$ORIGIN"}),
      file("p/libz.so.1", {.needed = {"libm.so.6"}})};
  const auto steps = simulate_load(files, 0, Libc::glibc, [](const std::string& needed) {
    return needed == "libz.so.1" || needed == "libm.so.6";
  });
  CHECK(step_of(steps, 0, "libz.so.1").via == Via::runpath);
  CHECK(step_of(steps, 0, "libm.so.6").via == Via::provided);
  CHECK_FALSE(step_of(steps, 0, "libm.so.6").found);
  CHECK(step_of(steps, 0, "libq.so").via == Via::not_found);
}

TEST_CASE("one simulator answers for many roots as if each were alone") {
  const Files files = {file("p/_x.so", {.needed = {"liba.so"}, .runpath = "$ORIGIN/l"}),
                       file("p/_y.so", {.needed = {"liba.so"}}),
                       file("p/l/liba.so", {.needed = {"libm.so.6"}})};
  const LoadSimulator simulator(files);
  for (const Libc libc : {Libc::glibc, Libc::musl}) {
    for (const std::size_t root : {0U, 1U, 0U, 2U}) {
      CAPTURE(root);
      const auto steps = simulator.load(root, libc, testing::nothing_provided);
      const auto alone = simulate_load(files, root, libc, testing::nothing_provided);
      REQUIRE(steps.size() == alone.size());
      for (std::size_t i = 0; i < steps.size(); ++i) {
        CHECK(steps[i].needed == alone[i].needed);
        CHECK(steps[i].via == alone[i].via);
        CHECK(steps[i].found == alone[i].found);
      }
    }
  }
  CHECK(step_of(simulator.load(0, Libc::glibc, testing::nothing_provided), 0, "liba.so").found ==
        2);
  CHECK_FALSE(
      step_of(simulator.load(1, Libc::glibc, testing::nothing_provided), 1, "liba.so").found);
}

TEST_CASE("a name that the environment provided first stays provided") {
  const Files files = {
      file("p/_x.so", {.needed = {"libgomp.so.1", "liba.so"}, .runpath = "$ORIGIN"}),
      file("p/liba.so", {.needed = {"libgomp.so.1"}, .runpath = "$ORIGIN/l"}),
      file("p/l/libgomp.so.1", {})};
  const auto steps =
      simulate_load(files, 0, Libc::glibc, [](const auto& name) { return name == "libgomp.so.1"; });
  CHECK(step_of(steps, 1, "libgomp.so.1").via == Via::provided);
}

TEST_CASE("glibc skips a library of another class or machine, musl and bionic stop at it") {
  for (const testing::Library& other :
       {testing::Library{.bits = 32, .machine = 3}, testing::Library{.machine = 183}}) {
    const Files files = {file("p/_x.so", {.needed = {"liba.so"}, .runpath = "$ORIGIN/1:$ORIGIN/2"}),
                         file("p/1/liba.so", other), file("p/2/liba.so", {})};
    CHECK(only_step(files).found == 2);
    CHECK(only_step(files, Libc::musl).via == Via::not_found);
    CHECK(only_step(files, Libc::bionic).via == Via::not_found);
  }
}

TEST_CASE("a file that cannot be loaded ends the search") {
  for (const testing::Library& other :
       {testing::Library{.little_endian = false},
        testing::Library{.kind = elf::FileKind::relocatable},
        testing::Library{.kind = elf::FileKind::pie, .dt_flags_1 = 0x08000000},
        testing::Library{.dt_flags_1 = 0x40}}) {
    const Files files = {file("p/_x.so", {.needed = {"liba.so"}, .runpath = "$ORIGIN/1:$ORIGIN/2"}),
                         file("p/1/liba.so", other), file("p/2/liba.so", {})};
    CHECK(only_step(files).via == Via::not_found);
    CHECK_FALSE(only_step(files).found);
  }
}

TEST_CASE("each folder on an entry's way must be there, also one that .. leaves again") {
  const auto find = [](const char* runpath) {
    return only_step({file("p/_x.so", {.needed = {"liba.so"}, .runpath = runpath}),
                      file("l/liba.so", {})})
        .via;
  };
  CHECK(find("$ORIGIN/../l") == Via::runpath);
  CHECK(find("$ORIGIN/./..//l/") == Via::runpath);
  CHECK(find("$ORIGIN/../l/../p/../l") == Via::runpath);
  CHECK(find("$ORIGIN/gone/../../l") == Via::not_found);
  CHECK(find("$ORIGIN/_x.so/../../l") == Via::not_found);
  CHECK(find("$ORIGIN/../../site-packages/l") == Via::not_found);
}

TEST_CASE("tokens of the machine are dropped unless the machine is known") {
  const auto find = [](const char* runpath, const LoaderMachine& machine) {
    return only_step({file("p/_x.so", {.needed = {"liba.so"}, .runpath = runpath}),
                      file("p/lib64/x/liba.so", {}), file("p/$OTHER/liba.so", {})},
                     Libc::glibc, machine)
        .found;
  };
  LoaderMachine machine;
  machine.lib = "lib64";
  machine.platform = "x";
  CHECK(find("$ORIGIN/$LIB/${PLATFORM}", machine) == 1);
  CHECK_FALSE(find("$ORIGIN/$LIB/${PLATFORM}", {}));
  CHECK_FALSE(find("$ORIGIN/lib64/$PLATFORM", {}));
  CHECK(find("$ORIGIN/$OTHER", {}) == 2);
}

TEST_CASE("the processor's own subfolders are tried first where they are known") {
  const Files files = {file("p/_x.so", {.needed = {"liba.so"}, .runpath = "$ORIGIN"}),
                       file("p/liba.so", {}), file("p/glibc-hwcaps/x86-64-v3/liba.so", {})};
  CHECK(only_step(files).found == 1);
  LoaderMachine machine;
  machine.subfolders = {"glibc-hwcaps/x86-64-v3"};
  CHECK(only_step(files, Libc::glibc, machine).found == 2);
  CHECK(only_step(files, Libc::glibc, machine).entry == "$ORIGIN");
}

TEST_CASE("NEEDED with a slash is that file, with its tokens expanded by glibc alone") {
  const Files files = {file("p/_x.so", {.needed = {"$ORIGIN/../q/liba.so"}}),
                       file("q/liba.so", {})};
  CHECK(only_step(files).via == Via::path);
  CHECK(only_step(files).found == 1);
  CHECK(only_step(files, Libc::musl).via == Via::not_found);
  CHECK(only_step({file("p/_x.so", {.needed = {"/build/liba.so"}, .runpath = "$ORIGIN"}),
                   file("p/liba.so", {})})
            .via == Via::not_found);
  CHECK(only_step({file("p/_x.so", {.needed = {"./liba.so"}, .runpath = "$ORIGIN"}),
                   file("p/liba.so", {})})
            .via == Via::not_found);
}

TEST_CASE("a path that names what is loaded already loads nothing twice") {
  const auto steps =
      load({file("p/_x.so", {.needed = {"liba.so", "$ORIGIN/liba.so"}, .runpath = "$ORIGIN"}),
            file("p/liba.so", {.needed = {"libc1.so"}})});
  CHECK(steps[1].via == Via::already_loaded);
  CHECK(steps[1].found == 1);
  CHECK(steps.size() == 3);
}

TEST_CASE("a soname that is a path matches a needed path") {
  const auto steps =
      load({file("p/_x.so", {.needed = {"liba.so", "/b/liba.so"}, .rpath = "$ORIGIN"}),
            file("p/liba.so", {.soname = "/b/liba.so"})});
  CHECK(steps[1].via == Via::already_loaded);
}

TEST_CASE("musl inherits run paths of both kinds from the files that needed a file") {
  for (const bool runpath : {false, true}) {
    testing::Library root{.needed = {"liba.so"}};
    (runpath ? root.runpath : root.rpath) = "$ORIGIN/l";
    const auto steps = load({file("p/_x.so", root),
                             file("p/l/liba.so", {.needed = {"libb.so"}, .runpath = "/elsewhere"}),
                             file("p/l/libb.so", {})},
                            Libc::musl);
    CHECK(steps[0].via == (runpath ? Via::runpath : Via::rpath));
    CHECK(step_of(steps, 1, "libb.so").via == Via::inherited_rpath);
    CHECK(step_of(steps, 1, "libb.so").entry_owner == 0);
  }
}

TEST_CASE("musl turns a run path with any other dollar sign off and knows no word boundary") {
  const auto find = [](const char* runpath) {
    return only_step({file("p/_x.so", {.needed = {"liba.so"}, .runpath = runpath}),
                      file("p/liba.so", {}), file("px/liba.so", {})},
                     Libc::musl)
        .found;
  };
  CHECK(find("${ORIGIN}") == 1);
  CHECK(find("/a\n$ORIGIN") == 1);
  CHECK(find("$ORIGINx") == 2);
  CHECK(find("$ORIGIN:$LIB") == std::nullopt);
  CHECK(find("$ORIGIN:/a$b") == std::nullopt);
  CHECK(find("::$ORIGIN") == 1);
}

TEST_CASE("musl answers the names of its own parts itself") {
  for (const char* name : {"libc.musl-x86_64.so.1", "libpthread.so.0", "libm.so.6", "librt.so"}) {
    CHECK(only_step({file("p/_x.so", {.needed = {name}})}, Libc::musl).via == Via::provided);
    CHECK(only_step({file("p/_x.so", {.needed = {name}})}).via == Via::not_found);
  }
}

TEST_CASE("bionic reads DT_RUNPATH only and knows loaded libraries by soname or file name") {
  CHECK(only_step(
            {file("p/_x.so", {.needed = {"liba.so"}, .rpath = "$ORIGIN"}), file("p/liba.so", {})},
            Libc::bionic)
            .via == Via::not_found);
  const auto steps =
      load({file("p/_x.so", {.needed = {"liba.so", "libb.so"}, .runpath = "$ORIGIN:$ORIGIN/$LIB"}),
            file("p/liba.so", {.soname = "libother.so"}),
            file("p/lib64/libb.so", {.needed = {"libother.so", "_x.so"}})},
           Libc::bionic);
  CHECK(step_of(steps, 0, "libb.so").entry == "$ORIGIN/$LIB");
  CHECK(step_of(steps, 2, "libother.so").found == 1);
  CHECK(step_of(steps, 2, "_x.so").via == Via::already_loaded);
}

TEST_CASE("glibc holds the versions that are needed against what bears the library's name") {
  const std::vector<elf::VersionNeed> needs = {
      {"libb.so", {{"B_1", false}, {"B_2", false}, {"B_3", true}}}};
  const auto faults = [](const std::vector<WheelFile>& layout) {
    return version_faults(layout, 0, load(layout));
  };
  const auto module = [&](std::vector<std::string> needed) {
    return file("_x.so",
                {.needed = std::move(needed), .runpath = "$ORIGIN", .version_needs = needs});
  };
  SUBCASE("a version is not defined") {
    const auto found =
        faults({module({"libb.so"}), file("libb.so", {.version_definitions = {"B_1"}})});
    REQUIRE(found.size() == 1);
    CHECK(found[0].needing == 0);
    CHECK(found[0].loaded == 1);
    CHECK(found[0].lacking == std::vector<std::string>{"B_2"});
  }
  SUBCASE("no version is defined at all") {
    CHECK(faults({module({"libb.so"}), file("libb.so", {})}).empty());
  }
  SUBCASE("the library comes in through another one") {
    CHECK(
        faults({module({"liba.so"}), file("liba.so", {.needed = {"libb.so"}, .runpath = "$ORIGIN"}),
                file("libb.so", {.version_definitions = {"B_1", "B_2"}})})
            .empty());
  }
  SUBCASE("by its SONAME") {
    CHECK(faults({module({"liba.so"}),
                  file("liba.so", {.soname = "libb.so", .version_definitions = {"B_1", "B_2"}})})
              .empty());
  }
  SUBCASE("nothing that is loaded has the name") {
    const auto found = faults({module({"liba.so"}), file("liba.so", {})});
    REQUIRE(found.size() == 1);
    CHECK(found[0].library == "libb.so");
    CHECK_FALSE(found[0].loaded);
  }
  SUBCASE("the environment has it") {
    const std::vector<WheelFile> layout = {module({"libb.so"})};
    const auto all = [](const std::string&) { return true; };
    CHECK(version_faults(layout, 0, simulate_load(layout, 0, Libc::glibc, all)).empty());
  }
}
