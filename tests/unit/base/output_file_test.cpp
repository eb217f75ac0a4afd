// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.hpp"

#include "base/file_descriptor.hpp"
#include "support/temporary_folder.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace truewheel {
namespace {

using test::read_text;
using test::TemporaryFolder;
using test::write_text;

void write(const OutputFile& file, std::string_view text) {
  write_fully(file.descriptor(), text.data(), text.size());
}

FillOutput writer(std::string text) {
  return [text = std::move(text)](int file, OutputKind) {
    write_fully(file, text.data(), text.size());
  };
}

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

template <class Body>
std::string id_of(const Body& body) {
  try {
    body();
    return "nothing thrown";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::io);
    return error.id();
  }
}

}  // namespace

TEST_CASE("a published file has its name and content, and the folder holds nothing else") {
  const TemporaryFolder folder;
  OutputFile file(folder / "out.whl");
  write(file, "content");
  CHECK(entries(folder.path()) <= 1);
  CHECK(!std::filesystem::exists(folder / "out.whl"));
  file.publish(Existing::refuse);
  CHECK(read_text(folder / "out.whl") == "content");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("the mode is 0644 less the umask") {
  const TemporaryFolder folder;
  for (const mode_t mask : {0022U, 0077U, 0000U, 0002U}) {
    const mode_t before = ::umask(mask);
    OutputFile file(folder / "out.whl");
    file.publish(Existing::replace);
    ::umask(before);
    CHECK(mode_of(folder / "out.whl") == (0644U & ~mask));
  }
}

TEST_CASE("a file that is not published leaves nothing, not even the folders made for it") {
  const TemporaryFolder folder;
  {
    OutputFile file(folder / "a/b/c/out.whl");
    write(file, "content");
    CHECK(std::filesystem::is_directory(folder / "a/b/c"));
  }
  CHECK(entries(folder.path()) == 0);
}

TEST_CASE("made folders stay when something else came to lie in them") {
  const TemporaryFolder folder;
  {
    OutputFile file(folder / "a/b/out.whl");
    write_text(folder / "a/other", "other");
  }
  CHECK(entries(folder / "a") == 1);
  CHECK(read_text(folder / "a/other") == "other");
}

TEST_CASE("publishing keeps the folders made for it") {
  const TemporaryFolder folder;
  {
    OutputFile file(folder / "a/b/out.whl");
    write(file, "content");
    OutputFile moved = std::move(file);
    moved.publish(Existing::refuse);
  }
  CHECK(read_text(folder / "a/b/out.whl") == "content");
}

TEST_CASE("an existing file is replaced as a whole or not at all") {
  const TemporaryFolder folder;
  write_text(folder / "out.whl", "old");
  const FileDescriptor reader(::open((folder / "out.whl").c_str(), O_RDONLY));
  {
    OutputFile file(folder / "out.whl");
    write(file, "new");
    CHECK(id_of([&] { file.publish(Existing::refuse); }) == "output-exists");
  }
  CHECK(read_text(folder / "out.whl") == "old");
  CHECK(entries(folder.path()) == 1);
  {
    OutputFile file(folder / "out.whl");
    write(file, "new");
    file.publish(Existing::replace);
  }
  CHECK(read_text(folder / "out.whl") == "new");
  CHECK(entries(folder.path()) == 1);
  char old[3] = {};
  CHECK(::read(reader.get(), old, 3) == 3);
  CHECK(std::string(old, 3) == "old");
}

TEST_CASE("a symlink of the name is replaced and what it points to is left alone") {
  const TemporaryFolder folder;
  write_text(folder / "precious", "precious");
  for (const char* target : {"precious", "dangling"}) {
    std::filesystem::remove(folder / "out.whl");
    std::filesystem::create_symlink(target, folder / "out.whl");
    OutputFile file(folder / "out.whl");
    write(file, "new");
    CHECK(id_of([&] { file.publish(Existing::refuse); }) == "output-exists");
    file.publish(Existing::replace);
    CHECK(!std::filesystem::is_symlink(folder / "out.whl"));
    CHECK(read_text(folder / "out.whl") == "new");
  }
  CHECK(read_text(folder / "precious") == "precious");
  CHECK(!std::filesystem::exists(folder / "dangling"));
}

TEST_CASE("a folder of the name is an error, found at the start or at the end") {
  const TemporaryFolder folder;
  {
    OutputFile file(folder / "out.whl");
    std::filesystem::create_directory(folder / "out.whl");
    CHECK(id_of([&] { file.publish(Existing::replace); }) == "output-is-folder");
    CHECK(id_of([&] { file.publish(Existing::refuse); }) == "output-is-folder");
  }
  CHECK(id_of([&] { OutputFile file(folder / "out.whl"); }) == "output-is-folder");
  CHECK(id_of([&] { OutputFile file(folder / "new/"); }) == "output-is-folder");
  CHECK(entries(folder.path()) == 1);
  CHECK(entries(folder / "out.whl") == 0);
}

TEST_CASE("a file in the way of the folder is an error") {
  const TemporaryFolder folder;
  write_text(folder / "file", "text");
  CHECK(id_of([&] { OutputFile file(folder / "file/out.whl"); }) == "output-folder");
  CHECK(id_of([&] { OutputFile file(folder / "file/below/out.whl"); }) == "output-folder");
  CHECK(read_text(folder / "file") == "text");
}

TEST_CASE("a folder that takes no files is an error and leaves nothing") {
  CHECK(id_of([] { OutputFile file("/proc/out.whl"); }) == "output-temporary");
  CHECK(id_of([] { OutputFile file("/proc/new/out.whl"); }) == "output-folder");
}

TEST_CASE("of many that publish one new name at once with refuse, one wins") {
  const TemporaryFolder folder;
  std::atomic<int> published = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      OutputFile file(folder / "out.whl");
      const std::string text(1000, static_cast<char>('a' + i));
      write_fully(file.descriptor(), text.data(), text.size());
      try {
        file.publish(Existing::refuse);
        ++published;
      } catch (const Error&) {
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(published == 1);
  CHECK(read_text(folder / "out.whl").size() == 1000);
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a name relative to the current folder works") {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  OutputFile file("out.whl");
  write(file, "content");
  file.publish(Existing::refuse);
  std::filesystem::current_path(before);
  CHECK(read_text(folder / "out.whl") == "content");
}

TEST_CASE("write_fully reports a full device") {
  const FileDescriptor full(::open("/dev/full", O_WRONLY));
  try {
    write_fully(full.get(), "text", 4);
    FAIL("writing to a full device worked");
  } catch (const Error& error) {
    CHECK(error.id() == "write");
    CHECK(std::string(error.what()) == "cannot write: No space left on device");
  }
}

TEST_CASE("write_fully goes on after short writes and signals") {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  // The handler does nothing; without SA_RESTART a signal cuts a blocked write short or ends it
  // with EINTR.
  struct sigaction quiet {};
  struct sigaction before {};
  quiet.sa_handler = [](int) {};
  REQUIRE(::sigaction(SIGUSR1, &quiet, &before) == 0);
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i);
  const auto writer_thread = ::pthread_self();
  std::string received;
  std::thread reader([&] {
    char piece[4096];
    for (;;) {
      ::pthread_kill(writer_thread, SIGUSR1);
      const auto length = ::read(reading.get(), piece, sizeof piece);
      if (length < 0 && errno == EINTR) continue;
      if (length <= 0) break;
      received.append(piece, static_cast<std::size_t>(length));
    }
  });
  write_fully(writing.get(), text.data(), text.size());
  writing.reset();
  reader.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  CHECK(received == text);
}

TEST_CASE("replace_file changes the content, sets the mode and leaves no other file") {
  const TemporaryFolder folder;
  write_text(folder / "f", "old");
  replace_file(folder / "f", 0755, writer("new"));
  CHECK(read_text(folder / "f") == "new");
  CHECK(mode_of(folder / "f") == 0755);
  replace_file(folder / "g", 0600, writer("made"));
  CHECK(read_text(folder / "g") == "made");
  CHECK(mode_of(folder / "g") == 0600);
  CHECK(entries(folder.path()) == 2);
}

TEST_CASE("replace_file follows a symlink") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  write_text(folder / "sub/f", "old");
  std::filesystem::create_symlink("sub/f", folder / "link");
  replace_file(folder / "link", 0644, writer("new"));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_text(folder / "sub/f") == "new");
  CHECK(entries(folder / "sub") == 1);
}

