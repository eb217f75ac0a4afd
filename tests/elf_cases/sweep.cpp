// SPDX-License-Identifier: Apache-2.0
// Many edits of many changed files in one process, each judged by the oracle.
//
//   elf_sweep refusals OP,OP...        reads paths from stdin; ids of the refusals, "-" for an edit
//   elf_sweep lengths FILE...          every prefix of each file
//   elf_sweep bytes STRIDE FILE...     single bytes of the tables, three values each
//   elf_sweep load STRIDE DEP FILE...  the same, and what was loaded before must be loaded after
//   elf_sweep plan FILE                plans an edit of a file of any size
#include "base/mapped_file.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include "elf/symbol_versions.hpp"
#include "elf_cases/edit_oracle.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <array>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace truewheel;
using elf::oracle::Outcome;
using elf::oracle::Witness;

Buffer read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return Buffer(std::istreambuf_iterator<char>(stream), {});
}

struct Tally {
  std::map<std::string, std::size_t> outcomes;
  std::size_t failures = 0;
  void count(const Outcome& outcome) {
    ++outcomes[outcome.refusal.empty() ? "edited" : outcome.refusal];
  }
  void fail(const std::string& where, const std::string& what) {
    ++failures;
    std::cout << "FAILED " << where << ": " << what << "\n";
  }
  int report(const char* name) const {
    std::size_t sum = 0;
    for (const auto& [id, count] : outcomes) {
      std::cout << "  " << id << " " << count << "\n";
      sum += count;
    }
    std::cout << name << ": " << sum << " edits, " << failures << " failures\n";
    return failures == 0 && sum != 0 ? 0 : 1;
  }
};

int refusals(const std::string& operations) {
  std::vector<std::uint8_t> numbers;
  std::stringstream list(operations);
  for (std::string number; std::getline(list, number, ',');)
    numbers.push_back(static_cast<std::uint8_t>(std::stoi(number)));
  for (std::string path; std::getline(std::cin, path);) {
    const Buffer file = read_file(path);
    std::string line;
    for (const std::uint8_t number : numbers) {
      try {
        const Outcome outcome = elf::oracle::judge(file, number, Witness::lief);
        line += " " + (outcome.refusal.empty() ? "-" : outcome.refusal);
      } catch (const elf::oracle::Broken& broken) {
        std::cout << path << ": operation " << int{number} << ": " << broken.what() << "\n";
        return 1;
      }
    }
    std::cout << line.substr(1) << "\n";
  }
  return 0;
}

/// Where the file's loaded bytes end: what is behind may be missing, and is no loader's business.
std::uint64_t end_of_loads(Bytes file) {
  std::uint64_t end = 0;
  const elf::ElfImage image(file);
  for (const elf::Segment& segment : image.segments()) {
    if (segment.type == elf::pt::kLoad) end = std::max(end, segment.offset + segment.filesz);
  }
  return end;
}

int lengths(const std::vector<std::string>& paths) {
  Tally tally;
  for (const std::string& path : paths) {
    const Buffer file = read_file(path);
    const std::uint64_t end = end_of_loads(file);
    for (std::size_t length = 0; length <= file.size(); ++length) {
      // A copy of this length, so that a sanitizer sees reads behind it.
      const Buffer prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
      const auto number = static_cast<std::uint8_t>(length % elf::oracle::kSingleWishes);
      const std::string where = fmt::format("{} cut to {} bytes, edit {}", path, length, number);
      try {
        const Outcome outcome = elf::oracle::judge(prefix, number, Witness::none);
        tally.count(outcome);
        if (outcome.refusal.empty() && length < end) tally.fail(where, "is edited");
        if (length < 4 && outcome.refusal != "elf-no-magic") tally.fail(where, "is no data");
      } catch (const elf::oracle::Broken& broken) {
        tally.fail(where, broken.what());
      }
    }
  }
  return tally.report("lengths");
}

/// ELF header, program headers, dynamic section, its strings, version needs.
std::set<std::uint64_t> telling_bytes(Bytes file) {
  const elf::ElfImage image(file);
  const elf::Sizes& sizes = elf::sizes_of(image.header().bits);
  std::set<std::uint64_t> places;
  const auto add = [&](std::uint64_t offset, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) places.insert(offset + i);
  };
  add(0, sizes.header);
  add(image.header().phoff, image.segments().size() * sizes.segment);
  const elf::Segment* dynamic = image.find_segment(elf::pt::kDynamic);
  add(dynamic->offset, dynamic->filesz);
  add(image.dynstr_offset(), image.dynstr_size());
  const auto needs = elf::read_version_needs(image);
  add(needs.offset, needs.size);
  return places;
}

