// SPDX-License-Identifier: Apache-2.0
#include "unit/policy/graph_builder.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace truewheel::policy {
namespace {

using deps::Answer;
using deps::Libc;
using testing::best_name;
using testing::FileBuilder;
using testing::judge;
using testing::make_graph;
using testing::named;
using testing::own_name;

FileBuilder extension(const std::string& path = "pkg/_x.so") {
  return FileBuilder(path)
      .needs("libc.so.6", Answer::host, "/lib/libc.so.6")
      .needs_version("libc.so.6", "GLIBC_2.2.5", {"malloc"});
}
FileBuilder host_libc() {
  return FileBuilder("/lib/libc.so.6").needs_version("ld-linux-x86-64.so.2", "GLIBC_PRIVATE");
}

TEST_CASE("a wheel that needs only old versions meets the oldest policy") {
  const auto verdict = judge(make_graph({extension()}, {host_libc()}));
  CHECK(best_name(verdict) == "manylinux_2_5");
  CHECK(own_name(verdict) == "manylinux_2_5");
  CHECK(verdict.policies[verdict.best].grafts.empty());
  CHECK(verdict.policies.back().policy->name == "linux");
  CHECK(verdict.policies.back().satisfied);
}

TEST_CASE("a newer version rules out older policies and is named with its symbols") {
  const auto verdict = judge(make_graph(
      {extension().needs_version("libc.so.6", "GLIBC_2.34", {"pthread_create", "dlopen"})},
      {host_libc()}));
  CHECK(best_name(verdict) == "manylinux_2_34");
  const PolicyVerdict& old = named(verdict, "manylinux_2_28");
  REQUIRE(old.offences.size() == 1);
  CHECK(old.offences[0].kind == Offence::Kind::version);
  CHECK(old.offences[0].in_wheel);
  CHECK(old.offences[0].sentence() ==
        "pkg/_x.so needs GLIBC_2.34 (libc.so.6) for symbols dlopen, pthread_create");
  CHECK(verdict.floors.at("glibc").version == "2.34");
  CHECK(verdict.floors.at("glibc").file == "pkg/_x.so");
  CHECK(verdict.floors.at("glibc").symbol == "dlopen");
}

TEST_CASE("the tag follows libstdc++ unless the host's is said to do") {
  const auto graph = make_graph({extension()
                                     .needs("libstdc++.so.6")
                                     .needs_version("libc.so.6", "GLIBC_2.34")
                                     .needs_version("libstdc++.so.6", "GLIBCXX_3.4.30", {"_ZSt3x"})
                                     .needs_version("libstdc++.so.6", "CXXABI_1.3.15")
                                     .needs_version("libgcc_s.so.1", "GCC_14.0.0")},
                                {host_libc()});
  const auto strict = judge(graph);
  CHECK(best_name(strict) == "manylinux_2_39");
  const auto lenient = judge(graph, {.libstdcxx = Libstdcxx::host});
  CHECK(best_name(lenient) == "manylinux_2_34");
  for (const auto& verdict : {strict, lenient}) {
    CHECK(verdict.floors.at("glibc").version == "2.34");
    CHECK(verdict.floors.at("libstdc++").version == "3.4.30");
    CHECK(verdict.floors.at("libstdc++").symbol == "_ZSt3x");
  }
}

TEST_CASE("packed relocations need a glibc that knows them, whether the file says so or not") {
  const auto packed = [](FileBuilder file) {
    return file.facts([](elf::ElfFacts& facts) { facts.has_relr = true; });
  };
  const auto verdict = judge(make_graph({packed(extension())}, {host_libc()}));
  CHECK(best_name(verdict) == "manylinux_2_36");
  const PolicyVerdict& old = named(verdict, "manylinux_2_35");
  REQUIRE(old.offences.size() == 1);
  CHECK(old.offences[0].sentence() == "pkg/_x.so needs GLIBC_ABI_DT_RELR (libc.so.6)");
  // A file that says it is told of once, and musl has no such version.
  const auto says = judge(make_graph(
      {packed(extension().needs_version("libc.so.6", "GLIBC_ABI_DT_RELR"))}, {host_libc()}));
  CHECK(named(says, "manylinux_2_35").offences.size() == 1);
  CHECK(judge(make_graph({packed(FileBuilder("pkg/_m.so").needs("libc.musl-x86_64.so.1"))}), {},
              Libc::musl)
            .policies.front()
            .satisfied);
}

TEST_CASE("a wheel whose files are all of another libc than its tag is refused") {
  const auto id_of = [](const std::vector<FileBuilder>& files, Libc libc) -> std::string {
    try {
      static_cast<void>(judge(make_graph(files), {}, libc));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::unfit);
      CHECK(std::string(error.what()).find("pkg/_x.so") != std::string::npos);
      return error.id();
    }
    return "";
  };
  const auto musl = FileBuilder("pkg/_x.so").needs("libc.musl-x86_64.so.1");
  CHECK(id_of({extension()}, Libc::musl) == "no-elf-of-libc");
  CHECK(id_of({musl}, Libc::glibc) == "no-elf-of-libc");
  CHECK(id_of({musl}, Libc::musl).empty());
  CHECK(id_of({extension("pkg/_y.so"), musl}, Libc::glibc).empty());
  CHECK(id_of({FileBuilder("pkg/_n.so")}, Libc::musl).empty());  // needs nothing, suits both
}

