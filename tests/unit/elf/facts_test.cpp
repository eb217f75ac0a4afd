// SPDX-License-Identifier: Apache-2.0
#include "elf/version_tables.hpp"
#include "facts_support.hpp"
#include <truewheel/elf.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace truewheel::elf::test {

namespace {

constexpr const char* kLibrary = "#include <stdio.h>\nint f(void) { return puts(\"x\"); }\n";

Buffer library(const std::string& options) { return build(kLibrary, "-shared -fPIC " + options); }

const ImportedSymbol* find_import(const ElfFacts& facts, const std::string& name) {
  const auto found =
      std::find_if(facts.imports.begin(), facts.imports.end(),
                   [&](const ImportedSymbol& import) { return import.name == name; });
  return found == facts.imports.end() ? nullptr : &*found;
}

/// The file offset of a record that a version table's view points at.
std::uint64_t offset_in(const Buffer& file, Bytes record) {
  return static_cast<std::uint64_t>(record.data() - file.data());
}

}  // namespace

TEST_CASE("names of the dynamic section are verbatim, in order, duplicates kept") {
  const ElfFacts facts = inspect(
      library("-Wl,-soname,libours.so.1 -Wl,--no-as-needed -lm -lpthread -Wl,--enable-new-dtags "
              "-Wl,-rpath,'$ORIGIN/../x.libs::/opt/a b' "
              "-Wl,--auxiliary=libaux.so -Wl,--filter=libfil.so -Wl,--audit=liba.so "
              "-Wl,--depaudit=libd.so"));
  CHECK(facts.soname == "libours.so.1");
  REQUIRE(facts.needed.size() >= 2);
  CHECK(facts.needed.front() == "libm.so.6");
  CHECK(facts.needed.back() == "libc.so.6");
  CHECK_FALSE(facts.rpath.has_value());
  CHECK(facts.runpath == "$ORIGIN/../x.libs::/opt/a b");
  const RunPath expected{RunPathKind::runpath, "$ORIGIN/../x.libs::/opt/a b"};
  CHECK(facts.run_path() == expected);
  auto filtees = facts.filtees;
  std::sort(filtees.begin(), filtees.end(),
            [](const Filtee& a, const Filtee& b) { return a.name < b.name; });
  const std::size_t behind = facts.needed.size();
  CHECK(filtees == std::vector<Filtee>{{"libaux.so", false, behind}, {"libfil.so", true, behind}});
  auto auditors = facts.auditors;
  std::sort(auditors.begin(), auditors.end());
  CHECK(auditors == std::vector<std::string>{"liba.so", "libd.so"});
  CHECK(facts.bits == 64);
  CHECK(facts.little_endian);
  CHECK(facts.machine == em::kX86_64);
  CHECK(facts.is_dynamic());
  CHECK_FALSE(facts.interpreter.has_value());
}

TEST_CASE("an address has a place in the file while its LOAD has bytes for all of it") {
  const Scratch scratch;
  scratch.write("l.c", "int f(void) { return 1; }\n");
  REQUIRE(scratch.run("gcc -shared -fPIC -o l.so l.c"));
  const Buffer file = read_file(scratch / "l.so");
  const ElfImage image(file);
  for (const Segment& segment : image.segments()) {
    if (segment.type != pt::kLoad || segment.filesz == 0) continue;
    CHECK(image.offset_of(segment.vaddr, segment.filesz) == segment.offset);
    CHECK(image.offset_of(segment.vaddr, segment.filesz + 1) == std::nullopt);
    // An empty range may lie at the end.
    CHECK(image.offset_of(segment.vaddr + segment.filesz, 0) == segment.offset + segment.filesz);
    CHECK(image.offset_of(segment.vaddr + segment.filesz, 1) == std::nullopt);
    CHECK(image.offset_of(segment.vaddr + segment.filesz + 1, 0) == std::nullopt);
  }
}

