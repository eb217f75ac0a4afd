// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"
#include "elf/encode.hpp"
#include "elf/symbol_versions.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace truewheel::elf::test {
namespace {

const std::string kLong(350, 'y');
const char* const kPlain =
    "int data = 5; int zeros[3000]; __thread int tls = 3;\n"
    "int run(void) { tls++; return data + zeros[2999] + tls; }\n";

/// Four versioned libraries and one that calls them all, as in patchelf issue 84.
Buffer build_versioned(const Bench& bench) {
  std::string calls = "0", declarations, libraries;
  for (const char* name : {"a", "b", "c", "d"}) {
    const std::string n = name;
    bench.write(n + ".map", "V_" + n + " { global: f_" + n + "; };\n");
    bench.write(n + ".c", "int f_" + n + "(void) { return 1; }\n");
    bench.must("gcc -shared -fPIC -Wl,-soname,lib" + n + ".so.1 -Wl,--version-script=" + n +
               ".map -o lib" + n + ".so.1 " + n + ".c");
    declarations += "int f_" + n + "(void);\n";
    calls += " + f_" + n + "()";
    libraries += " lib" + n + ".so.1";
  }
  return bench.build_file("user.so", declarations + "int run(void) { return " + calls + "; }\n",
                          "-shared -fPIC" + libraries);
}

TEST_CASE("an edit that is in force already has no patch") {
  const Buffer library =
      build(kPlain, "-shared -fPIC -Wl,-soname,libx.so -Wl,--disable-new-dtags,-rpath,/opt/x");
  ElfEdit edit = set_rpath("/opt/x");
  edit.soname = "libx.so";
  edit.replace_needed["libabsent.so"] = "libother.so";
  edit.remove_needed = {"libabsent.so"};
  CHECK(plan_edit(library, edit).changes_nothing(library.size()));
  CHECK(elf::edit(library, edit).bytes == library);
  edit.run_path->value().kind = RunPathKind::runpath;
  CHECK_FALSE(plan_edit(library, edit).changes_nothing(library.size()));
}

TEST_CASE(
    "an edited library runs and says what was wished, with no byte of growth where there is "
    "padding") {
  const Bench bench;
  const Buffer library =
      bench.build_file("x.so", kPlain, "-shared -fPIC -Wl,-z,separate-code -Wl,-soname,libx.so");
  ElfEdit wishes = set_rpath(kLong);
  wishes.soname = "libx-12345678.so";
  const Edited edited = elf::edit(library, wishes);
  CHECK(edited.patches.growth == 0);
  CHECK(edited.bytes.size() == library.size());
  CHECK(bench.load(edited.bytes) == bench.load(library));
  CHECK(texts_of(edited.bytes, dt::kRpath) == std::vector<std::string>{kLong});
  CHECK(texts_of(edited.bytes, dt::kRunpath).empty());
  CHECK(texts_of(edited.bytes, dt::kSoname) == std::vector<std::string>{"libx-12345678.so"});
}

TEST_CASE(
    "a LOAD of an earlier edit that cannot grow goes with its strings, and strip finds none "
    "empty") {
  const Bench bench;
  const Buffer built = bench.build_file("x.so", kPlain,
                                        "-shared -fPIC -Wl,-z,noseparate-code -Wl,-z,norelro "
                                        "-Wl,--eh-frame-hdr -Wl,-rpath,/opt/first");
  // With an unused program header no other table leaves its place, and the strings are alone.
  const ElfImage image(built);
  std::vector<Segment> segments = image.segments();
  const auto spare = std::find_if(segments.begin(), segments.end(), [](const Segment& segment) {
    return segment.type == pt::kGnuEhFrame;
  });
  REQUIRE(spare != segments.end());
  *spare = {};
  const Buffer library =
      with_bytes_at(built, image.header().phoff, Encoder(image.header()).segments(segments));
  Buffer file = elf::edit(library, set_rpath(std::string(3000, 'p'))).bytes;
  const std::size_t loads = count_loads(file);
  REQUIRE(loads > count_loads(library));
  const std::string payload(5000, 'P');
  file.insert(file.end(), payload.begin(), payload.end());
  for (const std::size_t length : {std::size_t{9000}, std::size_t{20000}}) {
    const std::size_t before = file.size();
    file = elf::edit(file, set_rpath(std::string(length, 'q'))).bytes;
    CHECK(count_loads(file) == loads);
    CHECK(file.size() > before);
    CHECK(std::search(file.begin(), file.end(), payload.begin(), payload.end()) != file.end());
    CHECK(bench.load(file) == bench.load(library));
    write_file(bench / "strip.so", file);
    bench.must("strip strip.so");
    CHECK(bench.load(read_file(bench / "strip.so")) == bench.load(library));
    file.insert(file.end(), payload.begin(), payload.end());
  }
}

// https://github.com/NixOS/patchelf/issues/162
TEST_CASE("a shorter run path keeps a symbol whose name is the tail of the old one") {
  const Bench bench;
  bench.write("tail.c", "int lib = 40;\n");
  bench.must("gcc -shared -fPIC -Wl,-soname,libtail.so -o libtail.so tail.c");
  const Buffer library =
      bench.build_file("x.so", "extern int lib; int run(void) { return lib + 2; }\n",
                       "-shared -fPIC libtail.so -Wl,-rpath,/opt/zzz/lib");
  for (const char* path : {"$ORIGIN", "/s", ""}) {
    const Edited edited = elf::edit(library, set_rpath(path));
    CHECK(edited.patches.growth == 0);
    CHECK(bench.load(edited.bytes) == "42\n");
  }
  ElfEdit removal;
  removal.run_path.emplace(std::nullopt);
  const Edited edited = elf::edit(library, removal);
  CHECK(bench.load(edited.bytes) == "42\n");
  CHECK(texts_of(edited.bytes, dt::kRunpath).empty());
}

// https://github.com/pypa/auditwheel/issues/159
TEST_CASE("a new SONAME leaves a version of the same name alone") {
  const Bench bench;
  bench.write("v.map", "libv.so.1 { global: f; };\n");
  const Buffer library =
      bench.build_file("libv.so.1", "int f(void) { return 6; }\n",
                       "-shared -fPIC -Wl,-soname,libv.so.1,--version-script=v.map");
  const Buffer user = bench.build_file("x.so", "int f(void); int run(void) { return f(); }\n",
                                       "-shared -fPIC libv.so.1");
  for (const char* soname : {"v", "libv-a1b2c3d4.so.1"}) {
    ElfEdit renaming;
    renaming.soname = soname;
    const Buffer renamed = elf::edit(library, renaming).bytes;
    write_file(bench / soname, renamed);
    ElfEdit following;
    following.replace_needed["libv.so.1"] = soname;
    CHECK(bench.load(elf::edit(user, following).bytes) == "6\n");
  }
}

// https://github.com/NixOS/patchelf/issues/84
TEST_CASE("renamed libraries are renamed in every version need") {
  const Bench bench;
  const Buffer library = build_versioned(bench);
  ElfEdit wishes = set_rpath("$ORIGIN/" + kLong);
  for (const char* name : {"a", "b", "c", "d"}) {
    const std::string old_name = std::string("lib") + name + ".so.1";
    const std::string new_name = std::string("lib") + name + "-0123456789abcdef" +
                                 std::string(name[0] == 'c' ? 80 : 0, 'n') + ".so.1";
    fs::copy_file(bench / old_name, bench / new_name);
    wishes.replace_needed[old_name] = new_name;
  }
  const Edited edited = elf::edit(library, wishes);
  CHECK(bench.load(edited.bytes) == "4\n");
  CHECK(elf::edit(edited.bytes, wishes).bytes == edited.bytes);
  const ElfImage image(edited.bytes);
  for (const VersionNeedRecord& record : read_version_needs(image).records) {
    const auto needed = texts_of(edited.bytes, dt::kNeeded);
    CHECK(std::count(needed.begin(), needed.end(), image.dynamic_string(record.file)) == 1);
  }
}

TEST_CASE("the library of a filter is renamed, and a NEEDED entry of that name is not") {
  const Bench bench;
  const Buffer library = bench.build_file("libfront.so", "int f;",
                                          "-shared -fPIC -Wl,-F,libreal.so -Wl,-f,libmore.so");
  ElfEdit wishes;
  for (const char* name : {"libreal-0123456789abcdef.so", "r.so"}) {
    wishes.replace_filtees = {{"libreal.so", name}, {"libc.so.6", "libother.so"}};
    const Edited edited = elf::edit(library, wishes);
    CHECK(texts_of(edited.bytes, dt::kFilter) == std::vector<std::string>{name});
    CHECK(texts_of(edited.bytes, dt::kAuxiliary) == std::vector<std::string>{"libmore.so"});
    CHECK(texts_of(edited.bytes, dt::kNeeded) == texts_of(library, dt::kNeeded));
    CHECK(elf::edit(edited.bytes, wishes).bytes == edited.bytes);
  }
  wishes.replace_filtees = {{"libreal.so", "lib\x01.so"}};
  CHECK_THROWS_AS(static_cast<void>(elf::edit(library, wishes)), Error);
}

// https://github.com/NixOS/patchelf/issues/359
TEST_CASE("edits made at once say the same as edits made one by one") {
  const Bench bench;
  const Buffer library = build_versioned(bench);
  std::vector<ElfEdit> steps(4);
  steps[0].soname = "libsoname-" + std::string(90, 's') + ".so";
  steps[1].replace_needed = {{"liba.so.1", "liba-11111111.so.1"}, {"libb.so.1", "libb-2.so.1"}};
  steps[2] = set_rpath(kLong);
  steps[3].add_needed = {"libz.so.9"};
  ElfEdit at_once = steps[2];
  at_once.soname = steps[0].soname;
  at_once.replace_needed = steps[1].replace_needed;
  at_once.add_needed = steps[3].add_needed;
  const Buffer expected = elf::edit(library, at_once).bytes;
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    Buffer bytes = library;
    for (const std::size_t step : order) bytes = elf::edit(bytes, steps[step]).bytes;
    for (const std::int64_t tag : {dt::kNeeded, dt::kSoname, dt::kRpath, dt::kRunpath}) {
      CHECK(texts_of(bytes, tag) == texts_of(expected, tag));
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// https://github.com/NixOS/patchelf/issues/214
TEST_CASE("a removed library takes its version need along, wherever that stands in the chain") {
  const Bench bench;
  const Buffer library = build_versioned(bench);
  for (const char* name : {"a", "b", "c", "d"}) {
    ElfEdit wishes;
    wishes.remove_needed = {std::string("lib") + name + ".so.1"};
    const Buffer edited = elf::edit(library, wishes).bytes;
    write_file(bench / "edited.so", edited);
    // The symbol is found elsewhere now, without a version.
    bench.must("env LD_BIND_NOW=1 LD_LIBRARY_PATH=. LD_PRELOAD=./lib" + std::string(name) +
               ".so.1 ./loader ./edited.so");
    CHECK(bench.log() == "4\n");
    CHECK(elf::edit(edited, wishes).bytes == edited);
  }
}

TEST_CASE("without any version need left glibc still loads the library") {
  const Bench bench;
  const Buffer library = build_versioned(bench);
  ElfEdit wishes;
  wishes.remove_needed = {"liba.so.1", "libb.so.1", "libc.so.6", "libc.so.1", "libd.so.1"};
  const Buffer edited = elf::edit(library, wishes).bytes;
  const ElfImage image(edited);
  if (image.dynamic_value(dt::kVerNeed)) {
    ElfEdit rest;
    for (const VersionNeedRecord& record : read_version_needs(image).records) {
      rest.remove_needed.emplace_back(image.dynamic_string(record.file));
    }
    write_file(bench / "edited.so", elf::edit(edited, rest).bytes);
  } else {
    write_file(bench / "edited.so", edited);
  }
  CHECK_FALSE(ElfImage(read_file(bench / "edited.so")).dynamic_value(dt::kVerNeed));
  bench.must(
      "env LD_BIND_NOW=1 LD_LIBRARY_PATH=. LD_PRELOAD='./liba.so.1 ./libb.so.1 ./libc.so.1 "
      "./libd.so.1' ./loader ./edited.so");
  CHECK(bench.log() == "4\n");
  bench.must("nm -D edited.so && readelf -aW edited.so && strip edited.so");
  bench.must(
      "env LD_BIND_NOW=1 LD_LIBRARY_PATH=. LD_PRELOAD='./liba.so.1 ./libb.so.1 ./libc.so.1 "
      "./libd.so.1' ./loader ./edited.so");
}

TEST_CASE("a library renamed to the name of another needed one leaves both entries") {
  const Bench bench;
  const Buffer library = build_versioned(bench);
  ElfEdit wishes;
  wishes.replace_needed["libb.so.1"] = "liba.so.1";
  wishes.remove_needed = {"libb.so.1-not-there"};
  const Buffer edited = elf::edit(library, wishes).bytes;
  const auto needed = texts_of(edited, dt::kNeeded);
  CHECK(std::count(needed.begin(), needed.end(), "liba.so.1") == 2);
  CHECK(elf::edit(edited, wishes).bytes == edited);
}

TEST_CASE("added libraries come first, in their order, and only once") {
  const Buffer library = build(kPlain, "-shared -fPIC -Wl,--no-as-needed -lm -lc");
  ElfEdit wishes;
  wishes.add_needed = {"libfirst.so", "libm.so.6", "libsecond.so", "libfirst.so"};
  const Buffer edited = elf::edit(library, wishes).bytes;
  auto expected = texts_of(library, dt::kNeeded);
  REQUIRE(std::count(expected.begin(), expected.end(), "libm.so.6") == 1);
  expected.insert(expected.begin(), {"libfirst.so", "libsecond.so"});
  CHECK(texts_of(edited, dt::kNeeded) == expected);
  CHECK(elf::edit(edited, wishes).bytes == edited);
}

// https://github.com/NixOS/patchelf/issues/96
TEST_CASE("ten growing edits add at most one LOAD and grow by their strings") {
  const Bench bench;
  for (const char* options :
       {"-shared -fPIC -Wl,-z,noseparate-code", "-shared -fPIC -fuse-ld=lld",
        "-shared -fPIC -fuse-ld=gold", "-shared -fPIC -Wl,-z,max-page-size=65536",
        "-shared -fPIC -Wl,-z,max-page-size=0x200000"}) {
    const Buffer library = bench.build_file("x.so", kPlain, options);
    Buffer bytes = library;
    for (std::size_t i = 1; i <= 10; ++i) {
      ElfEdit wishes = set_rpath("/p" + std::string(200 * i, static_cast<char>('a' + i)));
      wishes.soname = "lib" + std::string(100 * i, static_cast<char>('A' + i)) + ".so";
      bytes = elf::edit(bytes, wishes).bytes;
    }
    INFO(options);
    CHECK(bench.load(bytes) == bench.load(library));
    CHECK(count_loads(bytes) <= count_loads(library) + 1);
    // 2000 + 1000 bytes are alive in the end; all that ever lived are 16500.
    CHECK(bytes.size() - library.size() < 16500 + 2048);
    // Going back and forth between two states does not grow any more.
    const std::size_t size = bytes.size();
    for (int i = 0; i < 6; ++i)
      bytes = elf::edit(bytes, set_rpath(i % 2 == 0 ? "/x" : "/p" + std::string(1900, 'z'))).bytes;
    CHECK(bytes.size() == size);
  }
}

TEST_CASE(
    "a zero-initialised section whose offset names the file's end stays out of what a LOAD gains") {
  // eu-strip leaves such offsets in files of mold.
  const Bench bench;
  const Buffer library = bench.build_file("x.so", kPlain, "-shared -fPIC -fuse-ld=lld -s");
  Buffer bytes = elf::edit(library, set_rpath("/p" + std::string(100, 'p'))).bytes;
  std::uint64_t end = 0, header = 0;
  {
    const ElfImage image(bytes);
    for (const Segment& load : image.segments()) {
      if (load.type == pt::kLoad) end = std::max(end, load.offset + load.filesz);
    }
    for (std::size_t i = 0; i < image.sections().size(); ++i) {
      if (image.sections()[i].type == sht::kNobits && (image.sections()[i].flags & shf::kTls) == 0)
        header = image.header().shoff + i * 64;
    }
  }
  REQUIRE(header != 0);
  for (const std::uint64_t offset : {end, end + 6}) {
    for (int i = 0; i < 8; ++i)
      bytes[static_cast<std::size_t>(header) + 24 + static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(offset >> (8 * i));
    const Buffer edited = elf::edit(bytes, set_rpath("/q" + std::string(3000, 'q'))).bytes;
    CHECK(bench.load(edited) == bench.load(library));
    const ElfImage image(edited);
    for (const Section& section : image.sections()) {
      if (section.type != sht::kNobits) continue;
      for (const Segment& load : image.segments()) {
        const bool inside = load.type == pt::kLoad && load.vaddr > section.addr &&
                            section.offset > load.offset &&
                            section.offset < load.offset + load.filesz;
        CHECK_FALSE(inside);
      }
    }
  }
}

TEST_CASE(
    "an empty section whose offset names the file's end does not let eu-strip clear strings") {
  // llvm-objcopy leaves .tm_clone_table so, and libelf fills with zeros from there.
  const Bench bench;
  const Buffer library = bench.build_file("x.so", "int zeros[30]; int run(void) { return 42; }\n",
                                          "-shared -fPIC -fuse-ld=lld");
  Buffer bytes = elf::edit(library, set_rpath("/p" + std::string(100, 'p'))).bytes;
  std::uint64_t end = 0, header = 0;
  {
    const ElfImage image(bytes);
    for (const Segment& load : image.segments()) {
      if (load.type == pt::kLoad) end = std::max(end, load.offset + load.filesz);
    }
    for (std::size_t i = 0; i < image.sections().size(); ++i) {
      if (image.sections()[i].type == sht::kNobits) header = image.header().shoff + i * 64;
    }
  }
  REQUIRE(header != 0);
  const auto set_word = [&](std::uint64_t place, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i)
      bytes[static_cast<std::size_t>(header + place) + static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(value >> (8 * i));
  };
  set_word(4, sht::kProgbits, 4);
  set_word(24, end + 4, 8);
  set_word(32, 0, 8);
  const Buffer edited = elf::edit(bytes, set_rpath("/q" + std::string(3000, 'q'))).bytes;
  CHECK(bench.load(edited) == "42\n");
  bench.must("eu-strip -o stripped.so edited.so && env LD_BIND_NOW=1 ./loader ./stripped.so");
  CHECK(bench.log() == "42\n");
  CHECK(texts_of(read_file(bench / "stripped.so"), dt::kRpath) ==
        std::vector<std::string>{"/q" + std::string(3000, 'q')});
}

TEST_CASE("what alone tells the number of symbols stays behind them") {
  // No section headers, and a hash table that hashes nothing.
  const Bench bench;
  Buffer program =
      bench.build_file("p", "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }\n",
                       "-fuse-ld=lld -Wl,--hash-style=gnu");
  std::fill_n(program.begin() + 40, 8, std::uint8_t{0});
  std::fill_n(program.begin() + 60, 4, std::uint8_t{0});
  const ElfImage before(program);
  REQUIRE(before.stated_symbol_count() == 0);
  REQUIRE(before.dynamic_symbol_count() != 0);
  Buffer bytes = program;
  for (int i = 1; i <= 3; ++i) {
    ElfEdit edit = set_rpath("/p" + std::string(200 * static_cast<std::size_t>(i), 'p'));
    edit.soname = "libs" + std::string(static_cast<std::size_t>(i) * 30, 's');
    bytes = elf::edit(bytes, edit).bytes;
    CHECK(ElfImage(bytes).dynamic_symbol_count() == before.dynamic_symbol_count());
    CHECK(bench.execute(bytes) == "ran\n");
  }
}

TEST_CASE("a large string table begins earlier where it cannot end later") {
  const Bench bench;
  std::string names;
  for (int i = 0; i < 3000; ++i)
    names += "int a_rather_long_name_of_a_symbol_" + std::to_string(i) + ";\n";
  for (const char* options : {"-fuse-ld=lld", "-fuse-ld=lld -Wl,--hash-style=both", "-nostdlib"}) {
    const bool calls = std::string(options).find("nostdlib") == std::string::npos;
    const std::string text =
        (calls ? "int getpid(void); int run(void) { return 42 + (getpid() == 0); }\n"
               : "int run(void) { return 42; }\n") +
        names;
    const Buffer library =
        bench.build_file("x.so", text, std::string("-shared -fPIC -Wl,-soname,libx.so ") + options);
    INFO(options);
    const Buffer once = elf::edit(library, set_rpath("/p" + std::string(1000, 'p'))).bytes;
    // The names have more than 100 KB; .gnu.hash has 7 bytes a symbol.
    CHECK(once.size() - library.size() < 26000);
    CHECK(bench.load(once) == "42\n");
    for (const char* strip : {"strip", "eu-strip", "llvm-strip"}) {
      bench.must(std::string(strip) +
                 " -o stripped.so edited.so && env LD_BIND_NOW=1 ./loader ./stripped.so");
      CHECK(bench.log() == "42\n");
    }
    const Buffer twice = elf::edit(once, set_rpath("/q" + std::string(1000, 'q'))).bytes;
    CHECK(twice.size() == once.size());
    CHECK(bench.load(twice) == "42\n");
  }
}

TEST_CASE("the table of program headers grows a second time over what the first time left") {
  const Bench bench;
  const Buffer program =
      bench.build_file("p", "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }\n",
                       "-fuse-ld=lld -Wl,-z,nognustack -Wl,--hash-style=sysv -Wl,--build-id");
  ElfEdit stack;
  stack.executable_stack = false;
  const Buffer once = elf::edit(program, set_rpath("/p" + std::string(300, 'p'))).bytes;
  REQUIRE(count_loads(once) == count_loads(program) + 1);
  const Buffer twice = elf::edit(once, stack).bytes;
  CHECK(bench.execute(twice) == "ran\n");
  CHECK(ElfImage(twice).header().phoff == 64);
  bench.must(
      "strip -o stripped edited && ./stripped && llvm-strip -o stripped edited && ./stripped");
  CHECK(bench.log() == "ran\nran\n");
}

TEST_CASE("a table that gave way leaves its bytes to the strings of later edits") {
  const Bench bench;
  std::string source = "int getpid(void); int run(void) { return 42 + (getpid() == 0); }\n";
  for (int i = 0; i < 3000; ++i)
    source += "int a_rather_long_name_of_a_symbol_" + std::to_string(i) + ";\n";
  for (const char* linker : {"-fuse-ld=bfd", "-fuse-ld=gold"}) {
    const Buffer library = bench.build_file(
        "x.so", source, std::string("-shared -fPIC -Wl,-soname,libx.so ") + linker);
    Buffer bytes = elf::edit(library, set_rpath("/p" + std::string(3000, 'p'))).bytes;
    INFO(linker);
    // The names alone have more than 100 KB; .gnu.hash and .gnu.version have less.
    CHECK(bytes.size() - library.size() < 40000);
    const std::size_t size = bytes.size();
    for (const char letter : {'q', 'r', 's'}) {
      ElfEdit wishes = set_rpath("/p" + std::string(3000, letter));
      wishes.soname = "libx-" + std::string(8, letter) + ".so";
      bytes = elf::edit(bytes, wishes).bytes;
      CHECK(bytes.size() == size);
      CHECK(bench.load(bytes) == "42\n");
    }
  }
}

// https://github.com/NixOS/patchelf/issues/569
TEST_CASE("a library without section headers is edited in the same way") {
  const Bench bench;
  Buffer library = bench.build_file("x.so", kPlain, "-shared -fPIC -Wl,-soname,libx.so");
  std::fill_n(library.begin() + 40, 8, std::uint8_t{0});
  std::fill_n(library.begin() + 60, 4, std::uint8_t{0});
  ElfEdit wishes = set_rpath(kLong);
  wishes.soname = "libx-" + std::string(500, 's') + ".so";
  const Edited edited = elf::edit(library, wishes);
  CHECK(bench.load(edited.bytes) == bench.load(library));
  CHECK(elf::edit(edited.bytes, wishes).bytes == edited.bytes);
}

TEST_CASE("bytes behind the ELF file stay where they are") {
  const Bench bench;
  Buffer library = bench.build_file("x.so", kPlain, "-shared -fPIC -fuse-ld=lld");
  const std::size_t end = library.size();
  library.resize(end + 65536, 0x5a);
  const Edited edited = elf::edit(library, set_rpath(kLong));
  CHECK(edited.patches.growth > 0);
  CHECK(edited.patches.keep == library.size());
  CHECK(std::equal(library.begin() + static_cast<std::ptrdiff_t>(end), library.end(),
                   edited.bytes.begin() + static_cast<std::ptrdiff_t>(end)));
  CHECK(bench.load(edited.bytes) == bench.load(library));
}

// https://github.com/NixOS/patchelf/issues/639
TEST_CASE("a library of lld keeps its init function and constructors") {
  const Bench bench;
  const Buffer library =
      bench.build_file("x.so",
                       "static int n; void my_init(void) { n += 4; } __attribute__((constructor)) "
                       "static void c(void) { n += 8; }\n"
                       "int run(void) { return n; }\n",
                       "-shared -fPIC -fuse-ld=lld -nostartfiles -Wl,-init,my_init");
  CHECK(bench.load(library) == "12\n");
  CHECK(bench.load(elf::edit(library, set_rpath(kLong)).bytes) == "12\n");
}

// https://github.com/kvcache-ai/Mooncake/issues/1571
TEST_CASE("payload right behind the program headers does not move") {
  const Bench bench;
  bench.write(
      "fat.ld",
      "SECTIONS { .nv_fatbin : { KEEP(*(.nv_fatbin)) } } INSERT BEFORE .note.gnu.build-id;\n");
  const Buffer program =
      bench.build_file("x",
                       "#include <stdio.h>\nconst char fat[2512] "
                       "__attribute__((section(\".nv_fatbin\"))) = \"payload\";\n"
                       "const char *w = fat; int main(void) { puts(w); return 0; }\n",
                       "-pie -fPIE -Wl,--build-id -Wl,-T,fat.ld");
  for (const std::size_t length : {100U, 900U, 9000U, 40000U}) {
    const Edited edited = elf::edit(program, set_rpath("/" + std::string(length, 'z')));
    CHECK(bench.execute(edited.bytes) == "payload\n");
  }
}

TEST_CASE(
    "programs of either kind run after an edit, by themselves and through the dynamic linker") {
  const Bench bench;
  const char* source =
      "#include <stdio.h>\n#include <stdlib.h>\nint zeros[80000];\nint main(void) { char *p = "
      "malloc(1 << 20);"
      " p[5] = 1; for (int i = 0; i < 80000; ++i) if (zeros[i]) return 1; puts(\"fine\"); return "
      "0; }\n";
  for (const char* options :
       {"-pie -fPIE", "-no-pie -fno-pie", "-no-pie -fno-pie -Wl,-z,max-page-size=65536",
        "-pie -fPIE -fuse-ld=lld", "-no-pie -fno-pie -fuse-ld=lld",
        "-no-pie -fno-pie -fuse-ld=gold", "-no-pie -fno-pie -Wl,-z,max-page-size=0x200000"}) {
    const Buffer program = bench.build_file("x", source, options);
    for (const std::size_t length : {60U, 5000U}) {
      INFO(options << " " << length);
      const Edited edited = elf::edit(program, set_rpath("/" + std::string(length, 'z')));
      CHECK(bench.execute(edited.bytes) == "fine\n");
      bench.must("/lib64/ld-linux-x86-64.so.2 ./edited");
    }
  }
}

// https://github.com/pypa/auditwheel/issues/279
TEST_CASE("a shared library with an interpreter is edited and still runs both ways") {
  const Bench bench;
  const Buffer library = bench.build_file(
      "x.so",
      "#include <stdlib.h>\n#include <unistd.h>\n"
      "const char interp[] __attribute__((section(\".interp\"))) = "
      "\"/lib64/ld-linux-x86-64.so.2\";\n"
      "void entry(void) { write(1, \"entered\\n\", 8); _exit(0); }\nint run(void) { return 9; }\n",
      "-shared -fPIC -Wl,-e,entry -Wl,-soname,libq.so.5");
  for (const std::size_t length : {60U, 5000U}) {
    const Buffer edited = elf::edit(library, set_rpath("/" + std::string(length, 'z'))).bytes;
    CHECK(bench.load(edited) == "9\n");
    CHECK(bench.execute(edited) == "entered\n");
  }
}

// https://github.com/NixOS/patchelf/issues/240
TEST_CASE("sections are told by number, not by name") {
  const Bench bench;
  static_cast<void>(bench.build_file("x.so", kPlain, "-shared -fPIC"));
  bench.must(
      "head -c 100 x.so > extra && objcopy --add-section .shstrtab=extra --add-section .more=extra "
      "x.so y.so && "
      "objcopy --rename-section .more=.dynstr y.so");
  const Buffer library = read_file(bench / "y.so");
  CHECK(bench.load(elf::edit(library, set_rpath(kLong)).bytes) == bench.load(library));
}

TEST_CASE("files that no dynamic linker reads are not edited") {
  const Buffer static_program = build("int main(void) { return 0; }\n", "-static");
  const Buffer static_pie = build("int main(void) { return 0; }\n", "-static-pie");
  const Buffer object = build("int f(void) { return 0; }\n", "-c");
  CHECK(id_of([&] { static_cast<void>(plan_edit(static_program, set_rpath("/x"))); }) ==
        "elf-not-dynamic");
  CHECK(id_of([&] { static_cast<void>(plan_edit(static_pie, set_rpath("/x"))); }) == "elf-static");
  CHECK(id_of([&] { static_cast<void>(plan_edit(object, set_rpath("/x"))); }) == "elf-not-dynamic");
  // What is not asked for changes nothing there either.
  ElfEdit removal;
  removal.run_path.emplace(std::nullopt);
  removal.replace_needed["libx.so"] = "liby.so";
  CHECK(elf::edit(static_pie, removal).bytes == static_pie);
  CHECK(elf::edit(object, removal).bytes == object);
}

TEST_CASE("wishes and options that make no sense are usage errors") {
  const Buffer library = build(kPlain, "-shared -fPIC -fuse-ld=lld");
  CHECK(id_of([&] { static_cast<void>(plan_edit(library, set_rpath(std::string("a\0b", 3)))); }) ==
        "elf-wish-nul");
  CHECK(id_of([&] { static_cast<void>(plan_edit(library, set_rpath(kLong), {3})); }) ==
        "elf-page-size");
  const Edited edited = elf::edit(library, set_rpath(kLong), {0x10000});
  CHECK(ElfImage(edited.bytes).segments().size() >= 4);
  std::uint64_t largest = 0;
  const ElfImage edited_image(edited.bytes);
  for (const Segment& segment : edited_image.segments()) {
    if (segment.type == pt::kLoad) largest = std::max(largest, segment.align);
  }
  CHECK(largest == 0x10000);
}

TEST_CASE("a file of many GiB is planned without being read or copied") {
  const Bench bench;
  static_cast<void>(bench.build_file("x.so", kPlain, "-shared -fPIC -fuse-ld=lld"));
  bench.must("truncate -s 6G x.so");
  const int descriptor = ::open((bench / "x.so").c_str(), O_RDONLY);
  REQUIRE(descriptor >= 0);
  constexpr std::size_t kSize = std::size_t{6} << 30;
  void* map = ::mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
  REQUIRE(map != MAP_FAILED);
  const Bytes file(static_cast<const std::uint8_t*>(map), kSize);
  const auto start = std::chrono::steady_clock::now();
  const PatchList patches = plan_edit(file, set_rpath(kLong));
  const auto elapsed = std::chrono::steady_clock::now() - start;
  CHECK(patches.keep == kSize);
  CHECK(patches.growth == patches.tail.size());
  CHECK(patches.tail.size() < 4096);
  CHECK(elapsed < std::chrono::seconds(2));
  ::munmap(map, kSize);
  ::close(descriptor);
}

TEST_CASE("strip tools keep an edited library loadable") {
  const Bench bench;
  for (const char* options : {"-shared -fPIC -Wl,-z,noseparate-code", "-shared -fPIC",
                              "-shared -fPIC -Wl,-z,max-page-size=65536"}) {
    const Buffer library =
        bench.build_file("x.so", kPlain, std::string(options) + " -g -Wl,-soname,libx.so");
    for (const std::size_t length : {300U, 6000U}) {
      write_file(bench / "edited",
                 elf::edit(library, set_rpath("/" + std::string(length, 'z'))).bytes);
      for (const char* tool :
           {"strip", "strip -g", "eu-strip", "llvm-strip", "objcopy", "llvm-objcopy"}) {
        INFO(options << " " << length << " " << tool);
        bench.must("cp edited stripped.so && " + std::string(tool) + " stripped.so");
        CHECK(bench.load(read_file(bench / "stripped.so")) == bench.load(library));
        const Buffer again =
            elf::edit(read_file(bench / "stripped.so"), set_rpath("/again" + kLong)).bytes;
        CHECK(bench.load(again) == bench.load(library));
      }
    }
  }
}

}  // namespace
}  // namespace truewheel::elf::test
