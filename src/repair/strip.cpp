// SPDX-License-Identifier: Apache-2.0
#include "repair/strip.hpp"

#include "base/mapped_file.hpp"
#include "base/output_file.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace truewheel::repair {
namespace {

/// A folder that goes away with its files.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "truewheel-strip-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorKind::io, "strip-scratch",
                  fmt::format("making a temporary folder: {}", std::strerror(errno)));
    }
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void run_strip(const std::string& input, const std::string& output) {
  std::string program = "strip";
  std::string flag_strip = "-s";
  std::string flag_output = "-o";
  std::string out = output;
  std::string in = input;
  const std::array<char*, 6> arguments = {program.data(), flag_strip.data(), flag_output.data(),
                                          out.data(),     in.data(),         nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw Error(ErrorKind::io, "strip-absent",
                fmt::format("starting the system's strip: {}", std::strerror(failed)),
                "install binutils, or leave --strip out");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw Error(ErrorKind::io, "strip-wait",
                  fmt::format("waiting for strip: {}", std::strerror(errno)));
    }
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error(ErrorKind::io, "strip-failed", "the system's strip failed on it");
  }
}

}  // namespace

Buffer strip_symbols(Bytes file) {
  const ScratchFolder folder;
  const auto input = folder.path() / "in";
  const auto output = folder.path() / "out";
  const int descriptor = open(input.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw Error(ErrorKind::io, "strip-scratch",
                fmt::format("writing a temporary file: {}", std::strerror(errno)));
  }
  try {
    write_fully(descriptor, file.data(), file.size());
  } catch (...) {
    close(descriptor);
    throw;
  }
  close(descriptor);
  run_strip(input.string(), output.string());
  const MappedFile stripped(output);
  return {stripped.bytes().begin(), stripped.bytes().end()};
}

}  // namespace truewheel::repair