TEST_CASE("DT_RPATH is told from DT_RUNPATH, and DT_RUNPATH wins") {
  const ElfFacts facts = inspect(library("-Wl,--disable-new-dtags -Wl,-rpath,/x"));
  CHECK(facts.rpath == "/x");
  CHECK_FALSE(facts.runpath.has_value());
  CHECK(facts.run_path()->kind == RunPathKind::rpath);

  ElfFacts both;
  both.rpath = "/a";
  both.runpath = "";
  const RunPath expected{RunPathKind::runpath, ""};
  CHECK(both.run_path() == expected);
  CHECK_FALSE(ElfFacts{}.run_path().has_value());
}

TEST_CASE("a tag that is there twice counts as the loader counts it: the last one") {
  Buffer file = library("-Wl,--enable-new-dtags -Wl,-rpath,/x -Wl,-soname,/x -Wl,-z,now");
  const auto flags = dynamic_value_offset(file, dt::kFlags) - 8;
  poke(file, flags, std::uint64_t{dt::kRunpath});
  poke(file, flags + 8, std::uint64_t{1});
  const ElfImage image(file);
  const std::string last(image.dynamic_string(1));
  CHECK(inspect(file).runpath == last);
  CHECK(inspect_with_lief(file).runpath == last);
}

TEST_CASE("imports have their version, the library of that version, and weakness") {
  const ElfFacts facts = inspect(build(
      "#include <math.h>\nextern int maybe(void) __attribute__((weak));\nextern int theirs(void);\n"
      "double f(double x) { return maybe ? exp(x) + theirs() : pow(x, x); }\n",
      "-shared -fPIC -fno-builtin -Wl,--no-as-needed -lm"));
  const ImportedSymbol* versioned = find_import(facts, "exp");
  REQUIRE(versioned != nullptr);
  CHECK(versioned->version.starts_with("GLIBC_2."));
  CHECK(versioned->file == "libm.so.6");
  CHECK_FALSE(versioned->weak);
  const ImportedSymbol* weak = find_import(facts, "maybe");
  REQUIRE(weak != nullptr);
  CHECK(weak->weak);
  CHECK(weak->version.empty());
  CHECK(weak->file.empty());
  const ImportedSymbol* strong = find_import(facts, "theirs");
  REQUIRE(strong != nullptr);
  CHECK_FALSE(strong->weak);
  CHECK(find_import(facts, "f") == nullptr);

  const auto need = std::find_if(facts.version_needs.begin(), facts.version_needs.end(),
                                 [](const VersionNeed& n) { return n.file == "libm.so.6"; });
  REQUIRE(need != facts.version_needs.end());
  CHECK(std::any_of(need->versions.begin(), need->versions.end(),
                    [&](const NeededVersion& v) { return v.name == versioned->version; }));
}

TEST_CASE("defined versions are listed without the base one") {
  const Scratch scratch;
  scratch.write("source.c", "int one(void) { return 1; }\nint two(void) { return 2; }\n");
  scratch.write("map", "V_1 { global: one; local: *; };\nV_2 { global: two; } V_1;\n");
  REQUIRE(
      scratch.run("gcc -shared -fPIC -o out source.c -Wl,--version-script=map "
                  "-Wl,-soname,libv.so.1"));
  const Buffer file = read_file(scratch / "out");
  const std::vector<std::string> expected = {"V_1", "V_2"};
  CHECK(inspect(file).version_definitions == expected);
  CHECK(inspect_with_lief(file).version_definitions == expected);
}

TEST_CASE("flags that the loader acts on are seen") {
  const ElfFacts plain = inspect(library("-Wl,-z,noexecstack"));
  CHECK_FALSE(plain.has_static_tls);
  CHECK_FALSE(plain.has_text_relocations);
  CHECK_FALSE(plain.executable_stack);
  CHECK(plain.has_stack_note);

  const ElfFacts tls = inspect(build("extern __thread int t;\nint f(void) { return t; }\n",
                                     "-shared -fPIC -ftls-model=initial-exec"));
  CHECK(tls.has_static_tls);
  const ElfFacts text =
      inspect(build("extern int v;\n__asm__(\".text\\n.globl g\\ng: .quad v\\n.data\\n\");\n",
                    "-shared -Wl,-z,notext"));
  CHECK(text.has_text_relocations);
  CHECK(inspect(library("-Wl,-z,execstack")).executable_stack);
  CHECK((inspect(library("-Wl,-z,nodefaultlib")).dt_flags_1 & df::kNodeflib1) != 0);
  CHECK((inspect(library("-Wl,-z,origin")).dt_flags & df::kOrigin) != 0);
}