TEST_CASE("only whole names are the dynamic linker's") {
  const auto verdict = judge(make_graph({extension()}));
  const Policy& policy = *named(verdict, "manylinux_2_28").policy;
  for (const char* name :
       {"ld-linux.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-linux-armhf.so.3",
        "ld-linux-riscv64-lp64d.so.1", "ld64.so.1", "ld64.so.2", "ld.so.1",
        "/lib64/ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1"}) {
    CAPTURE(name);
    CHECK(comes_from_system(policy, Libc::glibc, name));
  }
  for (const char* name : {"libbuild-linux.so.1", "libworld-linux.so.2", "libld-linux.so.2",
                           "ld-linuxish.so.2", "libld64.so.1"}) {
    CAPTURE(name);
    CHECK_FALSE(comes_from_system(policy, Libc::glibc, name));
  }
}

TEST_CASE("versions are members of a set, not numbers below a limit") {
  // glibc 2.37 added no version on x86_64, so that no policy has GLIBC_2.37.
  CHECK(best_name(judge(make_graph({extension().needs_version("libc.so.6", "GLIBC_2.37")}))) ==
        "linux");
  CHECK(best_name(judge(make_graph(
            {extension().needs_version("libc.so.6", "GLIBC_ABI_DT_RELR")}))) == "manylinux_2_36");
  CHECK(best_name(judge(make_graph(
            {extension().needs_version("libstdc++.so.6", "CXXABI_TM_1")}))) == "manylinux_2_17");
}

TEST_CASE("private and unheard-of versions of the C library meet no policy") {
  for (const char* version : {"GLIBC_PRIVATE", "GLIBC_ABI_GNU2_TLS", "GLIBC_ABI_DT_X86_64_PLT",
                              "GLIBC_9.99", "CXXABI_FLOAT129", "LIBATOMIC_9.9", "ZLIB_PRIVATE"}) {
    CAPTURE(version);
    const auto verdict = judge(make_graph({extension().needs_version("libx.so", version)}));
    CHECK(best_name(verdict) == "linux");
    CHECK(own_name(verdict) == "linux");
  }
}

TEST_CASE("versions of families that no policy speaks of restrict nothing") {
  const auto verdict = judge(make_graph({extension()
                                             .needs_version("libz-ng.so.2", "ZLIB_NG_2.1.0")
                                             .needs_version("libssl.so.1.1", "OPENSSL_1_1_0")
                                             .needs_version("libibverbs.so.1", "IBVERBS_1.14")
                                             .needs_version("libfoo.so", "FOO")
                                             .needs_version("libfoo.so", "6")
                                             .needs_version("libfoo.so", "GLIBC")
                                             .needs_version("libfoo.so", "")}));
  CHECK(best_name(verdict) == "manylinux_2_5");
}

TEST_CASE("a version that the loader does not insist on restricts nothing") {
  const auto graph =
      make_graph({extension().needs_version("libc.so.6", "GLIBC_2.38", {"strlcpy"}, true)});
  CHECK(best_name(judge(graph)) == "manylinux_2_5");
  CHECK(judge(graph).floors.at("glibc").version == "2.2.5");
}

