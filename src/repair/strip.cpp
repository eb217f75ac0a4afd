// SPDX-License-Identifier: Apache-2.0
#include "repair/strip.hpp"

#include "base/file_descriptor.hpp"
#include "base/output_file.hpp"
#include "base/pieces.hpp"
#include "base/text.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

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

constexpr std::array kHeldSignals = {SIGINT, SIGTERM, SIGHUP};

sigset_t held_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kHeldSignals) sigaddset(&set, signal);
  return set;
}

void refuse_when_interrupted() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  for (const int signal : kHeldSignals) {
    if (sigismember(&pending, signal) == 1) {
      throw Error(ErrorKind::io, "interrupted", "interrupted");
    }
  }
}

/// What a child needs that the process has not: no held signals, an empty standard input, and a
/// file for what it says, which are warnings about a file that is not the user's as a rule.
class ChildSetting {
 public:
  explicit ChildSetting(const std::filesystem::path& messages) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions_, 1, 2);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~ChildSetting() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  ChildSetting(const ChildSetting&) = delete;
  ChildSetting& operator=(const ChildSetting&) = delete;

  [[nodiscard]] int spawn(pid_t& child, std::vector<std::string> words) const {
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return posix_spawnp(&child, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return printable(line);
}

/// Runs a program of binutils to its end. `folder` takes what it says.
void run_tool(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  refuse_when_interrupted();
  const std::string& program = words.front();
  const auto messages = folder / "messages";
  pid_t child = 0;
  if (const int failed = ChildSetting(messages).spawn(child, words); failed != 0) {
    throw Error(ErrorKind::io, "strip-absent",
                fmt::format("starting the system's {}: {}", program, std::strerror(failed)),
                "install binutils, or leave --strip out");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw Error(ErrorKind::io, "strip-wait",
                  fmt::format("waiting for {}: {}", program, std::strerror(errno)));
    }
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    refuse_when_interrupted();
    throw Error(ErrorKind::io, "strip-failed",
                fmt::format("the system's {} failed on it: {}", program, first_line(messages)));
  }
}

void write_file(const std::filesystem::path& path, Bytes content,
                const std::function<void(Bytes)>& used) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) {
    throw Error(ErrorKind::io, "strip-scratch",
                fmt::format("writing a temporary file: {}", std::strerror(errno)));
  }
  for_each_piece(content, [&](Bytes piece) {
    write_fully(file.get(), piece.data(), piece.size());
    if (used) used(piece);
  });
}

bool has_debug_link(Bytes file) {
  const elf::ElfImage image(file);
  return std::any_of(image.sections().begin(), image.sections().end(), [&](const auto& section) {
    return image.section_name(section) == ".gnu_debuglink";
  });
}

}  // namespace

struct SignalsHeld::Saved {
  sigset_t mask{};
};

SignalsHeld::SignalsHeld() : saved_(std::make_unique<Saved>()) {
  const sigset_t held = held_signals();
  pthread_sigmask(SIG_BLOCK, &held, &saved_->mask);
}

SignalsHeld::~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &saved_->mask, nullptr); }

bool has_symbols(Bytes file) {
  const elf::ElfImage image(file);
  if (image.distrusts_sections()) return true;
  return std::any_of(image.sections().begin(), image.sections().end(), [&](const auto& section) {
    const auto name = image.section_name(section);
    return section.type == elf::sht::kSymtab || name.starts_with(".debug_") ||
           name.starts_with(".zdebug_");
  });
}

MappedFile strip_symbols(Bytes file, const std::function<void(Bytes)>& used) {
  const ScratchFolder folder;
  const auto input = folder.path() / "in";
  const auto output = folder.path() / "out";
  write_file(input, file, used);
  run_tool({"strip", "-s", "-o", output.string(), input.string()}, folder.path());
  return MappedFile(output);
}

SplitFile split_symbols(Bytes file, const std::string& debug_name,
                        const std::function<void(Bytes)>& used) {
  // A file that has a debug link was split by its build already.
  if (has_debug_link(file)) return {strip_symbols(file, used), nullptr};
  const ScratchFolder folder;
  const auto input = folder.path() / "in";
  const auto output = folder.path() / "out";
  const auto debug_folder = folder.path() / "debug";
  std::filesystem::create_directory(debug_folder);
  const auto debug = debug_folder / debug_name;
  write_file(input, file, used);
  run_tool({"objcopy", "--only-keep-debug", input.string(), debug.string()}, folder.path());
  run_tool({"objcopy", "--strip-all", "--add-gnu-debuglink=" + debug.string(), input.string(),
            output.string()},
           folder.path());
  return {MappedFile(output), std::make_shared<const MappedFile>(debug)};
}

}  // namespace truewheel::repair
