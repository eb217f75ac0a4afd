// SPDX-License-Identifier: Apache-2.0
#include "wheel/version.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

namespace truewheel::wheel {
namespace {

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("parse_wheel_name reads the five parts") {
  const auto name = parse_wheel_name(
      "mooncake_transfer_engine-0.3.13.post1-cp311-cp311-manylinux_2_35_x86_64.whl");
  CHECK(name.distribution == "mooncake_transfer_engine");
  CHECK(name.version == "0.3.13.post1");
  CHECK(name.build.empty());
  CHECK(name.variant.empty());
  CHECK(name.python_tags == Strings{"cp311"});
  CHECK(name.abi_tags == Strings{"cp311"});
  CHECK(name.platform_tags == Strings{"manylinux_2_35_x86_64"});
}

TEST_CASE("parse_wheel_name reads build tag, local version and compressed tag sets") {
  const auto name = parse_wheel_name(
      "a_b-1.0+cu130-1x-py2.py3-cp38.abi3-manylinux2014_x86_64.manylinux_2_17_x86_64.whl");
  CHECK(name.version == "1.0+cu130");
  CHECK(name.build == "1x");
  CHECK(name.python_tags == Strings{"py2", "py3"});
  CHECK(name.abi_tags == Strings{"cp38", "abi3"});
  CHECK(name.platform_tags == Strings{"manylinux2014_x86_64", "manylinux_2_17_x86_64"});
}

TEST_CASE(
    "a sixth part is a build tag with a leading digit, else a variant label, and seven parts have "
    "both") {
  const auto build = parse_wheel_name("p-1-7-py3-none-any.whl");
  CHECK(build.build == "7");
  CHECK(build.variant.empty());
  const auto variant = parse_wheel_name("p-1-py3-none-any-x86_64.v3.whl");
  CHECK(variant.build.empty());
  CHECK(variant.variant == "x86_64.v3");
  CHECK(variant.platform_tags == Strings{"any"});
  const auto both = parse_wheel_name("p-1-7-py3-none-any-cu13.whl");
  CHECK(both.build == "7");
  CHECK(both.variant == "cu13");
}

TEST_CASE("format gives the file name back") {
  for (const char* text : {
           "p-1-py3-none-any.whl",
           "P.q-1.0.0-7a-cp311-cp311-linux_x86_64.whl",
           "p-1+rocm7.2-cp38-abi3-linux_x86_64.whl",
           "p-1-py3-none-any-cu13.whl",
           "p-1-7-py3-none-any-cu13.whl",
           "x-1!2.0rc1.dev3+a_b-py2.py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl",
       }) {
    CAPTURE(text);
    CHECK(parse_wheel_name(text).format() == text);
  }
}

TEST_CASE("parse_wheel_name refuses what is not the name of a wheel") {
  for (const char* text : {
           "",
           ".whl",
           "p-1-py3-none-any",
           "p-1-py3-none-any.zip",
           "p-1-py3-none-any.WHL",
           "p-1-py3-none.whl",
           "p-1-1-py3-none-any-v-w.whl",
           "p-1-x1-py3-none-any-v.whl",           // no build tag where one is due
           "x-dev-cp311-cp311-linux_x86_64.whl",  // no version (auditwheel issue 108)
           "x--cp311-cp311-linux_x86_64.whl",
           "-1-py3-none-any.whl",  // empty parts
           "p-1--none-any.whl",
           "p-1-py3--any.whl",
           "p-1-py3-none-.whl",  //
           "p-1-py3.-none-any.whl",
           "p-1-.py3-none-any.whl",
           "p-1-py3-none-a..b.whl",
           "p-1-3py-none-any.whl",  // a python tag starts with a letter
           "p-1-py3-none-any-CU13.whl",
           "p-1-py3-none-any-.whl",  // labels are lower case and not empty
           "../p-1-py3-none-any.whl",
           "a/p-1-py3-none-any.whl",
           "p q-1-py3-none-any.whl",
           "p\n-1-py3-none-any.whl",
           "p-1 -py3-none-any.whl",
           "p-1-7 8-py3-none-any.whl",
           "p-1-py3-no ne-any.whl",
           "_-1-py3-none-any.whl",
           "caf\xC3\xA9-1-py3-none-any.whl",
       }) {
    CAPTURE(text);
    try {
      static_cast<void>(parse_wheel_name(text));
      FAIL_CHECK("the name was taken");
    } catch (const Error& error) {
      CHECK(error.id() == "wheel-name");
      CHECK(error.kind() == ErrorKind::refused);
    }
  }
}

TEST_CASE("expanded_tags nests platform in abi in python") {
  const auto name = parse_wheel_name("p-1-py2.py3-none.abi3-a.b.whl");
  CHECK(name.expanded_tags() == Strings{"py2-none-a", "py2-none-b", "py2-abi3-a", "py2-abi3-b",
                                        "py3-none-a", "py3-none-b", "py3-abi3-a", "py3-abi3-b"});
}

TEST_CASE("normalized_distribution folds case and runs of separators") {
  CHECK(normalized_distribution("Foo.Bar--baz_.qux") == "foo_bar_baz_qux");
  CHECK(normalized_distribution("plain") == "plain");
}

TEST_CASE("versions that PEP 440 calls equal have one form") {
  const std::vector<std::vector<const char*>> groups = {
      {"1", "1.0", "1.0.0", "v1", "V1.0", "01.00", "0!1"},
      {"1.2.3", "1.2.3.0", "01.2.03"},
      {"1a0", "1.alpha", "1-a", "1_ALPHA.0", "1.0a", "1a.00"},
      {"1b2", "1beta2", "1.beta-2", "1_b_2"},
      {"1rc3", "1c3", "1pre3", "1.preview3", "1-RC.3"},
      {"1.post4", "1-4", "1_4", "1post4", "1.rev4", "1-r4", "1.0.post.4"},
      {"1.post0", "1post", "1.r"},
      {"1.dev5", "1dev5", "1-dev-5", "1_DEV5"},
      {"1+ubuntu.1", "1+ubuntu-1", "1+Ubuntu_01", "1.0+ubuntu.1"},
      {"1a1.post2.dev3", "1.0-alpha-1-2_dev_3"},
      {"2!1"},
      {"1.2"},
      {"10"},
      {"1+rocm7.2"},
      {"1+rocm7.20"},
      {"0", "0.0", "00"},
      {"123456789012345678901234567890"},
  };
  std::vector<std::string> forms;
  for (const auto& group : groups) {
    const auto form = comparable_version(group.front());
    REQUIRE(form);
    for (const char* version : group) {
      CAPTURE(version);
      CHECK(comparable_version(version) == form);
    }
    for (const auto& other : forms) CHECK(other != *form);
    forms.push_back(*form);
  }
}

TEST_CASE("what PEP 440 does not call a version is none") {
  for (const char* text : {"",
                           "dev",
                           "v",
                           "a1",
                           "1.",
                           ".1",
                           "1..2",
                           "1.x",
                           "1a.",
                           "1!",
                           "!1",
                           "1+",
                           "1+a..b",
                           "1+a.",
                           "1+.a",
                           "1 0",
                           "1.0 ",
                           "1.0-",
                           "1.0.dev1.post1",
                           "1.0a1b1",
                           "1.0+a+b",
                           "1-2-3",
                           "1.0*",
                           "\xC2\xB9",
                           "1.0post1post2",
                           "latest",
                           "1.0~rc1"}) {
    CAPTURE(text);
    CHECK(!comparable_version(text));
  }
}

}  // namespace truewheel::wheel