TEST_CASE("what would be bundled counts, and is told from the wheel's own needs") {
  const auto verdict =
      judge(make_graph({extension().needs("libfoo.so.1", Answer::host, "/usr/lib/libfoo.so.1")},
                       {host_libc(),
                        FileBuilder("/usr/lib/libfoo.so.1")
                            .needs("libbar.so.2", Answer::host, "/usr/lib/libbar.so.2.0")
                            .needs("libc.so.6", Answer::host, "/lib/libc.so.6"),
                        FileBuilder("/usr/lib/libbar.so.2.0")
                            .needs_version("libc.so.6", "GLIBC_2.36", {"arc4random"})}));
  CHECK(best_name(verdict) == "manylinux_2_36");
  CHECK(own_name(verdict) == "manylinux_2_5");
  CHECK(verdict.policies[verdict.best].grafts == std::vector<deps::NodeId>{2, 3});
  const PolicyVerdict& old = named(verdict, "manylinux_2_28");
  REQUIRE(old.offences.size() == 1);
  CHECK_FALSE(old.offences[0].in_wheel);
  CHECK(
      old.offences[0].sentence() ==
      "/usr/lib/libbar.so.2.0 (to be bundled) needs GLIBC_2.36 (libc.so.6) for symbol arc4random");
  CHECK(verdict.floors.at("glibc").file == "/usr/lib/libbar.so.2.0");
}

TEST_CASE("auto does not bundle what a newer policy allows from the system") {
  const auto verdict = judge(make_graph(
      {extension().needs("libmvec.so.1", Answer::host, "/lib/libmvec.so.1")},
      {host_libc(), FileBuilder("/lib/libmvec.so.1").needs_version("libm.so.6", "GLIBC_2.2.5")}));
  CHECK(named(verdict, "manylinux_2_17").satisfied);
  CHECK(named(verdict, "manylinux_2_17").grafts.size() == 1);
  CHECK(named(verdict, "manylinux_2_24").grafts.empty());
  CHECK(best_name(verdict) == "manylinux_2_24");
}

TEST_CASE("the needs of a library that the policy leaves to the system do not count") {
  const auto verdict = judge(make_graph(
      {extension().needs("libmvec.so.1", Answer::host, "/lib/libmvec.so.1")},
      {host_libc(), FileBuilder("/lib/libmvec.so.1").needs_version("libc.so.6", "GLIBC_2.35")}));
  CHECK_FALSE(named(verdict, "manylinux_2_17").satisfied);
  CHECK(best_name(verdict) == "manylinux_2_24");
}

TEST_CASE("excluded libraries end the walk") {
  const auto verdict = judge(make_graph({extension().needs("libcudart.so.12", Answer::excluded)}));
  CHECK(best_name(verdict) == "manylinux_2_5");
  CHECK(verdict.policies[0].grafts.empty());
}

TEST_CASE("a bundled library that a policy would allow counts by its own symbols") {
  const auto verdict =
      judge(make_graph({extension().needs("libstdc++.so.6", Answer::sibling, "pkg/libstdc++.so.6"),
                        FileBuilder("pkg/libstdc++.so.6")
                            .needs_version("libc.so.6", "GLIBC_2.38", {"__isoc23_strtoul"})}));
  CHECK(best_name(verdict) == "manylinux_2_38");
  CHECK(named(verdict, "manylinux_2_28").offences.at(0).file == "pkg/libstdc++.so.6");
}

TEST_CASE("a missing library is in the way unless the policy has it") {
  const auto verdict = judge(
      make_graph({extension().needs("libcudart.so.12").needs("libm.so.6").needs("libexpat.so.1")}));
  CHECK(best_name(verdict) == "linux");
  CHECK(own_name(verdict) == "manylinux_2_5");
  const PolicyVerdict& newest = named(verdict, "manylinux_2_41");
  REQUIRE(newest.offences.size() == 1);
  CHECK(newest.offences[0].sentence() == "pkg/_x.so needs libcudart.so.12, which was not found");
  CHECK(named(verdict, "manylinux_2_5").offences.size() == 2);
}

TEST_CASE("a missing library is named with the places that were searched") {
  auto graph = make_graph({extension().needs("libgone.so.1")});
  graph.nodes[0].edges.back().searched = {"$ORIGIN/lib", "/usr/lib"};
  CHECK(named(judge(graph), "manylinux_2_5").offences.at(0).sentence() ==
        "pkg/_x.so needs libgone.so.1, which was not found (searched $ORIGIN/lib, /usr/lib)");
}

