// SPDX-License-Identifier: Apache-2.0
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

namespace truewheel::wheel {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view kText =
    "Wheel-Version: 1.0\n"
    "Generator: setuptools (80.0)\n"
    "Root-Is-Purelib: false\n"
    "Tag: py2-none-linux_x86_64\n"
    "Tag: py3-none-linux_x86_64\n"
    "Build: 7\n"
    "X-Other: kept\n\n";

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(WheelMetadata::parse(text));
    return "taken";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return error.id();
  }
}

}  // namespace

TEST_CASE("WHEEL is read and comes out as it was when nothing is edited") {
  auto metadata = WheelMetadata::parse(kText);
  CHECK(metadata.tags() == Strings{"py2-none-linux_x86_64", "py3-none-linux_x86_64"});
  CHECK(!metadata.root_is_purelib());
  CHECK(metadata.notes().empty());
  CHECK(metadata.format() == kText);
}

TEST_CASE("set_tags replaces the tags where the first one stood and keeps all else") {
  auto metadata = WheelMetadata::parse(kText);
  metadata.set_tags({"py3-none-manylinux_2_28_x86_64"});
  CHECK(metadata.tags() == Strings{"py3-none-manylinux_2_28_x86_64"});
  CHECK(metadata.format() ==
        "Wheel-Version: 1.0\nGenerator: setuptools (80.0)\nRoot-Is-Purelib: false\n"
        "Tag: py3-none-manylinux_2_28_x86_64\nBuild: 7\nX-Other: kept\n\n");
}

TEST_CASE("set_tags gathers scattered tags and adds them where there were none") {
  auto scattered = WheelMetadata::parse(
      "Wheel-Version: 1.0\nTAG: a-b-c\nBuild: 1\ntag: d-e-f\nRoot-Is-Purelib: true\n");
  scattered.set_tags({"x-y-z", "x-y-w"});
  CHECK(scattered.format() ==
        "Wheel-Version: 1.0\nTag: x-y-z\nTag: x-y-w\nBuild: 1\nRoot-Is-Purelib: true\n");
  auto none = WheelMetadata::parse("Wheel-Version: 1.0\nRoot-Is-Purelib: true");
  CHECK(none.notes() == Strings{"there is no Tag"});
  none.set_tags({"x-y-z"});
  CHECK(none.format() == "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: x-y-z\n");
}

TEST_CASE("set_root_is_purelib edits, adds, and leaves one line") {
  auto metadata = WheelMetadata::parse(kText);
  metadata.set_root_is_purelib(true);
  CHECK(metadata.root_is_purelib());
  CHECK(metadata.format().find("Root-Is-Purelib: true\nTag") != std::string::npos);
  auto missing = WheelMetadata::parse("Wheel-Version: 1.0\nTag: a-b-c\n");
  CHECK(missing.notes().size() == 1);
  CHECK(!missing.root_is_purelib());
  missing.set_root_is_purelib(false);
  CHECK(missing.format() == "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: a-b-c\n");
}

TEST_CASE("of several Root-Is-Purelib lines the first one stays, with a note") {
  auto metadata = WheelMetadata::parse(
      "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: a-b-c\nroot-is-purelib: false\n");
  CHECK(metadata.root_is_purelib());
  CHECK(metadata.notes().size() == 1);
  CHECK(metadata.format() == "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: a-b-c\n");
}

TEST_CASE("malformed tags are noted and replaced") {
  auto metadata = WheelMetadata::parse(
      "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag:\nTag: nonsense\nTag: a-b-c\n");
  CHECK(metadata.tags() == Strings{"nonsense", "a-b-c"});
  CHECK(metadata.notes().size() == 2);
  metadata.set_tags({"x-y-z"});
  CHECK(metadata.format() == "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: x-y-z\n");
}

TEST_CASE("line ends, folded lines and a body are kept") {
  const std::string windows = "Wheel-Version: 1.0\r\nRoot-Is-Purelib: true\r\nTag: a-b-c\r\n\r\n";
  auto metadata = WheelMetadata::parse(windows);
  CHECK(metadata.format() == windows);
  CHECK(metadata.root_is_purelib());
  metadata.set_tags({"x-y-z"});
  CHECK(metadata.format() == "Wheel-Version: 1.0\r\nRoot-Is-Purelib: true\r\nTag: x-y-z\r\n\r\n");

  const std::string folded =
      "Wheel-Version: 1.0\nGenerator: a\n b\n\tc\nRoot-Is-Purelib: true\nTag: a-b-c\n\nTag: body\n";
  auto with_body = WheelMetadata::parse(folded);
  CHECK(with_body.format() == folded);
  CHECK(with_body.tags() == Strings{"a-b-c"});
}

TEST_CASE("a line that is no header ends the headers, with a note") {
  const std::string text =
      "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: a-b-c\njunk\nTag: x-y-z\n";
  const auto metadata = WheelMetadata::parse(text);
  CHECK(metadata.tags() == Strings{"a-b-c"});
  CHECK(metadata.notes().size() == 1);
  CHECK(metadata.format() == text);
}

TEST_CASE("a carriage return that stands alone is refused, since installers end a line there") {
  CHECK(refusal("Wheel-Version: 1.0\nGenerator: a\rRoot-Is-Purelib: true\n") ==
        "wheel-metadata-line");
  CHECK(refusal("Wheel-Version: 1.0\r") == "wheel-metadata-line");
  CHECK(refusal("Wheel-Version: 1.0\r\r\n") == "wheel-metadata-line");
  CHECK(refusal("Wheel-Version: 1.0\r\nTag: py3-none-any\r\n") == "taken");
}

TEST_CASE("a WHEEL larger than any is refused") {
  CHECK(refusal("Wheel-Version: 1.0\n\n" + std::string(1U << 20U, 'x')) == "wheel-metadata-size");
}

TEST_CASE("each part of each Wheel-Version counts") {
  CHECK(refusal("Wheel-Version: 1.0.0a\n") == "wheel-metadata-version");
  CHECK(refusal("Wheel-Version: 1.0\nWheel-Version: 2.0\n") == "wheel-metadata-version");
  CHECK(refusal("Wheel-Version: 1.0.0\n") == "taken");
}

TEST_CASE("Wheel-Version decides whether the file is understood") {
  const auto with = [](std::string_view version) {
    return "Wheel-Version: " + std::string(version) + "\nRoot-Is-Purelib: true\nTag: a-b-c\n";
  };
  CHECK(refusal(with("2.0")) == "wheel-metadata-version");
  CHECK(refusal(with("0.1")) == "wheel-metadata-version");
  CHECK(refusal(with("x")) == "wheel-metadata-version");
  CHECK(refusal(with("")) == "wheel-metadata-version");
  CHECK(refusal(with("1.x")) == "wheel-metadata-version");
  CHECK(refusal(with("4294967297.0")) == "wheel-metadata-version");
  CHECK(refusal("Root-Is-Purelib: true\nTag: a-b-c\n") == "wheel-metadata-version");
  CHECK(refusal("") == "wheel-metadata-version");
  CHECK(refusal("\n" + with("1.0")) == "wheel-metadata-version");
  CHECK(refusal(with("1.0") + "X: \xFF\n") == "wheel-metadata-encoding");
  CHECK(refusal(with("1")) == "taken");
  CHECK(WheelMetadata::parse(with("1.9")).notes().size() == 1);
  CHECK(WheelMetadata::parse(with("1.0")).notes().empty());
}

}  // namespace truewheel::wheel