TEST_CASE("packed relative relocations are seen, with and without the version for them") {
  const char* source = "static int x; int* p = &x; int* f(void) { return p; }\n";
  CHECK_FALSE(inspect(build(source, "-shared -fPIC")).has_relr);
  CHECK(inspect(build(source, "-shared -fPIC -Wl,-z,pack-relative-relocs")).has_relr);
  CHECK(inspect(build(source, "-shared -fPIC -fuse-ld=lld -Wl,--pack-dyn-relocs=relr")).has_relr);
}

TEST_CASE("a program's interpreter is verbatim") {
  const ElfFacts facts =
      inspect(build("int main(void) { return 0; }\n", "-Wl,--dynamic-linker=/x/ld.so"));
  CHECK(facts.interpreter == "/x/ld.so");
  CHECK(facts.kind == FileKind::pie);
  CHECK((facts.dt_flags_1 & df::kPie1) != 0);
}

TEST_CASE("only entry points of Python modules are kept of the defined symbols") {
  const ElfFacts facts = inspect(
      build("int PyInit__x(void) { return 0; }\nint PyInit__y(void) { return 0; }\n"
            "int Py_Initialize(void) { return 0; }\nint Py_InitializeEx(void) { return 0; }\n"
            "int NotPyInit_x(void) { return 0; }\nextern int PyInit_other(void);\n"
            "int f(void) { return PyInit_other(); }\n",
            "-shared -fPIC"));
  auto exports = facts.python_exports;
  std::sort(exports.begin(), exports.end());
  CHECK(exports == std::vector<std::string>{"PyInit__x", "PyInit__y", "Py_Initialize"});
  CHECK(find_import(facts, "PyInit_other") != nullptr);
  CHECK(inspect(library("")).python_exports.empty());
}

TEST_CASE("every class and byte order gives the same facts, with and without section headers") {
  std::size_t seen = 0;
  for (const std::string& target : kTargets) {
    const Buffer file = small_library(target);
    if (file.empty()) continue;
    CAPTURE(target);
    ++seen;
    const ElfFacts facts = inspect(file);
    CHECK(facts.kind == FileKind::shared_object);
    CHECK(facts.soname == "libours.so.1");
    CHECK(facts.runpath == "$ORIGIN");
    CHECK(facts.version_definitions == std::vector<std::string>{"OUR_1"});
    REQUIRE(find_import(facts, "theirs") != nullptr);
    REQUIRE(find_import(facts, "maybe") != nullptr);
    CHECK(find_import(facts, "maybe")->weak);
    CHECK(same_facts(facts, inspect_natively(file)));
    CHECK(same_facts(facts, inspect_with_lief(file)));
    CHECK(same_facts(facts, inspect(without_sections(file))));
    CHECK(same_facts(facts, inspect_with_lief(without_sections(file))));
  }
  if (seen == 0) MESSAGE("skipped: clang and lld build for no machine here");
}

TEST_CASE("imports are found without section headers, whatever hash table there is") {
  // A library without exports has a DT_GNU_HASH that hashes nothing and so counts nothing.
  const char* only_imports =
      "extern int theirs(void);\nstatic int f(void) { return theirs(); }\n"
      "__attribute__((used)) static int (*p)(void) = f;\n";
  for (const char* hash : {"gnu", "sysv", "both"}) {
    for (const char* linker : {"bfd", "lld"}) {
      CAPTURE(hash);
      CAPTURE(linker);
      const Buffer file = build(only_imports, std::string("-shared -fPIC -nostdlib -fuse-ld=") +
                                                  linker + " -Wl,--hash-style=" + hash);
      CHECK(find_import(inspect(file), "theirs") != nullptr);
      CHECK(inspect(file).imports == inspect(without_sections(file)).imports);
    }
  }
}