TEST_CASE("a path in NEEDED goes by its last part") {
  const auto verdict = judge(make_graph(
      {extension()
           .needs("/usr/lib/libm.so.6", Answer::host, "/lib/libm.so.6")
           .needs("/build/libfoo.so.1")},
      {host_libc(), FileBuilder("/lib/libm.so.6").needs_version("libc.so.6", "GLIBC_PRIVATE")}));
  const PolicyVerdict& newest = named(verdict, "manylinux_2_41");
  CHECK(newest.grafts.empty());
  REQUIRE(newest.offences.size() == 1);
  CHECK(newest.offences[0].library == "/build/libfoo.so.1");
}

TEST_CASE("plain linux leaves every library to the system, a policy those that it lists") {
  const auto policies = policies_for(Libc::glibc, "x86_64");
  CHECK(comes_from_system(*policies.back(), Libc::glibc, "libanything.so"));
  CHECK(comes_from_system(*policies.front(), Libc::glibc, "libm.so.6"));
  CHECK(comes_from_system(*policies.front(), Libc::glibc, "ld-linux-x86-64.so.2"));
  CHECK_FALSE(comes_from_system(*policies.front(), Libc::glibc, "libexpat.so.1"));
  CHECK_FALSE(comes_from_system(*policies.front(), Libc::glibc, "libpthread.so"));
  CHECK(
      comes_from_system(*policies_for(Libc::musl, "x86_64").front(), Libc::musl, "libpthread.so"));
}

TEST_CASE("the dynamic linker is never bundled and never missing") {
  const auto verdict = judge(make_graph(
      {extension().needs("ld-linux-x86-64.so.2").needs("ld64.so.2").needs("ld64.so.1")}));
  CHECK(best_name(verdict) == "manylinux_2_5");
}

TEST_CASE("forbidden symbols keep a wheel from a policy when they are strong") {
  const auto with = [](bool weak) {
    return judge(
        make_graph({extension().imports("__cxa_thread_atexit_impl", weak).needs("libm.so.6")}));
  };
  CHECK(best_name(with(true)) == "manylinux_2_5");
  CHECK(best_name(with(false)) == "manylinux_2_24");
  CHECK(
      named(with(false), "manylinux_2_17").offences.at(0).sentence() ==
      "pkg/_x.so uses symbol __cxa_thread_atexit_impl, which libc.so.6 has not on every system of "
      "this platform");
}

TEST_CASE("a forbidden symbol counts only with its library, and not when another one has it") {
  CHECK(best_name(judge(make_graph({extension().imports("inflate_fast")}))) == "manylinux_2_5");
  CHECK(best_name(judge(make_graph({extension()
                                        .needs("libz.so.1")
                                        .imports("inflate_fast", false, "MY_1", "libmine.so")}))) ==
        "manylinux_2_5");
  CHECK(best_name(judge(make_graph({extension().needs("libz.so.1").imports("inflate_fast")}))) ==
        "linux");
  CHECK(best_name(judge(make_graph(
            {extension().needs("libz.so.1", Answer::excluded).imports("inflate_fast")}))) ==
        "manylinux_2_5");
}

TEST_CASE("a processor level above the baseline meets no policy unless the check is off") {
  const auto graph =
      make_graph({extension().facts([](auto& facts) { facts.isa_needed = 1 | 2 | 4; })});
  const auto verdict = judge(graph);
  CHECK(best_name(verdict) == "linux");
  CHECK(named(verdict, "manylinux_2_41").offences.at(0).sentence() ==
        "pkg/_x.so needs a processor of level x86-64-v3");
  CHECK(best_name(judge(graph, {.check_isa = false})) == "manylinux_2_5");
  CHECK(best_name(judge(make_graph(
            {extension().facts([](auto& facts) { facts.isa_needed = 1; })}))) == "manylinux_2_5");
  CHECK(best_name(judge(make_graph(
            {extension().facts([](auto& facts) { facts.isa_needed = 32; })}))) == "linux");
}

TEST_CASE("a processor level of a bundled library counts where it is bundled") {
  const auto verdict = judge(make_graph(
      {extension().needs("libmvec.so.1", Answer::host, "/lib/libmvec.so.1")},
      {host_libc(),
       FileBuilder("/lib/libmvec.so.1").facts([](auto& facts) { facts.isa_needed = 8; })}));
  CHECK_FALSE(named(verdict, "manylinux_2_17").satisfied);
  CHECK(best_name(verdict) == "manylinux_2_24");
}

