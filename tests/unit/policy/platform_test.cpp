// SPDX-License-Identifier: Apache-2.0
#include <truewheel/error.hpp>
#include <truewheel/policy.hpp>

#include <doctest/doctest.h>

namespace truewheel::policy {
namespace {

using deps::Libc;

std::string shown(std::string_view text) {
  const PlatformTag tag = parse_platform_tag(text);
  return tag.family + " " + std::to_string(tag.major) + "." + std::to_string(tag.minor) + " " +
         tag.architecture + (tag.legacy ? " legacy" : "");
}

TEST_CASE("platform tags come apart into family, number and architecture") {
  CHECK(shown("manylinux_2_28_x86_64") == "manylinux 2.28 x86_64");
  CHECK(shown("manylinux1_i686") == "manylinux 2.5 i686 legacy");
  CHECK(shown("manylinux2010_x86_64") == "manylinux 2.12 x86_64 legacy");
  CHECK(shown("manylinux2014_ppc64le") == "manylinux 2.17 ppc64le legacy");
  CHECK(shown("musllinux_1_2_armv7l") == "musllinux 1.2 armv7l");
  CHECK(shown("linux_x86_64") == "linux 0.0 x86_64");
  CHECK(shown("linux_armv6l") == "linux 0.0 armv6l");
  CHECK(shown("android_24_arm64_v8a") == "android 24.0 aarch64");
  CHECK(shown("android_21_x86") == "android 21.0 i686");
  CHECK(shown("any") == "any 0.0 ");
  CHECK(shown("macosx_11_0_arm64") == "macosx 0.0 ");
  CHECK(shown("win32") == "win 0.0 ");
}

TEST_CASE("what only looks like a platform tag of ours is none") {
  for (const char* text :
       {"manylinux_2_x86_64", "manylinux_x86_64", "manylinux", "manylinux_2_28", "manylinux_2_28_",
        "manylinux3_x86_64", "manylinux_2_99999999999_x86_64", "manylinux_-2_5_x86_64",
        "musllinux_1_x86_64", "android_x86_64", "linux", "any_x86_64", "", "manylinux1"}) {
    CAPTURE(text);
    CHECK(parse_platform_tag(text).family == text);
  }
}

std::string wished(std::string_view text, Libc libc = Libc::glibc,
                   const std::string& architecture = "x86_64") {
  const PlatformWish wish = parse_platform_wish(text, libc, architecture);
  return wish.automatic ? "(auto)" : wish.policy;
}

TEST_CASE("a platform is asked for with or without its architecture, by name or alias") {
  CHECK(wished("auto") == "(auto)");
  CHECK(wished("manylinux_2_35") == "manylinux_2_35");
  CHECK(wished("manylinux_2_35_x86_64") == "manylinux_2_35");
  CHECK(wished("manylinux2014") == "manylinux_2_17");
  CHECK(wished("manylinux1_x86_64") == "manylinux_2_5");
  CHECK(wished("linux") == "linux");
  CHECK(wished("linux_x86_64") == "linux");
  CHECK(wished("musllinux_1_1_aarch64", Libc::musl, "aarch64") == "musllinux_1_1");
  CHECK(wished("android_27_arm64_v8a", Libc::bionic, "aarch64") == "android_27");
  CHECK(wished("android_30", Libc::bionic, "aarch64") == "android_30");
  CHECK(wished("manylinux2014_ppc64", Libc::glibc, "ppc64") == "manylinux_2_17");
}

void refuses(std::string_view text, const std::string& why, Libc libc = Libc::glibc,
             const std::string& architecture = "x86_64") {
  CAPTURE(text);
  try {
    (void)parse_platform_wish(text, libc, architecture);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.id() == "platform-name");
    const std::string message = error.what();
    CHECK_MESSAGE(message.find(why) != std::string::npos, message);
  }
}

TEST_CASE("an unknown platform is refused and the nearest one named") {
  refuses("manylinux_2_29", "nearest one is 'manylinux_2_28'");
  refuses("manylinux_2_42", "nearest one is 'manylinux_2_41'");
  refuses("manylinux_2_50_x86_64", "nearest one is 'manylinux_2_41_x86_64'");
  refuses("manylinux_9_9", "nearest one is 'manylinux_2_41'");
  refuses("manylinx_2_28", "nearest one is 'manylinux_2_28'");
  refuses("manylinux2013", "nearest one is 'manylinux2010'");
  refuses("manylinux_2_35x86_64", "nearest one is 'manylinux_2_35'");
  refuses("atuo", "nearest one is 'auto'");
  refuses("", "there are manylinux_2_5 to manylinux_2_41, linux, and auto");
  refuses("foo", "there are manylinux_2_5 to manylinux_2_41, linux, and auto");
  refuses("foo", "there are musllinux_1_1 to musllinux_1_2, linux, and auto", Libc::musl);
  refuses("manylinux_2_17", "not in the tables for riscv64; the nearest one is 'manylinux_2_31'",
          Libc::glibc, "riscv64");
  refuses("android_20", "nearest one is 'android_21'", Libc::bionic, "aarch64");
  refuses(std::string(100000, 'm'), "unknown platform");
}

TEST_CASE("a platform of another architecture or libc is refused as such") {
  refuses("manylinux_2_28_aarch64", "is for aarch64, the wheel is for x86_64");
  refuses("manylinux_2_28_x86_64_v3", "is for x86_64_v3, the wheel is for x86_64");
  refuses("manylinux_2_17_ppc64", "is for ppc64, the wheel is for ppc64le", Libc::glibc, "ppc64le");
  refuses("musllinux_1_2", "is for musl, the wheel is for glibc");
  refuses("manylinux_2_28_x86_64", "is for glibc, the wheel is for musl", Libc::musl);
  refuses("android_24", "is for Android, the wheel is for glibc");
}

}  // namespace
}  // namespace truewheel::policy
