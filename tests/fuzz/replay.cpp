// SPDX-License-Identifier: Apache-2.0
//
// Feeds the files of folders to a fuzz target, for builds without libFuzzer, and after them changed
// copies, which the numbers SEED, SEED + 1, ... tell how to change:
//   elf_edit_replay [--changes COUNT SEED] FOLDER...
// What ends the program is told by its file or its number.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

std::string current;  // what is being fed

void tell_current(int signal) {
  std::fprintf(stderr, "signal %d at %s\n", signal, current.c_str());
  std::_Exit(1);
}

Input content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> text(std::istreambuf_iterator<char>(stream), {});
  return {text.begin(), text.end()};
}

// The changes that find most: other bytes, known numbers, pieces taken out, doubled, zeroed, and
// taken from another input.
void change(Input& input, const Input& other, std::mt19937_64& random) {
  constexpr std::array<std::uint32_t, 8> kNumbers = {0,          1,          0x7fffffff, 0x80000000,
                                                     0xffffffff, 0xfffffffe, 0xffff,     0x1000};
  if (input.empty()) return;
  const std::size_t at = random() % input.size();
  const std::size_t length = std::min<std::size_t>(input.size() - at, 1 + random() % 64);
  const auto begin = input.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  switch (random() % 7) {
    case 0:
      *begin = static_cast<std::uint8_t>(random());
      break;
    case 1:
      *begin = static_cast<std::uint8_t>(*begin ^ (1U << random() % 8));
      break;
    case 2: {
      const std::uint32_t number = kNumbers[random() % kNumbers.size()];
      for (std::size_t i = 0; i < std::min<std::size_t>(length, 4); ++i) {
        input[at + i] = static_cast<std::uint8_t>(number >> (8 * i));
      }
      break;
    }
    case 3:
      input.erase(begin, end);
      break;
    case 4: {
      const Input piece(begin, end);
      const auto place = static_cast<std::ptrdiff_t>(random() % input.size());
      input.insert(input.begin() + place, piece.begin(), piece.end());
      break;
    }
    case 5:
      std::fill(begin, end, std::uint8_t{0});
      break;
    default: {
      if (other.empty()) break;
      const std::size_t from = random() % other.size();
      const std::size_t count = std::min(length, other.size() - from);
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), count, begin);
      break;
    }
  }
}

void feed_changed(const std::vector<Input>& inputs, std::uint64_t count, std::uint64_t seed) {
  for (std::uint64_t number = seed; number < seed + count; ++number) {
    current = "change " + std::to_string(number);
    std::mt19937_64 random(number);
    Input input = inputs[random() % inputs.size()];
    const Input& other = inputs[random() % inputs.size()];
    for (std::uint64_t left = 1 + random() % 8; left != 0; --left) change(input, other, random);
    static_cast<void>(LLVMFuzzerTestOneInput(input.data(), input.size()));
  }
  std::printf("%llu changed inputs from seed %llu\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed));
}

}  // namespace

int main(int count, char** words) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, tell_current);
  }
  int first = 1;
  const bool changes = count > 3 && std::string_view(words[1]) == "--changes";
  if (changes) first = 4;
  std::vector<std::filesystem::path> files;
  for (int i = first; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(words[i])) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> inputs;
  for (const auto& file : files) {
    current = file.string();
    inputs.push_back(content_of(file));
    static_cast<void>(LLVMFuzzerTestOneInput(inputs.back().data(), inputs.back().size()));
  }
  std::printf("%zu inputs replayed\n", inputs.size());
  if (changes && !inputs.empty()) {
    feed_changed(inputs, std::stoull(words[2]), std::stoull(words[3]));
  }
  return inputs.empty() ? 1 : 0;
}