TEST_CASE("symbols of special Python builds meet no policy") {
  CHECK(best_name(judge(make_graph({extension().imports("PyFPE_jbuf")}))) == "linux");
  CHECK(best_name(judge(make_graph({extension().imports("PyUnicodeUCS2_AsUTF8String")}))) ==
        "linux");
  CHECK(best_name(judge(make_graph({extension().imports("PyFPE_jbuf", true)}))) == "manylinux_2_5");
}

TEST_CASE("an extension's libpython is neither bundled nor missing; a program's is in the way") {
  const auto with = [](elf::FileKind kind, const std::string& own_copy = {}) {
    return judge(make_graph({extension()
                                 .needs("libpython3.13t.so.1.0", Answer::libpython, own_copy)
                                 .facts([&](auto& facts) { facts.kind = kind; }),
                             FileBuilder("pkg/libpython3.13t.so.1.0")},
                            {host_libc()}));
  };
  const auto shared = with(elf::FileKind::shared_object);
  CHECK(best_name(shared) == "manylinux_2_5");
  CHECK(shared.policies[shared.best].grafts.empty());
  const auto program = with(elf::FileKind::pie);
  CHECK(best_name(program) == "linux");
  CHECK(named(program, "manylinux_2_41").offences.at(0).sentence() ==
        "pkg/_x.so needs libpython3.13t.so.1.0, which a wheel of this platform may not need");
  CHECK(best_name(with(elf::FileKind::pie, "pkg/libpython3.13t.so.1.0")) == "manylinux_2_5");
}

TEST_CASE("what a wheel is as it stands takes nothing from this machine") {
  const auto verdict = judge(make_graph(
      {extension().needs("libfoo.so.1", Answer::host, "/lib/libfoo.so.1")},
      {host_libc(), FileBuilder("/lib/libfoo.so.1").needs_version("libc.so.6", "GLIBC_2.34")}));
  const auto name = [](const auto& v, std::size_t index) { return v.policies[index].policy->name; };
  CHECK(name(verdict, verdict.as_is) == "linux");
  CHECK(name(verdict, verdict.by_versions) == "manylinux_2_34");
  CHECK(name(verdict, verdict.best) == "manylinux_2_34");
  CHECK(name(verdict, verdict.own) == "manylinux_2_5");
  const auto python =
      judge(make_graph({extension().needs("libpython3.11.so.1.0", Answer::libpython)}));
  CHECK(name(python, python.as_is) == "linux");
  CHECK(name(python, python.best) == "manylinux_2_5");
  const auto plain = judge(make_graph({extension()}));
  CHECK(name(plain, plain.as_is) == "manylinux_2_5");
}

TEST_CASE("musl judges libraries and takes the newest version, which alone is sure") {
  const auto graph =
      make_graph({FileBuilder("pkg/_x.so")
                      .needs("libc.musl-x86_64.so.1")
                      .needs("libpthread.so.0")
                      .needs("ld-musl-x86_64.so.1")
                      .needs("libgcc_s.so.1", Answer::host, "/usr/lib/libgcc_s.so.1")},
                 {FileBuilder("/usr/lib/libgcc_s.so.1").needs("libc.so")});
  const auto verdict = judge(graph, {}, Libc::musl);
  CHECK(best_name(verdict) == "musllinux_1_2");
  CHECK(verdict.policies[verdict.best].grafts == std::vector<deps::NodeId>{1});
  CHECK(named(verdict, "musllinux_1_1").satisfied);
}

TEST_CASE("files of another architecture or libc are left aside with a note") {
  const auto verdict = judge(make_graph(
      {extension(), FileBuilder("pkg/fw.elf").needs("libnothere.so").facts([](auto& facts) {
         facts.machine = 183;
       }),
       FileBuilder("pkg/musl.so").needs("libc.musl-x86_64.so.1").needs("libnothere.so"),
       FileBuilder("pkg/object.o").facts([](auto& facts) {
         facts.kind = elf::FileKind::relocatable;
         facts.isa_needed = 8;
       })},
      {host_libc()}));
  CHECK(best_name(verdict) == "manylinux_2_5");
  const std::vector<std::string> notes = {"pkg/fw.elf is for aarch64, not for x86_64: not judged",
                                          "pkg/musl.so is for musl, not for glibc: not judged"};
  CHECK(verdict.notes == notes);
}

