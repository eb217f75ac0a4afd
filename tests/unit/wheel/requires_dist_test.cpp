// SPDX-License-Identifier: Apache-2.0
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

namespace truewheel::wheel {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("required distributions are normalised, sorted and told once") {
  CHECK(required_distributions("Name: p\nRequires-Dist: PyQt6-Qt6\nRequires-Dist: a.b\n"
                               "Requires-Dist: A__B\n") == Names{"a_b", "pyqt6_qt6"});
}

TEST_CASE("a required distribution's name ends before extras, versions, markers and addresses") {
  for (const char* behind : {" (>=12)", "[x]", ";os_name=='nt'", "<2", "=1", ">1", "!=1", "~=1",
                             "@https://example.org", ", b", "\tb", " b", "\r", ""}) {
    CHECK(required_distributions("Requires-Dist:  \tname" + std::string(behind) + "\n") ==
          Names{"name"});
  }
}

TEST_CASE("a field of METADATA is known by its name in any case, at the start of a line only") {
  CHECK(required_distributions("REQUIRES-dist: a\n") == Names{"a"});
  CHECK(required_distributions("X-Requires-Dist: a\n Requires-Dist: b\nRequires: c\n").empty());
  CHECK(required_distributions("Requires-Dist").empty());
  CHECK(required_distributions("Requires-Dist:").empty());
  CHECK(required_distributions("").empty());
}

TEST_CASE("the description of METADATA requires nothing") {
  CHECK(required_distributions("Requires-Dist: a\n\nRequires-Dist: b\n") == Names{"a"});
  CHECK(required_distributions("Requires-Dist: a\r\n\r\nRequires-Dist: b\r\n") == Names{"a"});
}

}  // namespace
}  // namespace truewheel::wheel
