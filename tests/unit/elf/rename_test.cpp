// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"
#include "elf/hash_tables.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace truewheel::elf::test {
namespace {

constexpr int kFunctions = 200;

/// Functions f0, f1, … that return their number, and a table of pointers to them and to data, so
/// that each kind of relocation names symbols. `run` asks them all, lazily bound ones too.
std::string library_source() {
  std::string text = "int data = 7; __thread int local = 9;\n";
  std::string table = "int (*const table[])(void) = {", calls;
  for (int i = 0; i < kFunctions; ++i) {
    const std::string number = std::to_string(i);
    text += "int f" + number + "(void) { return " + number + "; }\n";
    table += "f" + number + ", ";
    calls += "  if (f" + number + "() != " + number + ") return -" + number + " - 1;\n";
  }
  return text + table + "};\nint *const pointer = &data;\n" + "int run(void) {\n" + calls +
         "  for (int i = 0; i < " + std::to_string(kFunctions) +
         "; ++i) if (table[i]() != i) return 1000 + i;\n"
         "  return *pointer + local; }\n";
}

std::map<std::string, std::string> all_renames(const std::string& prefix = "") {
  std::map<std::string, std::string> names{{"data", prefix + "renamed_data"},
                                           {"local", prefix + "renamed_local"}};
  for (int i = 0; i < kFunctions; ++i)
    names["f" + std::to_string(i)] = prefix + "name_" + std::to_string(i * 7);
  return names;
}

std::map<std::string, std::string> inverse(const std::map<std::string, std::string>& names) {
  std::map<std::string, std::string> result;
  for (const auto& [old_name, new_name] : names) result[new_name] = old_name;
  return result;
}

ElfEdit rename_symbols(std::map<std::string, std::string> names) {
  ElfEdit edit;
  edit.rename_symbols = std::move(names);
  return edit;
}

/// Loads ./LIBRARY and says of each name, or NAME@VERSION, what the function of it returns.
void build_probe(const Bench& bench) {
  bench.write(
      "probe.c",
      "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n#include <string.h>\n"
      "int main(int c, char **v) { void *h = dlopen(v[1], RTLD_NOW);\n"
      "  if (!h) { puts(dlerror()); return 1; }\n"
      "  for (int i = 2; i < c; ++i) { char *at = strchr(v[i], '@'); if (at) *at = 0;\n"
      "    int (*f)(void) = (int (*)(void))(at ? dlvsym(h, v[i], at + 1) : dlsym(h, v[i]));\n"
      "    if (f) printf(\"%d \", f()); else printf(\"none \"); }\n"
      "  return 0; }\n");
  bench.must("gcc -o probe probe.c");
}

std::string probe(const Bench& bench, const Buffer& library, const std::string& names) {
  write_file(bench / "probed.so", library);
  bench.must("env LD_LIBRARY_PATH=. ./probe ./probed.so " + names);
  return bench.log();
}

TEST_CASE("renamed symbols are found by their new names alone, by each kind of hash table") {
  const Bench bench;
  build_probe(bench);
  for (const char* options :
       {"-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv", "-Wl,--hash-style=both",
        "-fuse-ld=lld -Wl,--hash-style=both", "-fuse-ld=lld -Wl,-z,pack-relative-relocs",
        "-Wl,-z,now", "-Wl,-z,lazy,-z,noseparate-code"}) {
    INFO(options);
    const Buffer library =
        bench.build_file("l.so", library_source(), std::string("-shared -fPIC ") + options);
    const Edited edited = elf::edit(library, rename_symbols(all_renames()));
    CHECK(bench.load(edited.bytes) == "16\n");
    CHECK(probe(bench, edited.bytes, "name_0 name_7 name_1393 f0 f1 f199 data") ==
          "0 1 199 none none none none ");
    // Lazily bound calls find their symbols by the relocations, too.
    bench.must("env LD_LIBRARY_PATH=. LD_BIND_NOT=1 ./probe ./probed.so run");
    CHECK(bench.log() == "16 ");
    CHECK(plan_edit(edited.bytes, rename_symbols(all_renames()))
              .changes_nothing(edited.bytes.size()));

    const Edited back = elf::edit(edited.bytes, rename_symbols(inverse(all_renames())));
    CHECK(back.patches.growth == 0);
    CHECK(bench.load(back.bytes) == "16\n");
    CHECK(probe(bench, back.bytes, "name_0 f0 f199") == "none 0 199 ");
    for (const char* tool : {"strip", "eu-strip", "llvm-strip"}) {
      write_file(bench / "stripped.so", edited.bytes);
      bench.must(std::string(tool) + " stripped.so");
      CHECK(probe(bench, read_file(bench / "stripped.so"), "run name_7 f1") == "16 1 none ");
    }
  }
}

TEST_CASE("a program runs when what it imports is renamed in it and in its library") {
  const Bench bench;
  std::string program = "extern int data; extern __thread int local;\nint main(void) {\n";
  for (int i = 0; i < kFunctions; i += 3) {
    const std::string number = std::to_string(i);
    program +=
        "  extern int f" + number + "(void); if (f" + number + "() != " + number + ") return 1;\n";
  }
  // Addresses make canonical PLT entries, and data a copy relocation, where the program is no PIE.
  program += "  int (*volatile f)(void) = f0; return f() != 0 || data + local != 16; }\n";
  for (const char* options : {"", "-no-pie -fno-pie", "-no-pie -fno-pie -Wl,--hash-style=sysv",
                              "-fuse-ld=lld -Wl,--hash-style=both", "-rdynamic"}) {
    INFO(options);
    const Buffer library =
        bench.build_file("libl.so.1", library_source(), "-shared -fPIC -Wl,-soname,libl.so.1");
    const Buffer before = bench.build_file("p", program, std::string(options) + " libl.so.1");
    const auto names = all_renames("a_much_longer_");
    write_file(bench / "libl.so.1", elf::edit(library, rename_symbols(names)).bytes);
    CHECK(bench.execute(before).find("undefined symbol") != std::string::npos);
    CHECK(bench.execute(elf::edit(before, rename_symbols(names)).bytes) == "");
    bench.must("env LD_LIBRARY_PATH=. ./edited");
  }
}

TEST_CASE("renamed symbols keep their versions") {
  const Bench bench;
  build_probe(bench);
  bench.write("map", "V1 { global: f; g; local: *; }; V2 { global: f; } V1;\n");
  const Buffer library = bench.build_file(
      "v.so",
      "__asm__(\".symver old_f, f@V1\\n.symver new_f, f@@V2\");\n"
      "int old_f(void) { return 1; } int new_f(void) { return 2; } int g(void) { return 3; }\n",
      "-shared -fPIC -Wl,--version-script=map -Wl,--hash-style=both");
  const Edited edited = elf::edit(library, rename_symbols({{"f", "renamed"}, {"g", "other"}}));
  CHECK(probe(bench, edited.bytes, "renamed@V1 renamed@V2 renamed other other@V1 f g f@V1") ==
        "1 2 2 3 3 none none none ");
}

TEST_CASE("renamed versions are needed and defined by their new names") {
  const Bench bench;
  build_probe(bench);
  bench.write("map", "V1 { global: f; local: *; }; V2 { global: g; } V1;\n");
  const std::string source = "int f(void) { return 1; } int g(void) { return 2; }\n";
  const Buffer library = bench.build_file(
      "libv.so.1", source, "-shared -fPIC -Wl,--version-script=map,-soname,libv.so.1");
  const Buffer program = bench.build_file(
      "p", "int f(void); int g(void); int main(void) { return f() + g() != 3; }\n", "libv.so.1");
  ElfEdit edit;
  edit.rename_versions = {{"V1", "LONGER_1.0"}, {"V2", "W"}};
  const Edited renamed = elf::edit(library, edit);
  CHECK(inspect(renamed.bytes).version_definitions == std::vector<std::string>{"LONGER_1.0", "W"});
  CHECK(probe(bench, renamed.bytes, "f@LONGER_1.0 g@W f g f@V1 g@V2") == "1 2 1 2 none none ");
  write_file(bench / "libv.so.1", renamed.bytes);
  CHECK(bench.execute(program).find("V1") != std::string::npos);  // what is missing
  const Edited following = elf::edit(program, edit);
  CHECK(bench.execute(following.bytes) == "");
  bench.must("env LD_LIBRARY_PATH=. ./edited");
  CHECK(bench.output_of("readelf -VW", renamed.bytes).find("Parent 1: LONGER_1.0") !=
        std::string::npos);
  // The linker finds the renamed version as well.
  bench.must("gcc -o q p.c libv.so.1 && env LD_LIBRARY_PATH=. ./q");
}

TEST_CASE("all edits of symbols and versions are one edit in any order") {
  const Bench bench;
  build_probe(bench);
  const Buffer library = bench.build_file(
      "l.so", library_source() + "int puts(const char*); int say(void) { return puts(\"\"); }\n",
      "-shared -fPIC -Wl,-z,now");
  ElfEdit edit = set_rpath("/opt/" + std::string(400, 'r'));
  edit.soname = "libother.so.3";
  edit.rename_symbols = all_renames();
  edit.rename_symbols["puts"] = "fflush";
  edit.rename_versions = {{"GLIBC_2.2.5", "GLIBC_2.2.5"}};
  edit.clear_symbol_versions = {"puts"};
  edit.add_needed = {"libm.so.6"};
  const Edited edited = elf::edit(library, edit);
  CHECK(probe(bench, edited.bytes, "run name_7 f1") == "16 1 none ");
  const std::string symbols = bench.output_of("nm -D --undefined-only", edited.bytes);
  CHECK(symbols.find("fflush\n") != std::string::npos);
  CHECK(symbols.find("puts") == std::string::npos);
}

TEST_CASE("what would be ambiguous or would have no name is refused") {
  const Bench bench;
  const Buffer library = bench.build_file(
      "l.so", "int f(void) { return 1; } int g(void) { return 2; }\n", "-shared -fPIC");
  const auto id = [&](std::map<std::string, std::string> names) {
    return id_of([&] { static_cast<void>(elf::edit(library, rename_symbols(std::move(names)))); });
  };
  CHECK(id({{"f", "g"}}) == "elf-symbol-twice");
  CHECK(id({{"f", "h"}, {"g", "h"}}) == "elf-symbol-twice");
  CHECK(id({{"f", ""}}) == "elf-wish-empty");
  CHECK(id({{"f", std::string("a\0b", 3)}}) == "elf-wish-nul");
  CHECK(id({{"f", "g"}, {"g", "f"}}) == "none");  // they change places
  CHECK(id({{"none_such", "f"}}) == "none");
}

TEST_CASE("a hash table that the loader could not use is no table to be rebuilt") {
  const Bench bench;
  const Buffer library =
      bench.build_file("l.so", library_source(), "-shared -fPIC -Wl,--hash-style=gnu");
  const ElfImage image(library);
  const auto at = static_cast<std::size_t>(*image.offset_of(*image.dynamic_value(dt::kGnuHash)));
  for (const std::size_t word : {0U, 8U, 12U}) {  // buckets, filter words, filter shift
    Buffer broken = library;
    broken[at + word] = 0xff;
    broken[at + word + 3] = 0x7f;
    const auto plan = [&] { static_cast<void>(plan_edit(broken, rename_symbols({{"f1", "g1"}}))); };
    CHECK(id_of(plan) == "elf-hash");
  }
}

TEST_CASE("names have the hashes of the gABI and of glibc") {
  CHECK(sysv_hash("") == 0);
  CHECK(sysv_hash("GLIBC_2.2.5") == 0x09691a75);
  CHECK(sysv_hash("GLIBC_2.34") == 0x069691b4);
  CHECK(gnu_hash("") == 5381);
  CHECK(gnu_hash("printf") == 0x156b2bb8);
}

TEST_CASE("_DYNAMIC can have another name and follow the dynamic section at once") {
  const Bench bench;
  build_probe(bench);
  const Buffer built = bench.build_file(
      "l.so", "int dynamic_entry; int run(void) { return 4; }\n",
      "-shared -fPIC -Wl,--hash-style=both,--spare-dynamic-tags=1,-soname,libl.so");
  // Linkers keep the symbol local; a version script or another linker need not.
  Buffer library = elf::edit(built, rename_symbols({{"dynamic_entry", "_DYNAMIC"}})).bytes;
  const ElfImage image(library);
  const std::uint64_t dynamic = image.dynamic_segment()->vaddr;
  const std::uint64_t table = table_offset(library, dt::kSymTab);
  for (std::uint64_t i = 0; i < image.dynamic_symbol_count(); ++i) {
    if (image.dynamic_string(image.reader().u32(table + 24 * i)) == "_DYNAMIC")
      poke(library, table + 24 * i + 8, dynamic);
  }
  ElfEdit wishes = rename_symbols({{"_DYNAMIC", "renamed"}});
  wishes.run_path.emplace(RunPath{RunPathKind::runpath, "$ORIGIN/lib"});
  const Buffer edited = elf::edit(library, wishes).bytes;
  const ElfImage after(edited);
  CHECK(after.dynamic_segment()->vaddr != dynamic);
  std::uint64_t value = 0;
  const std::uint64_t symbols = table_offset(edited, dt::kSymTab);
  for (std::uint64_t i = 0; i < after.dynamic_symbol_count(); ++i) {
    if (after.dynamic_string(after.reader().u32(symbols + 24 * i)) == "renamed")
      value = after.reader().u64(symbols + 24 * i + 8);
  }
  CHECK(value == after.dynamic_segment()->vaddr);
  CHECK(bench.load(edited) == "4\n");
}

}  // namespace
}  // namespace truewheel::elf::test