template <class Body>
void for_each_change(const std::string& path, std::uint64_t stride, Body body) {
  const Buffer file = read_file(path);
  std::uint64_t number = 0;
  for (const std::uint64_t place : telling_bytes(file)) {
    const std::uint8_t old = file[static_cast<std::size_t>(place)];
    for (const std::uint8_t value :
         {static_cast<std::uint8_t>(old ^ 1), static_cast<std::uint8_t>(old ^ 0x80),
          static_cast<std::uint8_t>(old == 0xff ? 0 : 0xff)}) {
      if (number++ % stride != 0) continue;
      Buffer changed = file;
      changed[static_cast<std::size_t>(place)] = value;
      body(changed, fmt::format("{} with {:#x} at {:#x}", path, value, place), number);
    }
  }
}

int bytes(std::uint64_t stride, const std::vector<std::string>& paths) {
  Tally tally;
  for (const std::string& path : paths) {
    for_each_change(path, stride, [&](const Buffer& changed, const std::string& where, auto n) {
      // The wishes take turns; three of them meet each change.
      for (std::uint64_t turn = 0; turn < 3; ++turn) {
        const auto number = static_cast<std::uint8_t>((n * 3 + turn) * 7);
        try {
          tally.count(
              elf::oracle::judge(changed, number, n % 16 == 0 ? Witness::lief : Witness::none));
        } catch (const elf::oracle::Broken& broken) {
          tally.fail(fmt::format("{}, edit {}", where, number), broken.what());
        }
      }
    });
  }
  return tally.report("bytes");
}

/// What a library's run() returns, or -1: in a process of its own, which a bad file may kill.
int value_of(const Buffer& library) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0}, time{2, 2};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &time);
    alarm(5);
    const int descriptor = memfd_create("case", 0);
    if (write(descriptor, library.data(), library.size()) != static_cast<ssize_t>(library.size()))
      _exit(250);
    close(STDERR_FILENO);
    void* handle = dlopen(fmt::format("/proc/self/fd/{}", descriptor).c_str(), RTLD_NOW);
    if (handle == nullptr) _exit(251);
    void* symbol = dlsym(handle, "run");
    if (symbol == nullptr) _exit(252);
    int (*run)() = nullptr;
    static_assert(sizeof run == sizeof symbol);
    std::memcpy(&run, &symbol, sizeof run);
    _exit(run());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int load(std::uint64_t stride, const std::string& dependency,
         const std::vector<std::string>& paths) {
  Tally tally;
  // Children find the needed library by its SONAME: it is loaded already.
  if (dlopen(dependency.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw std::runtime_error("cannot load " + dependency);
  std::size_t loaded = 0;
  constexpr int kExpected = 7;
  for (const std::string& path : paths) {
    for_each_change(path, stride, [&](const Buffer& changed, const std::string& where, auto n) {
      // Run paths, SONAMEs, flags: what leaves the needed libraries alone.
      constexpr std::array<std::uint8_t, 6> kNumbers = {1, 3, 7, 4, 22, 28};
      const std::uint8_t number = kNumbers[n / stride % kNumbers.size()];
      try {
        const Outcome outcome = elf::oracle::judge(changed, number, Witness::none);
        tally.count(outcome);
        if (!outcome.refusal.empty() || value_of(changed) != kExpected) return;
        ++loaded;
        const int value = value_of(outcome.bytes);
        if (value != kExpected)
          tally.fail(fmt::format("{}, edit {}", where, number),
                     fmt::format("worked before, and now gives {}", value));
      } catch (const elf::oracle::Broken& broken) {
        tally.fail(where, broken.what());
      }
    });
  }
  std::cout << "  loaded before and after: " << loaded << "\n";
  return loaded == 0 ? 1 : tally.report("load");
}

int plan(const std::string& path) {
  const MappedFile file(path);
  elf::ElfEdit edit;
  edit.run_path.emplace(elf::RunPath{elf::RunPathKind::rpath, std::string(300, 'p')});
  const elf::PatchList patches = elf::plan_edit(file.bytes(), edit);
  std::cout << "growth " << patches.growth << " patches " << patches.patches.size() << "\n";
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::vector<std::string> arguments(words + 1, words + count);
    const auto rest = [&](std::size_t from) {
      return std::vector<std::string>(arguments.begin() + static_cast<std::ptrdiff_t>(from),
                                      arguments.end());
    };
    const std::string& mode = arguments.at(0);
    if (mode == "refusals") return refusals(arguments.at(1));
    if (mode == "lengths") return lengths(rest(1));
    if (mode == "bytes") return bytes(std::stoul(arguments.at(1)), rest(2));
    if (mode == "load") return load(std::stoul(arguments.at(1)), arguments.at(2), rest(3));
    if (mode == "plan") return plan(arguments.at(1));
    std::cerr << "no such mode: " << mode << "\n";
  } catch (const Error& error) {
    std::cerr << error.id() << ": " << error.what() << "\n";
    return exit_code(error.kind());
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  return 2;
}
