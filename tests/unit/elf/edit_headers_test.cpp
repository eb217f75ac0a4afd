// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"

#include <algorithm>
#include <string>

namespace truewheel::elf::test {
namespace {

const char* const kProgram = "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }\n";

/// A copy of the machine's dynamic linker under a path of `length` bytes.
std::string linker_copy(const Bench& bench, Bytes program, std::size_t length) {
  const std::string original = *inspect_natively(program).interpreter;
  const std::string base = (bench / "").string();
  std::string path = base + std::string(length > base.size() ? length - base.size() : 1, 'l');
  bench.must("cp " + original + " " + path);
  return path;
}

ElfEdit set_interpreter(const std::string& path) {
  ElfEdit edit;
  edit.interpreter = path;
  return edit;
}

TEST_CASE("a program starts by its new interpreter, whether the path is longer or shorter") {
  const Bench bench;
  for (const char* options : {"", "-no-pie", "-Wl,-z,noseparate-code", "-fuse-ld=lld"}) {
    const Buffer program = bench.build_file("p", kProgram, options);
    const std::string longer = linker_copy(bench, program, 200);
    const Edited grown = elf::edit(program, set_interpreter(longer));
    INFO(options);
    CHECK(inspect(grown.bytes).interpreter == longer);
    CHECK(bench.execute(grown.bytes) == "ran\n");
    CHECK(bench.output_of("readelf -lW", grown.bytes).find("interpreter: " + longer + "]") !=
          std::string::npos);
    // The section follows: readers of sections and of program headers agree.
    CHECK(bench.output_of("readelf -W -p .interp", grown.bytes).find(longer) != std::string::npos);

    const std::string shorter = linker_copy(bench, program, 1);
    const Edited shrunk = elf::edit(grown.bytes, set_interpreter(shorter));
    CHECK(shrunk.patches.growth == 0);
    CHECK(inspect(shrunk.bytes).interpreter == shorter);
    CHECK(bench.execute(shrunk.bytes) == "ran\n");
    // The room is still there for the longer one.
    CHECK(elf::edit(shrunk.bytes, set_interpreter(longer)).bytes == grown.bytes);
    CHECK(plan_edit(grown.bytes, set_interpreter(longer)).changes_nothing(grown.bytes.size()));
  }
}

TEST_CASE("an interpreter, a run path and a NEEDED entry are one edit, and survive strip") {
  const Bench bench;
  const Buffer program = bench.build_file("p", kProgram, "");
  ElfEdit edit = set_interpreter(linker_copy(bench, program, 180));
  edit.run_path.emplace(RunPath{RunPathKind::runpath, "/opt/" + std::string(300, 'r')});
  edit.add_needed = {"libm.so.6"};
  const Edited edited = elf::edit(program, edit);
  CHECK(bench.execute(edited.bytes) == "ran\n");
  CHECK(inspect(edited.bytes).needed.front() == "libm.so.6");
  bench.must("strip -o stripped edited && ./stripped");
  CHECK(bench.log() == "ran\n");
}

TEST_CASE("a library and a static program have no interpreter to set") {
  const Bench bench;
  for (const char* options : {"-shared -fPIC", "-static"}) {
    const Buffer file = bench.build_file("x", kProgram, options);
    CHECK(id_of([&] { static_cast<void>(plan_edit(file, set_interpreter("/lib/ld.so"))); }) ==
          "elf-no-interpreter");
  }
  const Buffer program = bench.build_file("p", kProgram, "");
  CHECK(id_of([&] { static_cast<void>(plan_edit(program, set_interpreter(""))); }) ==
        "elf-wish-empty");
}

TEST_CASE("the stack's flag changes one byte, and back again to the same bytes") {
  const Bench bench;
  for (const char* options : {"", "-static", "-no-pie"}) {
    const Buffer program = bench.build_file("p", kProgram, options);
    ElfEdit edit;
    edit.executable_stack = true;
    const Edited edited = elf::edit(program, edit);
    INFO(options);
    REQUIRE(edited.patches.patches.size() == 1);
    CHECK(edited.patches.patches.front().bytes.size() == 1);
    CHECK(edited.patches.growth == 0);
    CHECK(inspect(edited.bytes).executable_stack);
    CHECK(bench.execute(edited.bytes) == "ran\n");
    CHECK(bench.output_of("readelf -lW", edited.bytes).find("RWE") != std::string::npos);
    edit.executable_stack = false;
    CHECK(elf::edit(edited.bytes, edit).bytes == program);
    CHECK(plan_edit(program, edit).changes_nothing(program.size()));
  }
}

// glibc 2.41 and newer refuse libraries without PT_GNU_STACK, whose default is an executable stack.
TEST_CASE("a file without PT_GNU_STACK gains one and runs, other edits of the same call included") {
  const Bench bench;
  for (const char* linker : {"", "-fuse-ld=lld"}) {
    for (const char* kind : {"-shared -fPIC", "", "-no-pie"}) {
      const bool is_program = std::string(kind).find("shared") == std::string::npos;
      Buffer file = bench.build_file("x", is_program ? kProgram : "int run(void) { return 42; }\n",
                                     std::string(kind) + " " + linker);
      // Take the last program header away: GNU ld and lld put nothing behind PT_GNU_STACK that a
      // loader has to have.
      const ElfImage image(file);
      std::size_t stack = 0;
      while (image.segments()[stack].type != pt::kGnuStack) ++stack;
      const std::size_t count = image.segments().size();
      std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(64 + 56 * (stack + 1)),
                  56 * (count - stack - 1),
                  file.begin() + static_cast<std::ptrdiff_t>(64 + 56 * stack));
      std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(64 + 56 * (count - 1)), 56,
                  std::uint8_t{0});
      Buffer without = file;
      without[56] = static_cast<std::uint8_t>(count - 1);
      for (const Buffer& input : {file, without}) {
        INFO(linker << " " << kind << " " << (input == file));
        ElfEdit edit;
        edit.executable_stack = false;
        const auto output = [&](const Buffer& bytes) {
          return is_program ? bench.execute(bytes) : bench.load(bytes);
        };
        const Edited edited = elf::edit(input, edit);
        CHECK(edited.patches.growth == 0);
        CHECK(inspect(edited.bytes).has_stack_note);
        CHECK_FALSE(inspect(edited.bytes).executable_stack);
        CHECK(output(edited.bytes) == output(input));
        CHECK(plan_edit(edited.bytes, edit).changes_nothing(edited.bytes.size()));
        edit.run_path.emplace(RunPath{RunPathKind::runpath, "/" + std::string(300, 'r')});
        CHECK(output(elf::edit(input, edit).bytes) == output(input));
      }
    }
  }
}

