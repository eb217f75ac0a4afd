// SPDX-License-Identifier: Apache-2.0
#include "base/copy_file.hpp"

#include "base/byte_reader.hpp"
#include "base/file_descriptor.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>

namespace truewheel {
namespace {

using test::read_text;
using test::TemporaryFolder;
using test::write_text;

FileDescriptor open_for_writing(const std::filesystem::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

std::string error_of_copy(int source, int target, std::uint64_t size) {
  try {
    copy_file(source, target, size);
    return "none";
  } catch (const Error& error) {
    return error.id();
  }
}

}  // namespace

TEST_CASE("a copy has the first bytes of its source") {
  const TemporaryFolder folder;
  const std::string text = std::string(5000, 'a') + std::string(200000, 'b') + "end";
  write_text(folder / "source", text);
  const FileDescriptor source(::open((folder / "source").c_str(), O_RDONLY | O_CLOEXEC));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5001}, text.size()}) {
    const auto target = open_for_writing(folder / "target");
    copy_file(source.get(), target.get(), size);
    CHECK(read_text(folder / "target") == text.substr(0, size));
  }
}

TEST_CASE("a copy from another kind of file system has the same bytes") {
  const TemporaryFolder folder;
  const std::string text = std::string(3 << 20, 'c') + "end";
  const FileDescriptor source(::memfd_create("copy-test", MFD_CLOEXEC));
  REQUIRE(source.is_open());
  write_at(source.get(), 0, as_bytes(text));
  const auto target = open_for_writing(folder / "target");
  copy_file(source.get(), target.get(), text.size());
  CHECK(read_text(folder / "target") == text);
}

TEST_CASE("holes stay holes") {
  const TemporaryFolder folder;
  constexpr std::uint64_t kSize = std::uint64_t{64} << 20;
  const auto source = open_for_writing(folder / "source");
  REQUIRE(::ftruncate(source.get(), kSize) == 0);
  write_at(source.get(), 40 << 20, as_bytes("middle"));
  struct stat before {};
  struct stat after {};
  REQUIRE(::fstat(source.get(), &before) == 0);
  for (const std::uint64_t size : {kSize, kSize - 1, std::uint64_t{40} << 20}) {
    const auto target = open_for_writing(folder / "target");
    copy_file(source.get(), target.get(), size);
    REQUIRE(::fstat(target.get(), &after) == 0);
    CHECK(static_cast<std::uint64_t>(after.st_size) == size);
    // Where the file system knows no holes the source has all its blocks as well.
    CHECK(after.st_blocks <= before.st_blocks + 64);
    std::string middle(6, '?');
    if (size > (std::uint64_t{40} << 20)) {
      REQUIRE(::pread(target.get(), middle.data(), 6, 40 << 20) == 6);
      CHECK(middle == "middle");
    }
  }
}

TEST_CASE("a source that is shorter than it was is an error") {
  const TemporaryFolder folder;
  write_text(folder / "source", "short");
  const FileDescriptor source(::open((folder / "source").c_str(), O_RDONLY | O_CLOEXEC));
  const auto target = open_for_writing(folder / "target");
  CHECK(error_of_copy(source.get(), target.get(), 6) == "input-changed");
  CHECK(error_of_copy(source.get(), target.get(), 100000) == "input-changed");
}

TEST_CASE("a target that takes nothing is an error") {
  const TemporaryFolder folder;
  write_text(folder / "source", "text");
  const FileDescriptor source(::open((folder / "source").c_str(), O_RDONLY | O_CLOEXEC));
  const FileDescriptor target(::open((folder / "source").c_str(), O_RDONLY | O_CLOEXEC));
  CHECK(error_of_copy(source.get(), target.get(), 4) == "write");
}

}  // namespace truewheel