TEST_CASE("replace_file writes into a pipe and leaves it one") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  // Both ends, so that neither open() waits.
  const FileDescriptor ends(::open((folder / "pipe").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(ends.is_open());
  replace_file(folder / "pipe", 0755, writer("new"));
  std::string received(3, '\0');
  CHECK(::read(ends.get(), received.data(), received.size()) == 3);
  CHECK(received == "new");
  CHECK(std::filesystem::is_fifo(folder / "pipe"));
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("replace_file puts no file in a folder's place") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  CHECK(id_of([&] { replace_file(folder / "sub", 0644, writer("new")); }) == "output-no-file");
  CHECK(std::filesystem::is_directory(folder / "sub"));
}

TEST_CASE("replace_file keeps the old content when the new one cannot be written") {
  const TemporaryFolder folder;
  write_text(folder / "f", "old");
  // A child whose files may hold ten bytes; the limit's signal ignored, so that write() fails.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit ten{10, 10};
    ::setrlimit(RLIMIT_FSIZE, &ten);
    try {
      replace_file(folder / "f", 0644, writer(std::string(100, 'n')));
      ::_exit(1);
    } catch (const Error& error) {
      ::_exit(error.kind() == ErrorKind::io ? 0 : 2);
    }
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_text(folder / "f") == "old");
  CHECK(entries(folder.path()) == 1);
}

}  // namespace truewheel
