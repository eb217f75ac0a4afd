// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts_support.hpp"

#include <string>
#include <vector>

/// Libraries that are edited and then loaded by a real dynamic linker.
namespace truewheel::elf::test {

inline void write_file(const fs::path& path, const Buffer& bytes) {
  std::ofstream(path, std::ios::binary) << as_text(bytes);
  fs::permissions(path, fs::perms::owner_all);
}

/// A folder with a loader that prints what a library's `int run(void)` returns.
class Bench : public Scratch {
 public:
  Bench() {
    write("loader.c",
          "#include <dlfcn.h>\n#include <stdio.h>\n"
          "int main(int c, char **v) { void *h = dlopen(v[1], RTLD_NOW); (void)c;\n"
          "  if (!h) { puts(dlerror()); return 1; }\n"
          "  int (*f)(void) = (int (*)(void))dlsym(h, \"run\"); if (!f) return 2;\n"
          "  printf(\"%d\\n\", f()); return 0; }\n");
    must("gcc -o loader loader.c");
  }
  void must(const std::string& command) const {
    const bool done = run(command);
    INFO(command << "\n" << log());
    REQUIRE(done);
  }
  /// Builds `name` from C text and gives its bytes.
  [[nodiscard]] Buffer build_file(const std::string& name, const std::string& source,
                                  const std::string& options) const {
    write(name + ".c", source);
    must("gcc -o " + name + " " + name + ".c " + options);
    return read_file(*this / name);
  }
  /// Loads a library with eager binding and calls it; the output, or the loader's complaint.
  [[nodiscard]] std::string load(const Buffer& library) const {
    write_file(*this / "edited.so", library);
    static_cast<void>(run("env LD_BIND_NOW=1 LD_WARN=1 LD_LIBRARY_PATH=. ./loader ./edited.so"));
    return log();
  }
  /// Runs a program.
  [[nodiscard]] std::string execute(const Buffer& program) const {
    write_file(*this / "edited", program);
    static_cast<void>(run("env LD_BIND_NOW=1 LD_WARN=1 LD_LIBRARY_PATH=. ./edited"));
    return log();
  }
  /// What a command prints about a file with these bytes.
  [[nodiscard]] std::string output_of(const std::string& command, const Buffer& bytes) const {
    write_file(*this / "looked-at", bytes);
    must(command + " looked-at");
    return log();
  }
};

inline ElfEdit set_rpath(const std::string& text) {
  ElfEdit edit;
  edit.run_path.emplace(RunPath{RunPathKind::rpath, text});
  return edit;
}

inline std::size_t count_loads(Bytes file) {
  std::size_t count = 0;
  const ElfImage image(file);
  for (const Segment& segment : image.segments()) count += segment.type == pt::kLoad ? 1 : 0;
  return count;
}

inline std::vector<std::string> texts_of(Bytes file, std::int64_t tag) {
  const ElfImage image(file);
  std::vector<std::string> texts;
  for (const DynamicEntry& entry : image.dynamic()) {
    if (entry.tag == tag) texts.emplace_back(image.dynamic_string(entry.value));
  }
  return texts;
}

/// The id of the Error that `action` throws, or "none".
template <class Action>
std::string id_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id();
  }
  return "none";
}

}  // namespace truewheel::elf::test
