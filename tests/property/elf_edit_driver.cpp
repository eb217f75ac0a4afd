// SPDX-License-Identifier: Apache-2.0
// Applies one edit to one file, for the property test: elf_edit_driver INPUT OUTPUT WISH...
// Prints the growth, the number of patches, the steps, and how many patches the same edit of the
// result has; exits 3 when the edit is refused, 70 when it broke something.
#include "base/byte_reader.hpp"
#include <truewheel/elf.hpp>
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using truewheel::Buffer;
using truewheel::elf::ElfEdit;
using truewheel::elf::RunPath;
using truewheel::elf::RunPathKind;

Buffer read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw truewheel::Error(truewheel::ErrorKind::io, "unreadable", path);
  return Buffer(std::istreambuf_iterator<char>(stream), {});
}

void write_file(const std::string& path, const Buffer& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << truewheel::as_text(bytes);
  if (!stream.flush()) throw truewheel::Error(truewheel::ErrorKind::io, "write", path);
}

ElfEdit parse_wishes(const std::vector<std::string>& words) {
  ElfEdit edit;
  for (std::size_t i = 0; i < words.size();) {
    const std::string& option = words[i++];
    const auto next = [&] { return words.at(i++); };
    if (option == "--set-rpath") {
      edit.run_path.emplace(RunPath{RunPathKind::rpath, next()});
    } else if (option == "--set-runpath") {
      edit.run_path.emplace(RunPath{RunPathKind::runpath, next()});
    } else if (option == "--remove-rpath") {
      edit.run_path.emplace(std::nullopt);
    } else if (option == "--set-soname") {
      edit.soname = next();
    } else if (option == "--replace-needed") {
      const std::string old_name = next();
      edit.replace_needed[old_name] = next();
    } else if (option == "--remove-needed") {
      edit.remove_needed.push_back(next());
    } else if (option == "--add-needed") {
      edit.add_needed.push_back(next());
    } else if (option == "--set-interpreter") {
      edit.interpreter = next();
    } else if (option == "--clear-execstack") {
      edit.executable_stack = false;
    } else if (option == "--set-execstack") {
      edit.executable_stack = true;
    } else if (option == "--clear-symbol-version") {
      edit.clear_symbol_versions.push_back(next());
    } else if (option == "--rename-symbol") {
      const std::string old_name = next();
      edit.rename_symbols[old_name] = next();
    } else if (option == "--rename-version") {
      const std::string old_name = next();
      edit.rename_versions[old_name] = next();
    } else if (option == "--no-default-lib") {
      edit.no_default_lib = true;
    } else if (option == "--add-debug-tag") {
      edit.add_debug_tag = true;
    } else {
      throw truewheel::Error(truewheel::ErrorKind::usage, "option", option);
    }
  }
  return edit;
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::vector<std::string> arguments(words + 1, words + count);
    if (arguments.size() < 2)
      throw truewheel::Error(truewheel::ErrorKind::usage, "usage", "INPUT OUTPUT WISH...");
    const Buffer input = read_file(arguments[0]);
    const ElfEdit wishes = parse_wishes({arguments.begin() + 2, arguments.end()});
    const auto edited = truewheel::elf::edit(input, wishes);
    write_file(arguments[1], edited.bytes);
    std::cout << "growth " << edited.patches.growth << "\npatches " << edited.patches.patches.size()
              << "\n";
    for (const std::string& step : edited.patches.steps) std::cout << "step " << step << "\n";
    const auto again = truewheel::elf::plan_edit(edited.bytes, wishes);
    std::cout << "again " << again.patches.size() + (again.tail.empty() ? 0 : 1) << "\n";
    return 0;
  } catch (const truewheel::Error& error) {
    std::cerr << error.id() << ": " << error.what() << "\n";
    return truewheel::exit_code(error.kind());
  }
}