TEST_CASE("the OS ABI is one byte of any kind of file") {
  const Bench bench;
  for (const char* options : {"-shared -fPIC", "-static", "-c"}) {
    const Buffer file = bench.build_file("x", kProgram, options);
    ElfEdit edit;
    edit.os_abi = std::uint8_t{3};
    Buffer wished = file;
    wished[7] = 3;
    CHECK(elf::edit(file, edit).bytes == wished);
  }
}

TEST_CASE("NODEFLIB joins the flags that are there, or brings them") {
  const Bench bench;
  const auto flags = [](Bytes file) { return ElfImage(file).dynamic_value(dt::kFlags1); };
  for (const char* options : {"", "-Wl,-z,now"}) {
    const Buffer library = bench.build_file("x.so", "int run(void) { return 42; }\n",
                                            std::string("-shared -fPIC ") + options);
    ElfEdit edit;
    edit.no_default_lib = true;
    const Edited edited = elf::edit(library, edit);
    CHECK(flags(edited.bytes) == (flags(library).value_or(0) | df::kNodeflib1));
    CHECK(plan_edit(edited.bytes, edit).changes_nothing(edited.bytes.size()));
    CHECK(bench.load(edited.bytes) == "42\n");
  }
}

TEST_CASE("a library gains a debug tag once") {
  const Bench bench;
  const Buffer library =
      bench.build_file("x.so", "int run(void) { return 42; }\n", "-shared -fPIC");
  ElfEdit edit;
  edit.add_debug_tag = true;
  REQUIRE_FALSE(ElfImage(library).dynamic_value(dt::kDebug));
  const Edited edited = elf::edit(library, edit);
  CHECK(ElfImage(edited.bytes).dynamic_value(dt::kDebug) == 0U);
  CHECK(bench.load(edited.bytes) == "42\n");
  CHECK(plan_edit(edited.bytes, edit).changes_nothing(edited.bytes.size()));
}

