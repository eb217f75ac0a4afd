// SPDX-License-Identifier: Apache-2.0
// Where a file system has no O_TMPFILE the output has a hidden name until it is published. The
// source is compiled once more for such a place: a folder opened for writing fails with EISDIR,
// which is what kernels without O_TMPFILE say.
#include <fcntl.h>

#undef O_TMPFILE
#define O_TMPFILE O_DIRECTORY
#define OutputFile NamedOutputFile
#define write_fully write_fully_to_named
#define replace_file replace_named_file
#define file_mode_mask file_mode_mask_of_named
#include "base/output_file.cpp"  // NOLINT(bugprone-suspicious-include)
#undef OutputFile

#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

namespace truewheel {
namespace {

using test::read_text;
using test::TemporaryFolder;
using test::write_text;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

void write(const NamedOutputFile& file, std::string_view text) {
  write_fully(file.descriptor(), text.data(), text.size());
}

}  // namespace

TEST_CASE("without O_TMPFILE one hidden file stands in until the name is given") {
  const TemporaryFolder folder;
  {
    NamedOutputFile file(folder / "out.whl");
    write(file, "content");
    const auto names = names_in(folder.path());
    REQUIRE(names.size() == 1);
    CHECK(names[0].starts_with('.'));
    CHECK(!names[0].ends_with(".whl"));
    file.publish(Existing::refuse);
    CHECK(names_in(folder.path()) == std::vector<std::string>{"out.whl"});
  }
  CHECK(read_text(folder / "out.whl") == "content");
}

TEST_CASE("without O_TMPFILE an abandoned output and its folders are removed") {
  const TemporaryFolder folder;
  {
    NamedOutputFile file(folder / "a/b/out.whl");
    NamedOutputFile moved = std::move(file);
    write(moved, "content");
  }
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("without O_TMPFILE an existing file is refused or replaced as a whole") {
  const TemporaryFolder folder;
  write_text(folder / "precious", "precious");
  std::filesystem::create_symlink("precious", folder / "out.whl");
  {
    NamedOutputFile file(folder / "out.whl");
    write(file, "new");
    CHECK_THROWS_AS(file.publish(Existing::refuse), Error);
    CHECK(read_text(folder / "out.whl") == "precious");
    file.publish(Existing::replace);
  }
  CHECK(read_text(folder / "out.whl") == "new");
  CHECK(read_text(folder / "precious") == "precious");
  CHECK(names_in(folder.path()).size() == 2);
}

TEST_CASE("without O_TMPFILE a folder of the name is an error and nothing stays") {
  const TemporaryFolder folder;
  {
    NamedOutputFile file(folder / "out.whl");
    std::filesystem::create_directory(folder / "out.whl");
    CHECK_THROWS_AS(file.publish(Existing::replace), Error);
    CHECK_THROWS_AS(file.publish(Existing::refuse), Error);
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"out.whl"});
}

TEST_CASE("without O_TMPFILE the mode follows the umask as well") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(0027);
  NamedOutputFile file(folder / "out.whl");
  file.publish(Existing::replace);
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat((folder / "out.whl").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
}

}  // namespace truewheel
