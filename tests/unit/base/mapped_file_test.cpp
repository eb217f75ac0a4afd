// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"

#include "base/byte_reader.hpp"
#include "base/file_descriptor.hpp"
#include "support/temporary_folder.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace truewheel {
namespace {

using test::TemporaryFolder;
using test::write_text;

void check_refused(const std::filesystem::path& path, ErrorKind kind, std::string_view id) {
  try {
    const MappedFile file(path);
    FAIL_CHECK("the file was mapped");
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    CHECK(error.id() == id);
  }
}

}  // namespace

TEST_CASE("a mapped file shows what the file holds") {
  const TemporaryFolder folder;
  write_text(folder / "f", "content");
  const MappedFile file(folder / "f");
  CHECK(as_text(file.bytes()) == "content");
  CHECK(file.unchanged());
}

TEST_CASE("an empty file is mapped to nothing") {
  const TemporaryFolder folder;
  write_text(folder / "f", "");
  const MappedFile file(folder / "f");
  CHECK(file.bytes().empty());
  CHECK(file.unchanged());
}

TEST_CASE("what is not a readable regular file is refused with its reason") {
  const TemporaryFolder folder;
  write_text(folder / "f", "x");
  check_refused(folder / "absent", ErrorKind::usage, "absent-input");
  check_refused(folder / "f/below", ErrorKind::usage, "absent-input");
  check_refused(folder.path(), ErrorKind::io, "unreadable");
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  check_refused(folder / "fifo", ErrorKind::io, "unreadable");
  check_refused("/dev/null", ErrorKind::io, "unreadable");
  std::filesystem::create_symlink("loop", folder / "loop");
  check_refused(folder / "loop", ErrorKind::io, "unreadable");
  if (::geteuid() != 0) {
    ::chmod((folder / "f").c_str(), 0);
    check_refused(folder / "f", ErrorKind::io, "unreadable");
  }
}

TEST_CASE("a change of the file is noticed, a new file of that name is none") {
  const TemporaryFolder folder;
  write_text(folder / "f", "content");
  const MappedFile file(folder / "f");
  write_text(folder / "g", "other");
  std::filesystem::rename(folder / "g", folder / "f");
  CHECK(file.unchanged());
  CHECK(as_text(file.bytes()) == "content");

  const MappedFile second(folder / "f");
  CHECK(second.unchanged());
  SUBCASE("longer") { std::ofstream(folder / "f", std::ios::app) << "more"; }
  SUBCASE("touched") {
    std::filesystem::last_write_time(
        folder / "f", std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  }
  CHECK(!second.unchanged());
}

TEST_CASE("an open descriptor can be mapped and stays its owner's") {
  const TemporaryFolder folder;
  write_text(folder / "f", "content");
  FileDescriptor descriptor(::open((folder / "f").c_str(), O_RDWR));
  {
    const MappedFile file(descriptor.get());
    CHECK(as_text(file.bytes()) == "content");
    CHECK(file.is_same_file(folder / "f"));
  }
  CHECK(::fcntl(descriptor.get(), F_GETFD) >= 0);
  CHECK_THROWS_AS(MappedFile(-1), Error);
}

TEST_CASE("a file is the same under another name, and moves with its owner") {
  const TemporaryFolder folder;
  write_text(folder / "f", "content");
  write_text(folder / "other", "content");
  std::filesystem::create_symlink("f", folder / "link");
  std::filesystem::create_hard_link(folder / "f", folder / "hard");
  MappedFile first(folder / "f");
  MappedFile file = std::move(first);
  CHECK(first.bytes().empty());
  CHECK(file.is_same_file(folder / "link"));
  CHECK(file.is_same_file(folder / "hard"));
  CHECK(!file.is_same_file(folder / "other"));
  CHECK(!file.is_same_file(folder / "absent"));
  file = MappedFile(folder / "other");
  CHECK(file.is_same_file(folder / "other"));
  CHECK(as_text(file.bytes()) == "content");
  CHECK(file.unchanged());
}

TEST_CASE("dropped pages read the same again") {
  const TemporaryFolder folder;
  const std::string text(50'000, 't');
  write_text(folder / "f", text);
  const MappedFile file(folder / "f");
  file.drop(file.bytes());
  file.drop(file.bytes().subspan(5000, 20'000));
  file.drop(as_bytes(text));  // not of this file: left alone
  CHECK(as_text(file.bytes()) == text);
  CHECK(text == std::string(50'000, 't'));
}

TEST_CASE("a version of a mapped file changes neither the file nor what is mapped") {
  const TemporaryFolder folder;
  const std::string text(10000, 'a');
  write_text(folder / "f", text);
  const MappedFile file(folder / "f");
  const std::string tail(9000, 't');
  const Bytes tail_bytes = as_bytes(tail);
  for (const std::uint64_t keep :
       {std::uint64_t{0}, std::uint64_t{4096}, std::uint64_t{5001}, std::uint64_t{10000}}) {
    const auto version = file.version(keep, tail_bytes);
    CHECK(as_text(version.bytes()) == text.substr(0, static_cast<std::size_t>(keep)) + tail);
    for (std::uint8_t& byte : version.bytes()) byte = 'x';
  }
  CHECK(file.version(0, {}).bytes().empty());
  CHECK(as_text(file.bytes()) == text);
  CHECK(file.unchanged());
}

}  // namespace truewheel