TEST_CASE("a symbol without its version binds to a library that has none of that name") {
  const Bench bench;
  bench.write("v.map", "V_1 { global: f; g; };\n");
  bench.write("v.c", "int f(void) { return 40; }\nint g(void) { return 2; }\n");
  bench.must("gcc -shared -fPIC -Wl,-soname,libv.so -Wl,--version-script=v.map -o libv.so v.c");
  const Buffer library =
      bench.build_file("x.so", "int f(void); int g(void);\nint run(void) { return f() + g(); }\n",
                       "-shared -fPIC libv.so");
  ElfEdit edit;
  edit.clear_symbol_versions = {"f", "absent"};
  const Edited edited = elf::edit(library, edit);
  CHECK(edited.patches.growth == 0);
  CHECK(bench.load(edited.bytes) == "42\n");
  for (const ImportedSymbol& symbol : inspect(edited.bytes).imports) {
    if (symbol.name == "f") CHECK(symbol.version.empty());
    if (symbol.name == "g") CHECK(symbol.version == "V_1");
  }
  CHECK(plan_edit(edited.bytes, edit).changes_nothing(edited.bytes.size()));
  // A library of that name whose f has another version still serves.
  bench.write("w.map", "V_1 { global: g; };\nV_2 { global: f; };\n");
  bench.must("gcc -shared -fPIC -Wl,-soname,libv.so -Wl,--version-script=w.map -o libv.so v.c");
  CHECK(bench.load(edited.bytes) == "42\n");
  CHECK(bench.load(library) != "42\n");
}

TEST_CASE("the check tells an edit of these kinds that was not done") {
  const Bench bench;
  const Buffer program = bench.build_file("p", kProgram, "");
  const PatchList nothing{{}, program.size(), {}, 0, {}};
  ElfEdit edit = set_interpreter("/lib/other");
  CHECK_FALSE(check_edit(program, program, edit, nothing).empty());
  edit = {};
  edit.executable_stack = true;
  CHECK_FALSE(check_edit(program, program, edit, nothing).empty());
  edit = {};
  edit.os_abi = std::uint8_t{9};
  CHECK_FALSE(check_edit(program, program, edit, nothing).empty());
  edit = {};
  edit.no_default_lib = true;
  CHECK_FALSE(check_edit(program, program, edit, nothing).empty());
  edit = {};
  edit.clear_symbol_versions = {"puts"};
  CHECK_FALSE(check_edit(program, program, edit, nothing).empty());
}

TEST_CASE("the check tells a change of these kinds that nobody wished") {
  const Bench bench;
  const Buffer program = bench.build_file("p", kProgram, "");
  ElfEdit wished = set_interpreter("/lib/other");
  wished.executable_stack = true;
  wished.os_abi = std::uint8_t{9};
  const Edited edited = elf::edit(program, wished);
  for (int left_out = 0; left_out < 3; ++left_out) {
    ElfEdit told = wished;
    if (left_out == 0) told.interpreter.reset();
    if (left_out == 1) told.executable_stack.reset();
    if (left_out == 2) told.os_abi.reset();
    CHECK_FALSE(check_edit(program, edited.bytes, told, edited.patches).empty());
  }
}

TEST_CASE("a wished page size below the file's own leaves each LOAD its pages") {
  const Bench bench;
  const Buffer program =
      bench.build_file("p", kProgram, "-fuse-ld=lld -no-pie -Wl,-z,max-page-size=0x200000");
  ElfEdit edit;
  edit.run_path.emplace(RunPath{RunPathKind::runpath, "/opt/" + std::string(5000, 'r')});
  EditOptions options;
  options.page_size = 0x1000;
  const Edited edited = elf::edit(program, edit, options);
  CHECK(bench.execute(edited.bytes) == "ran\n");
  CHECK(count_loads(edited.bytes) == count_loads(program) + 1);
}

}  // namespace
}  // namespace truewheel::elf::test
