// SPDX-License-Identifier: Apache-2.0
#include "repair/graft_name.hpp"

#include <doctest/doctest.h>

using truewheel::repair::graft_names_of;
using truewheel::repair::GraftNames;

namespace {
const std::string kDigest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string kOther = "01234567ffffffff0123456789abcdef0123456789abcdef0123456789abcdef";
}  // namespace

TEST_CASE("a graft's name carries eight digits of its hash before the first dot") {
  GraftNames names({});
  CHECK(names.pick("libfoo.so.1.2", kDigest) == "libfoo-01234567.so.1.2");
  CHECK(names.pick("libfoo-1.2.so", kDigest) == "libfoo-1-01234567.2.so");
  CHECK(names.pick("libnodot", kDigest) == "libnodot-01234567");
}

TEST_CASE("a library that was grafted before keeps its name") {
  GraftNames names({});
  CHECK(names.pick("libglog-43102265.so.0", kDigest) == "libglog-43102265.so.0");
  CHECK(names.pick("libglog-4310226.so.0", kDigest) == "libglog-4310226-01234567.so.0");
  CHECK(names.pick("libglog-4310226G.so.0", kDigest) == "libglog-4310226G-01234567.so.0");
}

TEST_CASE("a name that is taken, in whatever case, gets more digits") {
  GraftNames names({"LIBFOO-01234567.so.1"});
  CHECK(names.pick("libfoo.so.1", kDigest) == "libfoo-0123456789abcdef.so.1");
  CHECK(names.pick("libfoo.so.1", kOther) == "libfoo-01234567ffffffff.so.1");
  CHECK(names.pick("libbar.so", kDigest) == "libbar-01234567.so");
  CHECK(names.pick("libbar.so", kOther) == "libbar-01234567ffffffff.so");
}

TEST_CASE("a grafted name that is taken by other bytes is hashed once more") {
  GraftNames names({"libglog-43102265.so.0"});
  CHECK(names.pick("libglog-43102265.so.0", kDigest) == "libglog-43102265-01234567.so.0");
}

TEST_CASE("every name that a library may have got is known again") {
  const auto plain = graft_names_of("libfoo.so.1", kDigest);
  CHECK(plain.contains("libfoo-01234567.so.1"));
  CHECK(plain.contains("libfoo-0123456789abcdef.so.1"));
  CHECK_FALSE(plain.contains("libfoo-01234567ffffffff.so.1"));
  CHECK_FALSE(plain.contains("libfoo.so.1"));
  // auditwheel hashes once more, pick() does not.
  const auto hashed = graft_names_of("libglog-43102265.so.0", kDigest);
  CHECK(hashed.contains("libglog-43102265.so.0"));
  CHECK(hashed.contains("libglog-43102265-01234567.so.0"));
}