TEST_CASE("on Android libpython is an ordinary need and the system's libraries are its own") {
  const auto arm = [](auto& facts) { facts.machine = 183; };
  const auto verdict = judge(make_graph({FileBuilder("pkg/_x.so")
                                             .facts(arm)
                                             .needs("libc.so")
                                             .needs("liblog.so")
                                             .needs("libpython3.13.so", Answer::libpython)}),
                             {}, Libc::bionic, "aarch64");
  CHECK(best_name(verdict) == "android_21");
}

TEST_CASE(
    "an Android wheel is held against the level of its name alone, under Android's name of the "
    "machine") {
  const auto arm = [](auto& facts) { facts.machine = 183; };
  const auto graph = make_graph({FileBuilder("a.so").facts(arm).needs("libaaudio.so")});
  const auto at_level = [&](int level) {
    EvaluateOptions options;
    options.android_level = level;
    return evaluate(graph, Libc::bionic, "aarch64", options);
  };
  const auto new_enough =
      at_level(29);  // libaaudio is there from 26 on; the tables have 27, not 29
  CHECK(new_enough.tag(new_enough.strictest) == "android_29_arm64_v8a");
  CHECK(new_enough.as_is == new_enough.strictest);
  CHECK(new_enough.by_versions == new_enough.strictest);
  const auto too_old = at_level(24);
  CHECK(too_old.tag(too_old.strictest) == "android_24_arm64_v8a");
  CHECK(too_old.tag(too_old.as_is) == "linux_aarch64");
}

TEST_CASE("a wheel without ELF files that count meets everything") {
  const auto verdict = judge(make_graph({}));
  CHECK(best_name(verdict) == "manylinux_2_5");
  CHECK(verdict.floors.empty());
}

TEST_CASE("files for ARM are those of an armv6l wheel, since their headers do not tell the level") {
  const auto arm = [](auto& facts) {
    facts.machine = 40;
    facts.bits = 32;
    facts.flags = 0x5000400;  // EABI5, hard float
  };
  const auto verdict =
      judge(make_graph({FileBuilder("a.so").facts(arm)}), {}, Libc::glibc, "armv6l");
  CHECK(verdict.notes.empty());
  CHECK(verdict.tag(verdict.as_is) == "linux_armv6l");
  CHECK_FALSE(serves("armv6l", "armv7l"));
  CHECK_FALSE(serves(std::nullopt, "armv6l"));
  CHECK(serves("s390x", "s390x"));
}

TEST_CASE("an architecture that no table has knows only linux") {
  const auto verdict = judge(make_graph({}), {}, Libc::glibc, "sparc64");
  REQUIRE(verdict.policies.size() == 1);
  CHECK(verdict.best == 0);
}

TEST_CASE("the floors are those of what the best policy delivers") {
  // libexpat is bundled under 2_5 only; its need of 2.11 is no floor of a wheel that leaves it out.
  const auto verdict = judge(make_graph(
      {extension().needs("libexpat.so.1", Answer::host, "/lib/libexpat.so.1")},
      {host_libc(), FileBuilder("/lib/libexpat.so.1").needs_version("libc.so.6", "GLIBC_2.11")}));
  CHECK(best_name(verdict) == "manylinux_2_12");
  CHECK(verdict.floors.at("glibc").version == "2.2.5");
  CHECK_FALSE(verdict.floors.contains("libstdc++"));
}

TEST_CASE("names from a file are escaped in sentences") {
  Offence offence;
  offence.kind = Offence::Kind::missing_library;
  offence.file = "pkg/\x1b[31m.so";
  offence.library = "lib\n.so";
  CHECK(offence.sentence() == "pkg/\\x1b[31m.so needs lib\\n.so, which was not found");
}

TEST_CASE("a sentence names a few symbols and counts the rest") {
  Offence offence;
  offence.file = "a.so";
  offence.library = "libc.so.6";
  offence.version = "GLIBC_2.34";
  offence.symbols = {"a", "b", "c", "d", "e", "f"};
  CHECK(offence.sentence() ==
        "a.so needs GLIBC_2.34 (libc.so.6) for symbols a, b, c, d and 2 more");
}

}  // namespace
}  // namespace truewheel::policy
