// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.hpp"
#include "support/temporary_folder.hpp"
#include <truewheel/deps.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace truewheel::deps::testing {

/// A temporary folder with files, links and libraries in it.
class Scratch {
 public:
  Scratch() : path_(std::filesystem::canonical(folder_.path())) {}

  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::filesystem::create_symlink(target, path_ / name);
  }
  /// Links a library by gcc; `code` makes two of them differ.
  void library(const std::string& name, const std::string& options = "",
               const std::string& code = "int value(void) { return 1; }") const {
    std::filesystem::create_directories((path_ / name).parent_path());
    write("source.c", code);
    const std::string command =
        "cd '" + path_.string() +
        "' && gcc -shared -fPIC -nostdlib -Wl,--build-id -Wl,--no-as-needed -o '" + name +
        "' source.c " + options;
    CAPTURE(command);
    REQUIRE(std::system(command.c_str()) == 0);
  }

 private:
  test::TemporaryFolder folder_;
  std::filesystem::path path_;
};

inline std::shared_ptr<const elf::ElfFacts> inspect_file(const std::string& path) {
  return std::make_shared<const elf::ElfFacts>(elf::inspect(MappedFile(path).bytes()));
}

}  // namespace truewheel::deps::testing