TEST_CASE("a control character in a library's name is refused, in a run path it is not") {
  const auto damaged = [](const std::string& name) {
    Buffer file = library("-Wl,-soname,libours.so.1 -Wl,-rpath,/x/libours.so.2 -lm");
    const std::string_view text = as_text(file);
    const auto at = text.find(name);
    REQUIRE(at != std::string_view::npos);
    file[at + 3] = 0x1b;
    return refusal(file);
  };
  CHECK(damaged("libours.so.1") == "elf-control-character");
  CHECK(damaged("libc.so.6") == "elf-control-character");
  CHECK(damaged("/x/libours.so.2").empty());
}

TEST_CASE("version tables that loop, overlap, miscount or point outside are refused") {
  const Buffer file = library("-Wl,--no-as-needed -lm -Wl,-z,now");
  const VersionTables tables = read_version_tables(ElfImage(file));
  REQUIRE_FALSE(tables.needs.empty());
  const std::uint64_t need = offset_in(file, tables.needs[0].raw);
  const std::uint64_t needed = offset_in(file, tables.needs[0].versions[0].raw);
  const auto with = [&](std::uint64_t offset, auto value) {
    Buffer damaged = file;
    poke(damaged, offset, value);
    return refusal(damaged);
  };
  CHECK(refusal(file).empty());
  CHECK(with(need, std::uint16_t{2}) == "elf-version-version");
  CHECK(with(need + 2, std::uint16_t{7}) == "elf-version-count");
  CHECK(with(need + 4, std::uint32_t{0xffffff}) == "elf-string-offset");
  CHECK(with(need + 8, std::uint32_t{0}) == "elf-version-chain");
  CHECK(with(need + 8, std::uint32_t{0xfffffff0}) == "elf-version-range");
  CHECK(with(need + 12, std::uint32_t{1}) == "elf-version-chain");
  CHECK(with(need + 12, std::uint32_t{0xffffffff}) == "elf-version-range");
  CHECK(with(needed + 6, std::uint16_t{0x8002}) == "elf-version-index");
  CHECK(with(needed + 8, std::uint32_t{0xffffff}) == "elf-string-offset");
  CHECK(with(needed + 12, std::uint32_t{15}) == "elf-version-chain");
  CHECK(with(needed + 12, std::uint32_t{0x7ffffff0}) == "elf-version-range");
  CHECK(with(dynamic_value_offset(file, dt::kVerNeedNum), std::uint64_t{9}) == "elf-version-count");
  CHECK(with(dynamic_value_offset(file, dt::kVerNeedNum), std::uint64_t{1} << 32) ==
        "elf-version-count");
  CHECK(with(dynamic_value_offset(file, dt::kVerNeed), std::uint64_t{1} << 40) ==
        "elf-version-unmapped");
}

TEST_CASE("version definitions that loop, miscount or point outside are refused") {
  const Buffer file = small_library("x86_64-linux-gnu");
  if (file.empty()) return;
  const VersionTables tables = read_version_tables(ElfImage(file));
  REQUIRE_FALSE(tables.definitions.empty());
  const std::uint64_t definition = offset_in(file, tables.definitions[0].raw);
  const auto with = [&](std::uint64_t offset, auto value) {
    Buffer damaged = file;
    poke(damaged, offset, value);
    return refusal(damaged);
  };
  CHECK(with(definition, std::uint16_t{0}) == "elf-version-version");
  CHECK(with(definition + 4, std::uint16_t{0x8001}) == "elf-version-index");
  CHECK(with(definition + 6, std::uint16_t{0}) == "elf-version-chain");
  CHECK(with(definition + 12, std::uint32_t{4}) == "elf-version-chain");
  CHECK(with(definition + 12, std::uint32_t{0xfffffffe}) == "elf-version-range");
  CHECK(with(definition + 16, std::uint32_t{3}) == "elf-version-chain");
  CHECK(with(dynamic_value_offset(file, dt::kVerDefNum), std::uint64_t{1}) == "elf-version-count");
}

