// SPDX-License-Identifier: Apache-2.0
//
// Whatever bytes a file holds, reading it gives facts or a refusal, soon and
// within some memory. Run under the address and undefined behaviour sanitizers this says much more.
#include "facts_support.hpp"
#include <truewheel/elf.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace truewheel::elf::test {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasSanitizer = true;
#else
constexpr bool kHasSanitizer = false;
#endif

/// Facts, or a refusal; everything else is a failure of the campaign.
bool reads_or_refuses(const Buffer& file) {
  try {
    static_cast<void>(inspect(file));
    static_cast<void>(identify(file));
    static_cast<void>(classify(file));
    return true;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::refused && !error.id().empty();
  } catch (...) {
    return false;
  }
}

/// Runs `campaign`, which gives its number of failures, in a process of its own with a limit on
/// memory and time: a crash, a hang or a huge allocation fails the test and ends nothing else.
template <class Campaign>
int run_limited(Campaign campaign) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit time{120, 120};
    setrlimit(RLIMIT_CPU, &time);
    if (!kHasSanitizer) {
      const rlimit memory{rlim_t{256} << 20, rlim_t{256} << 20};
      setrlimit(RLIMIT_DATA, &memory);
    }
    const int failures = campaign();
    _exit(std::min(failures, 100));
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return 1000 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

/// The bytes that the reading hangs on: header tables, the dynamic section and all that it points
/// at, notes. Code and data are left out.
std::set<std::size_t> telling_bytes(const Buffer& file) {
  const ElfImage image(file);
  std::set<std::size_t> bytes;
  const auto add = [&](std::uint64_t offset, std::uint64_t size) {
    for (std::uint64_t i = offset; i < offset + size && i < file.size(); ++i) {
      bytes.insert(static_cast<std::size_t>(i));
    }
  };
  const Sizes& sizes = sizes_of(image.header().bits);
  add(0, sizes.header);
  add(image.header().phoff, image.segments().size() * sizes.segment);
  add(image.header().shoff, image.sections().size() * sizes.section);
  for (const Segment& segment : image.segments()) {
    const bool is_telling =
        segment.type == pt::kDynamic || segment.type == pt::kNote || segment.type == pt::kInterp;
    if (is_telling) add(segment.offset, segment.filesz);
  }
  for (const std::int64_t tag : {dt::kSymTab, dt::kVerSym, dt::kVerNeed, dt::kVerDef, dt::kHash,
                                 dt::kGnuHash, dt::kStrTab}) {
    const auto address = image.dynamic_value(tag);
    if (!address) continue;
    if (const auto offset = image.offset_of(*address)) add(*offset, 160);
  }
  return bytes;
}

struct Sample {
  std::string name;
  Buffer file;
};

std::vector<Sample> samples() {
  std::vector<Sample> found;
  for (const std::string& target : kTargets) {
    Buffer file = small_library(target);
    if (!file.empty()) found.push_back({target, std::move(file)});
  }
  found.push_back({"gcc library", build("#include <stdio.h>\nint f(void) { return puts(\"\"); }\n",
                                        "-shared -fPIC -s -Wl,-z,x86-64-v3")});
  return found;
}

}  // namespace

TEST_CASE("a file cut at any length is refused, or only lost its section headers") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const ElfFacts whole = inspect(sample.file);
    const int failures = run_limited([&] {
      int wrong = 0;
      for (std::size_t length = 0; length < sample.file.size(); ++length) {
        const Buffer cut(sample.file.begin(),
                         sample.file.begin() + static_cast<std::ptrdiff_t>(length));
        if (!reads_or_refuses(cut)) ++wrong;
        if (length < 4 || !refusal(cut).empty()) continue;
        // A section table that is past the end is none (E04); what is left says the same.
        if (!same_facts(inspect(cut), whole)) ++wrong;
      }
      return wrong;
    });
    CHECK(failures == 0);
  }
}

TEST_CASE("a changed byte anywhere in the tables gives facts or a refusal") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const auto positions = telling_bytes(sample.file);
    REQUIRE(positions.size() > 500);
    const int failures = run_limited([&] {
      int wrong = 0;
      Buffer damaged = sample.file;
      for (const std::size_t position : positions) {
        const std::uint8_t original = damaged[position];
        for (const unsigned flip : {0x01U, 0x02U, 0x08U, 0x40U, 0x80U, 0xffU}) {
          damaged[position] = static_cast<std::uint8_t>(original ^ flip);
          if (!reads_or_refuses(damaged)) ++wrong;
        }
        damaged[position] = 0xff;
        if (!reads_or_refuses(damaged)) ++wrong;
        damaged[position] = original;
      }
      return wrong;
    });
    CHECK(failures == 0);
  }
}

TEST_CASE("words of large numbers anywhere in the tables give facts or a refusal") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const auto positions = telling_bytes(sample.file);
    const int failures = run_limited([&] {
      int wrong = 0;
      for (const std::size_t position : positions) {
        if (position % 4 != 0 || position + 8 > sample.file.size()) continue;
        for (const std::uint64_t value :
             {std::uint64_t{0}, std::uint64_t{0xffffffff}, std::uint64_t{0x7fffffffffffffff},
              ~std::uint64_t{0}, ~std::uint64_t{0} - 15, std::uint64_t{sample.file.size()}}) {
          Buffer damaged = sample.file;
          poke(damaged, position, value);
          if (!reads_or_refuses(damaged)) ++wrong;
          poke(damaged, position, static_cast<std::uint32_t>(value));
          if (!reads_or_refuses(damaged)) ++wrong;
        }
      }
      return wrong;
    });
    CHECK(failures == 0);
  }
}

}  // namespace truewheel::elf::test
