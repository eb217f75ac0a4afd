// SPDX-License-Identifier: Apache-2.0
//
// Prints what inspect() says of the files named on standard input, one fact a line, for
// readelf_agreement.py.
#include "base/mapped_file.hpp"
#include <truewheel/elf.hpp>
#include <truewheel/error.hpp>

#include <iostream>
#include <string>

namespace {

using namespace truewheel;

void print(const char* key, const std::string& value) { std::cout << key << '\t' << value << '\n'; }

void print_facts(const elf::ElfFacts& facts) {
  print("kind", std::to_string(static_cast<int>(facts.kind)));
  for (const std::string& name : facts.needed) print("needed", name);
  if (facts.soname) print("soname", *facts.soname);
  if (facts.rpath) print("rpath", *facts.rpath);
  if (facts.runpath) print("runpath", *facts.runpath);
  if (facts.interpreter) print("interpreter", *facts.interpreter);
  if (facts.build_id) print("build_id", *facts.build_id);
  if (facts.has_stack_note) print("stack", facts.executable_stack ? "RWE" : "RW");
  for (const elf::VersionNeed& need : facts.version_needs) {
    for (const elf::NeededVersion& version : need.versions) {
      print("version", need.file + " " + version.name + (version.weak ? " weak" : ""));
    }
  }
  for (const std::string& name : facts.version_definitions) print("defines", name);
  for (const elf::ImportedSymbol& import : facts.imports) {
    print("import", import.name + (import.version.empty() ? "" : "@" + import.version) +
                        (import.weak ? " weak" : ""));
  }
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    print("file", path);
    try {
      const MappedFile file(path);
      print_facts(elf::inspect(file.bytes()));
    } catch (const Error& error) {
      print("refused", error.id());
    }
  }
  return 0;
}
