// SPDX-License-Identifier: Apache-2.0
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <string>

using truewheel::Error;
using truewheel::ErrorKind;

TEST_CASE("a context that the message begins with is not said twice") {
  Error absent(ErrorKind::usage, "absent-input", "'a.whl' does not exist");
  absent.add_context("a.whl");
  CHECK(absent.where().empty());

  Error member(ErrorKind::refused, "elf-x", "pkg/_x.so: .dynamic: entry 14");
  member.add_context("pkg/_x.so");
  member.add_context("a.whl");
  CHECK(member.where() == "a.whl");

  Error twice(ErrorKind::refused, "elf-x", "entry 14");
  twice.add_context("pkg/_x.so");
  twice.add_context("pkg/_x.so");
  twice.add_context("a.whl");
  CHECK(twice.where() == "a.whl: pkg/_x.so");

  Error other(ErrorKind::refused, "elf-x", "pkg/_x.soft: entry 14");
  other.add_context("pkg/_x.so");
  CHECK(other.where() == "pkg/_x.so");
}
