// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"
#include "elf/distilled_image.hpp"
#include "elf/lief_reader.hpp"
#include "facts_support.hpp"
#include <truewheel/elf.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace truewheel::elf::test {

namespace {

/// Runs `body` with standard output and error in a file; gives back what was written.
template <class Body>
std::string output_of(Body body) {
  const Scratch scratch;
  const fs::path path = scratch.write("output", "");
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fflush(nullptr);
  const int out = dup(1);
  const int err = dup(2);
  dup2(fileno(file), 1);
  dup2(fileno(file), 2);
  body();
  std::fflush(nullptr);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  std::fclose(file);
  const Buffer written = read_file(path);
  return std::string(as_text(written));
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::recursive_directory_iterator
           it(folder, fs::directory_options::skip_permission_denied, error),
       end;
       it != end; it.increment(error))
    result.push_back(it->path());
  return result;
}

bool is_elf(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error) || !fs::is_regular_file(path, error)) return false;
  std::string magic(4, ' ');
  std::ifstream(path, std::ios::binary).read(magic.data(), 4);
  return magic ==
         "\x7f"
         "ELF";
}

/// What reading ELF files with both readers gave.
struct Agreement {
  std::size_t files = 0, with_program_facts = 0, imports = 0, refused = 0;
  std::vector<std::string> differing;
  std::vector<std::string> refusals;

  void add(const fs::path& path) {
    std::error_code error;
    if (fs::is_symlink(path, error) || !fs::is_regular_file(path, error)) return;
    if (fs::file_size(path, error) < 64) return;
    const MappedFile file(path);
    if (!has_elf_magic(file.bytes())) return;
    ++files;
    try {
      const ElfFacts own = inspect_natively(file.bytes());
      const bool is_program = own.is_dynamic() || own.kind == FileKind::static_executable;
      with_program_facts += is_program ? 1 : 0;
      imports += own.imports.size();
      if (!same_facts(own, inspect_with_lief(file.bytes()))) differing.push_back(path.string());
    } catch (const Error& refusal) {
      ++refused;
      refusals.push_back(path.string() + ": " + refusal.what());
    }
  }

  void add_all_below(const fs::path& folder) {
    for (const fs::path& path : files_below(folder)) add(path);
  }

  void report() const {
    MESSAGE(files << " ELF files, " << with_program_facts << " programs and libraries, " << imports
                  << " imports, " << differing.size() << " that differ, " << refused << " refused");
    for (const std::string& path : differing) MESSAGE("differs: " << path);
    for (const std::string& refusal : refusals) MESSAGE("refused: " << refusal);
  }
};

}  // namespace

TEST_CASE("LIEF and the own reader agree on ELF files of all parts of this system") {
  // A fixed number, evenly chosen, so that the test takes as long on a machine with all cross
  // compilers as on a bare one. TRUEWHEEL_ALL_FILES asks for all.
  constexpr std::size_t kMost = 1200;
  std::vector<fs::path> paths;
  for (const char* folder : {"/usr/lib", "/usr/bin", "/usr/sbin", "/usr/libexec"}) {
    for (fs::path& path : files_below(folder)) {
      if (is_elf(path)) paths.push_back(std::move(path));
    }
  }
  std::sort(paths.begin(), paths.end());
  const bool all = std::getenv("TRUEWHEEL_ALL_FILES") != nullptr;
  const std::size_t count = all ? paths.size() : std::min(paths.size(), kMost);
  Agreement agreement;
  for (std::size_t i = 0; i < count; ++i) agreement.add(paths[i * paths.size() / count]);
  agreement.report();
  CHECK(agreement.with_program_facts > 100);
  CHECK(agreement.differing.empty());
  CHECK(agreement.refused == 0);
}

TEST_CASE("LIEF and the own reader agree on every ELF file of the wheels in TRUEWHEEL_WHEELS") {
  const char* folder = std::getenv("TRUEWHEEL_WHEELS");
  if (folder == nullptr) {
    MESSAGE("skipped: TRUEWHEEL_WHEELS names no folder with wheels");
    return;
  }
  Agreement agreement;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".whl") continue;
    const Scratch scratch;
    REQUIRE(scratch.run("python3 -m zipfile -e '" + entry.path().string() + "' out"));
    agreement.add_all_below(scratch / "out");
  }
  agreement.report();
  CHECK(agreement.files > 0);
  CHECK(agreement.differing.empty());
  CHECK(agreement.refused == 0);
}

TEST_CASE("inspect is right where LIEF drops dynamic entries without a word") {
  std::string options = "-shared -fPIC";
  for (int i = 0; i < 1200; ++i) options += " -Wl,-f,a" + std::to_string(i);
  const Buffer file = build("int f;", options);
  REQUIRE(ElfImage(file).dynamic().size() > 1200);
  CHECK(inspect_natively(file).filtees.size() == 1200);
  CHECK(inspect(file).filtees == inspect_natively(file).filtees);
  CHECK(inspect_with_lief(file).filtees.size() < 1000);
  CHECK(inspect(file).needed == inspect_natively(file).needed);
}

TEST_CASE("the distilled image grows with the imports and not with the file") {
  const std::string source =
      "#include <stdio.h>\nconst char blob[8 << 20] = {1};\n"
      "int f(void) { return puts(blob); }\n";
  Buffer file = build(source, "-shared -fPIC");
  REQUIRE(file.size() > (std::size_t{8} << 20));
  const ElfImage image(file);
  const NativeReading reading = read_natively(image);
  const Buffer distilled = distill(image, reading);
  CHECK(distilled.size() < 4096);
  CHECK(same_facts(read_with_lief(distilled), reading.facts));
}

TEST_CASE("the distilled image is an ELF file of its own that says the same") {
  for (const std::string& target : kTargets) {
    const Buffer file = small_library(target);
    if (file.empty()) continue;
    CAPTURE(target);
    const ElfImage image(file);
    const NativeReading reading = read_natively(image);
    CHECK(same_facts(inspect_natively(distill(image, reading)), reading.facts));
  }
}

TEST_CASE("LIEF prints nothing and keeps its exceptions to itself") {
  const Buffer good = build("int f;", "-shared -fPIC");
  std::size_t failures = 0;
  const std::string output = output_of([&] {
    static_cast<void>(inspect(good));
    for (std::size_t length = 0; length < 256; length += 3) {
      const Buffer cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
      try {
        static_cast<void>(read_with_lief(cut));
      } catch (const Error&) {
        ++failures;
      }
    }
  });
  CHECK(output.empty());
  CHECK(failures > 0);
}

TEST_CASE("several threads may inspect at the same time") {
  const Buffer file = build("#include <stdio.h>\nint f(void) { return puts(\"\"); }\n",
                            "-shared -fPIC -Wl,-soname,libt.so.1");
  const ElfFacts expected = inspect(file);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) {
        if (!same_facts(inspect(file), expected)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace truewheel::elf::test
