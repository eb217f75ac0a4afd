// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace truewheel::oracle {

/// One library or program of a made-up installation, before it is linked.
struct LibraryPlan {
  std::string path;
  std::optional<std::string> soname;
  std::vector<std::string> needed;
  std::vector<std::string> filters;      ///< DT_FILTER, which only libraries have
  std::vector<std::string> auxiliaries;  ///< DT_AUXILIARY
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  bool no_default_folders = false;
  enum class Kind { library, program, other_machine, other_class } kind = Kind::library;
};

/// An installation; the first file is the one that is loaded.
struct LayoutPlan {
  std::vector<LibraryPlan> files;
  /// What a failure prints, so that the layout can be read without the random numbers.
  [[nodiscard]] std::string describe() const;
};

struct LayoutWishes {
  deps::Libc libc = deps::Libc::glibc;
  deps::LoaderMachine machine;  ///< this machine's tokens and subfolders, to be hit by some entries
  std::vector<std::string> provided;  ///< names that the environment has
};

/// A random installation of a few libraries that need each other by every way a loader knows.
[[nodiscard]] LayoutPlan random_layout(std::mt19937& random, const LayoutWishes& wishes);

/// Links plans with ld into folders; stand-ins for NEEDED names are made once.
class LayoutLinker {
 public:
  explicit LayoutLinker(std::filesystem::path workshop);

  /// Links all files of a plan below `root`.
  void link(const LayoutPlan& plan, const std::filesystem::path& root);

 private:
  [[nodiscard]] std::string stand_in(const std::string& needed);
  [[nodiscard]] std::string command(const LibraryPlan& plan, const std::filesystem::path& target);

  std::filesystem::path workshop_;
  std::vector<std::string> stand_ins_;
};

/// The facts of all files of a plan, read from what was linked.
[[nodiscard]] std::vector<deps::WheelFile> read_layout(const LayoutPlan& plan,
                                                       const std::filesystem::path& root);

/// Runs a shell command; throws when it fails.
void run_shell(const std::string& command);
/// In single quotes for the shell.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace truewheel::oracle
