// SPDX-License-Identifier: Apache-2.0
#include "base/folder_names.hpp"

#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

TEST_CASE("the names of a folder are sorted and leave out the folder itself and its parent") {
  const truewheel::test::TemporaryFolder folder;
  for (const char* name : {"b", ".hidden", "a"}) std::ofstream(folder.path() / name) << name;
  const auto names = truewheel::folder_names(folder.path());
  REQUIRE(names);
  CHECK(*names == std::vector<std::string>{".hidden", "a", "b"});
}

TEST_CASE("a folder that is not there, or is a file, has no names") {
  const truewheel::test::TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  CHECK_FALSE(truewheel::folder_names(folder.path() / "absent"));
  CHECK_FALSE(truewheel::folder_names(folder.path() / "file"));
}
