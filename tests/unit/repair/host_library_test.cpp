// SPDX-License-Identifier: Apache-2.0
#include "repair/host_library.hpp"

#include "support/temporary_folder.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

namespace truewheel::repair {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string error_of(const std::filesystem::path& path, const FileStamp& stamp) {
  try {
    static_cast<void>(open_library(path, stamp));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::io);
    return error.id();
  }
  return "none";
}

}  // namespace

TEST_CASE("a library is only bundled if it is still the file that was resolved") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "libx.so.1";
  write(path, "first");
  const auto stamp = MappedFile(path).stamp();
  CHECK(error_of(path, stamp) == "none");

  SUBCASE("another file of that name and size") {
    write(folder.path() / "other", "other");
    std::filesystem::last_write_time(folder.path() / "other",
                                     std::filesystem::last_write_time(path));
    std::filesystem::rename(folder.path() / "other", path);
    CHECK(error_of(path, stamp) == "input-changed");
  }
  SUBCASE("another content whose time was set back") {
    const auto time = std::filesystem::last_write_time(path);
    write(path, "after");
    std::filesystem::last_write_time(path, time);
    CHECK(error_of(path, stamp) == "input-changed");
  }
  SUBCASE("none") {
    std::filesystem::remove(path);
    CHECK(error_of(path, stamp) == "input-changed");
  }
}

}  // namespace truewheel::repair
