// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "unit/policy/graph_builder.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace truewheel::policy {
namespace {

using deps::Answer;
using deps::Libc;
using testing::FileBuilder;
using testing::make_graph;

// A wheel with one extension that needs GLIBC_`version`.
Verdict needing(const std::string& version) {
  return testing::judge(
      make_graph({FileBuilder("pkg/_x.so")
                      .needs("libc.so.6")
                      .needs_version("libc.so.6", "GLIBC_" + version, {"some_symbol"})}));
}

TagChoice choose(const Verdict& verdict, const std::string& wish, const std::string& name_tags,
                 TagUpdate update = TagUpdate::all) {
  return choose_tags(verdict, parse_platform_wish(wish, verdict.libc, verdict.architecture), update,
                     split(name_tags, '.'));
}
std::string tags(const Verdict& verdict, const std::string& wish, const std::string& name_tags,
                 TagUpdate update = TagUpdate::all) {
  return join(choose(verdict, wish, name_tags, update).platform_tags, ".");
}

TEST_CASE("platform tags follow auditwheel's rules") {
  struct Row {
    const char *needs, *wish, *name, *expected;
  };
  for (const Row& row : std::vector<Row>{
           {"2.28", "auto", "linux_x86_64", "manylinux_2_28_x86_64"},
           {"2.17", "auto", "linux_x86_64", "manylinux2014_x86_64.manylinux_2_17_x86_64"},
           {"2.5", "auto", "linux_x86_64", "manylinux1_x86_64.manylinux_2_5_x86_64"},
           {"2.17", "manylinux_2_28", "linux_x86_64",
            "manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64"},
           {"2.28", "manylinux_2_28_x86_64", "linux_x86_64", "manylinux_2_28_x86_64"},
           {"2.5", "manylinux2014", "linux_x86_64",
            "manylinux1_x86_64.manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_5_x86_64"},
           {"2.28", "auto", "manylinux_2_28_x86_64", "manylinux_2_28_x86_64"},
           {"2.28", "auto", "any", "manylinux_2_28_x86_64"},
           {"2.28", "auto", "manylinux_2_39_x86_64", "manylinux_2_28_x86_64.manylinux_2_39_x86_64"},
           {"2.28", "auto", "manylinux_2_29_x86_64", "manylinux_2_28_x86_64.manylinux_2_29_x86_64"},
           // Better than auditwheel: a tag that does not hold goes (C7).
           {"2.28", "auto", "manylinux1_x86_64.manylinux_2_5_x86_64", "manylinux_2_28_x86_64"},
           {"2.28", "auto", "manylinux_2_27_x86_64", "manylinux_2_28_x86_64"},
           {"2.28", "auto", "manylinux_2_28_aarch64", "manylinux_2_28_x86_64"},
           {"2.28", "auto", "musllinux_1_2_x86_64", "manylinux_2_28_x86_64"},
           {"2.28", "auto", "macosx_11_0_arm64", "manylinux_2_28_x86_64"},
           {"2.28", "auto", "win_amd64.linux_x86_64", "manylinux_2_28_x86_64"},
           // Plain linux asks for nothing; what the wheel is, it is all the same.
           {"2.37", "linux", "linux_x86_64", "linux_x86_64"},
           {"2.28", "linux", "linux_x86_64", "linux_x86_64.manylinux_2_28_x86_64"},
       }) {
    CAPTURE(row.needs);
    CAPTURE(row.wish);
    CAPTURE(row.name);
    CHECK(tags(needing(row.needs), row.wish, row.name) == row.expected);
  }
}

TEST_CASE("a tag of another system goes with its reason, or is warned about where it stays") {
  const auto dropped = choose(needing("2.28"), "auto", "win_amd64.linux_x86_64");
  CHECK(std::count(dropped.reasons.begin(), dropped.reasons.end(),
                   "win_amd64: dropped, the wheel's ELF files are for Linux") == 1);
  const auto kept = choose(needing("2.28"), "auto", "win_amd64", TagUpdate::none);
  CHECK(kept.platform_tags == std::vector<std::string>{"win_amd64"});
  REQUIRE(kept.warnings.size() == 1);
  CHECK(kept.warnings[0].find("win_amd64, which is not true") != std::string::npos);
}

TEST_CASE("--only-plat leaves the asked tag and its alias") {
  const auto only = TagUpdate::only_wish;
  CHECK(tags(needing("2.5"), "manylinux2014", "linux_x86_64", only) ==
        "manylinux2014_x86_64.manylinux_2_17_x86_64");
  CHECK(tags(needing("2.5"), "manylinux_2_28", "manylinux_2_35_x86_64", only) ==
        "manylinux_2_28_x86_64");
  CHECK(tags(needing("2.5"), "auto", "linux_x86_64", only) ==
        "manylinux1_x86_64.manylinux_2_5_x86_64");
}

TEST_CASE("--no-update-tags changes no name and warns of a false tag") {
  const TagChoice choice = choose(needing("2.28"), "auto",
                                  "manylinux_2_5_x86_64.manylinux_2_31_x86_64", TagUpdate::none);
  CHECK(join(choice.platform_tags, ".") == "manylinux_2_5_x86_64.manylinux_2_31_x86_64");
  REQUIRE(choice.warnings.size() == 1);
  CHECK(choice.warnings[0].find("manylinux_2_5_x86_64") != std::string::npos);
  CHECK(choice.warnings[0].find("GLIBC_2.28") != std::string::npos);
  CHECK(choose(needing("2.28"), "auto", "linux_x86_64", TagUpdate::none).warnings.empty());
  CHECK(choose(needing("2.28"), "auto", "any", TagUpdate::none).warnings.size() == 1);
}

TEST_CASE("every tag that stays, comes or goes has a reason") {
  const TagChoice choice =
      choose(needing("2.17"), "manylinux_2_28", "linux_x86_64.manylinux_2_12_x86_64");
  const std::vector<std::string> expected = {
      "manylinux2014_x86_64: another name of manylinux_2_17_x86_64",
      "manylinux_2_17_x86_64: the wheel meets it, too",
      "manylinux_2_28_x86_64: asked for",
      "linux_x86_64: replaced by manylinux_2_28_x86_64",
      "manylinux_2_12_x86_64: dropped, pkg/_x.so needs GLIBC_2.17 (libc.so.6) for symbol "
      "some_symbol",
  };
  CHECK(choice.reasons == expected);
}

// libexpat is the system's from 2_12 on; below, it must be bundled.
Verdict with_expat() {
  return testing::judge(make_graph(
      {FileBuilder("pkg/_x.so").needs("libexpat.so.1", Answer::host, "/lib/libexpat.so.1")},
      {FileBuilder("/lib/libexpat.so.1").needs_version("libc.so.6", "GLIBC_2.2.5")}));
}

TEST_CASE("no better tag is taken that would bundle more libraries") {
  const Verdict verdict = with_expat();
  CHECK(tags(verdict, "auto", "linux_x86_64") == "manylinux2010_x86_64.manylinux_2_12_x86_64");
  const TagChoice newer = choose(verdict, "manylinux_2_28", "linux_x86_64");
  CHECK(join(newer.platform_tags, ".") ==
        "manylinux2010_x86_64.manylinux_2_12_x86_64.manylinux_2_28_x86_64");
  CHECK(verdict.policies[newer.policy].grafts.empty());
}

TEST_CASE("an old platform that bundles more is there for who asks for it") {
  const Verdict verdict = with_expat();
  const TagChoice choice = choose(verdict, "manylinux1", "linux_x86_64");
  CHECK(join(choice.platform_tags, ".") == "manylinux1_x86_64.manylinux_2_5_x86_64");
  CHECK(verdict.policies[choice.policy].grafts == std::vector<deps::NodeId>{1});
}

TEST_CASE("a tag of the name that counts on a library left outside goes") {
  const TagChoice choice = choose(with_expat(), "auto", "manylinux1_x86_64");
  CHECK(join(choice.platform_tags, ".") == "manylinux2010_x86_64.manylinux_2_12_x86_64");
  CHECK(choice.reasons.back() ==
        "manylinux1_x86_64: dropped, it would have to bundle more libraries");
}

std::string failure(const Verdict& verdict, const std::string& wish, std::string* hint = nullptr) {
  try {
    (void)choose(verdict, wish, "linux_x86_64");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unfit);
    CHECK(error.id() == "platform-not-met");
    if (hint != nullptr) *hint = error.hint();
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a platform that is not met is refused with file, version and symbol") {
  std::string hint;
  CHECK(failure(needing("2.34"), "manylinux_2_28", &hint) ==
        "the wheel does not meet manylinux_2_28_x86_64 for 1 reason:\n"
        "  pkg/_x.so needs GLIBC_2.34 (libc.so.6) for symbol some_symbol");
  CHECK(hint == "the best platform that the wheel meets is manylinux_2_34_x86_64");
}

TEST_CASE("auto with nothing met is refused with the newest platform's reasons") {
  CHECK(failure(needing("PRIVATE"), "auto") ==
        "the wheel does not meet manylinux_2_41_x86_64 for 1 reason:\n"
        "  pkg/_x.so needs GLIBC_PRIVATE (libc.so.6) for symbol some_symbol");
}

TEST_CASE("missing libraries are refused all at once, with a way out") {
  FileBuilder file("pkg/_x.so");
  for (int i = 0; i < 25; ++i) file.needs("lib" + std::to_string(i) + ".so");
  std::string hint;
  const std::string message = failure(testing::judge(make_graph({file})), "auto", &hint);
  CHECK(message.find("\n  pkg/_x.so needs lib0.so, which was not found") != std::string::npos);
  CHECK(message.ends_with("\n  and 5 more"));
  CHECK(hint.find("--search") != std::string::npos);
  CHECK(hint.find("--exclude") != std::string::npos);
}

TEST_CASE("plain linux is met even when libraries are missing") {
  const Verdict verdict = testing::judge(make_graph({FileBuilder("a.so").needs("libgone.so")}));
  CHECK(tags(verdict, "linux", "linux_x86_64") == "linux_x86_64");
  CHECK(tags(verdict, "linux", "any") == "linux_x86_64");
}

TEST_CASE("an architecture without tables is refused by auto and accepted as linux") {
  const Verdict verdict = testing::judge(make_graph({}), {}, Libc::glibc, "sparc64");
  CHECK(failure(verdict, "auto").find("no platform is known for sparc64") != std::string::npos);
  CHECK(tags(verdict, "linux", "linux_sparc64") == "linux_sparc64");
  try {
    (void)choose(verdict, "auto", "linux_sparc64");
  } catch (const Error& error) {
    CHECK(error.hint() == "--plat linux keeps the tag linux_sparc64 and bundles nothing");
  }
}

Verdict musl_verdict() {
  return testing::judge(make_graph({FileBuilder("a.so").needs("libc.musl-x86_64.so.1")}), {},
                        Libc::musl);
}

TEST_CASE("musl wheels get the newest version, older ones only when asked for or named") {
  const Verdict verdict = musl_verdict();
  CHECK(tags(verdict, "auto", "linux_x86_64") == "musllinux_1_2_x86_64");
  CHECK(tags(verdict, "musllinux_1_2", "linux_x86_64") == "musllinux_1_2_x86_64");
  CHECK(tags(verdict, "musllinux_1_1", "linux_x86_64") == "musllinux_1_1_x86_64");
  CHECK(tags(verdict, "auto", "musllinux_1_1_x86_64") ==
        "musllinux_1_1_x86_64.musllinux_1_2_x86_64");
  CHECK(tags(verdict, "auto", "manylinux2014_x86_64") == "musllinux_1_2_x86_64");
}

Verdict android_verdict() {
  return testing::judge(make_graph({FileBuilder("a.so")
                                        .facts([](auto& facts) { facts.machine = 183; })
                                        .needs("libc.so")
                                        .needs("libaaudio.so")}),
                        {}, Libc::bionic, "aarch64");
}

TEST_CASE("an Android wheel keeps the API level of its name and is held against it") {
  const Verdict verdict = android_verdict();
  const TagChoice choice = choose(verdict, "auto", "android_29_arm64_v8a");
  CHECK(join(choice.platform_tags, ".") == "android_29_arm64_v8a");
  CHECK(verdict.policies[choice.policy].policy->name == "android_27");
  CHECK(tags(verdict, "android_26", "android_29_arm64_v8a") ==
        "android_26_arm64_v8a.android_29_arm64_v8a");
  CHECK_THROWS_AS((void)choose(verdict, "auto", "android_24_arm64_v8a"), Error);  // no libaaudio
  CHECK_THROWS_AS((void)choose(verdict, "auto", "linux_aarch64"), Error);
}

}  // namespace
}  // namespace truewheel::policy