TEST_CASE("symbol tables that do not fit the file are refused") {
  const Buffer file = library("-Wl,--hash-style=sysv");
  const auto with = [&](std::uint64_t offset, auto value) {
    Buffer damaged = file;
    poke(damaged, offset, value);
    return refusal(damaged);
  };
  const std::uint64_t symbols = table_offset(file, dt::kSymTab);
  const std::uint64_t hash = table_offset(file, dt::kHash);
  CHECK(with(symbols + 24, std::uint32_t{0x7fffffff}) == "elf-string-offset");
  CHECK(with(dynamic_value_offset(file, dt::kSymEnt), std::uint64_t{16}) == "elf-symbol-size");
  CHECK(with(hash + 4, std::uint32_t{0xffffffff}) == "elf-symbol-count");
  CHECK(with(table_offset(file, dt::kVerSym) + 2, std::uint16_t{0x7f00}) == "elf-version-index");
  CHECK(with(dynamic_value_offset(file, dt::kVerSym), std::uint64_t{1} << 50) ==
        "elf-symbol-count");
}

TEST_CASE("many entries that name one long string are refused before they fill the memory") {
  const std::string longest(std::size_t{1} << 20, 'x');
  std::string source = "extern int long_one(void) __asm__(\"" + longest + "\");\n";
  std::string body = "int f(void) { return long_one()";
  for (int i = 0; i < 200; ++i) {
    source += "extern int g" + std::to_string(i) + "(void);\n";
    body += " + g" + std::to_string(i) + "()";
  }
  Buffer file = build(source + body + "; }\n", "-shared -fPIC -nostdlib");
  REQUIRE(refusal(file).empty());
  const ElfImage image(file);
  const std::uint64_t table = table_offset(file, dt::kSymTab);
  const ByteReader reader(file);
  std::uint32_t name_of_longest = 0;
  for (std::uint64_t i = 1; i < image.dynamic_symbol_count(); ++i) {
    const std::uint32_t name = reader.u32(table + 24 * i);
    if (image.dynamic_string(name).size() == longest.size()) name_of_longest = name;
  }
  REQUIRE(name_of_longest != 0);
  for (std::uint64_t i = 1; i < image.dynamic_symbol_count(); ++i) {
    poke(file, table + 24 * i, name_of_longest);
  }
  CHECK(refusal(file) == "elf-text");
}

TEST_CASE("defined symbols that share one long name cost no more than others") {
  std::string source =
      "int PyInit_x;\nint long_one __asm__(\"" + std::string(std::size_t{4} << 20, 'x') + "\");\n";
  for (int i = 0; i < 20000; ++i) source += "int g" + std::to_string(i) + ";\n";
  Buffer file = build(source, "-shared -fPIC -nostdlib");
  CHECK(inspect(file).python_exports == std::vector<std::string>{"PyInit_x"});
  const ElfImage image(file);
  const std::uint64_t table = table_offset(file, dt::kSymTab);
  const ByteReader strings(image.reader().slice(image.dynstr_offset(), image.dynstr_size()));
  const auto long_one = as_text(strings.all()).find("xxxxxxxx");
  REQUIRE(long_one != std::string_view::npos);
  for (std::uint64_t i = 1; i < image.dynamic_symbol_count(); ++i) {
    poke(file, table + 24 * i, static_cast<std::uint32_t>(long_one));
  }
  const auto start = std::chrono::steady_clock::now();
  CHECK(inspect(file).python_exports.empty());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}

TEST_CASE("an interpreter that does not end is refused") {
  Buffer file = build("int main(void) { return 0; }\n", "");
  const ElfImage image(file);
  const Segment* interpreter = image.find_segment(pt::kInterp);
  REQUIRE(interpreter != nullptr);
  poke(file, interpreter->offset + interpreter->filesz - 1, std::uint8_t{'x'});
  CHECK(refusal(file) == "elf-interpreter");
}

}  // namespace truewheel::elf::test
