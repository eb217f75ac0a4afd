// SPDX-License-Identifier: Apache-2.0
//
// Feeds the files of folders to a fuzz target, for builds without libFuzzer:
//   elf_edit_replay FOLDER...
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** words) {
  std::size_t files = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(words[i])) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::vector<char> text(std::istreambuf_iterator<char>(stream), {});
      const std::vector<std::uint8_t> bytes(text.begin(), text.end());
      static_cast<void>(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()));
      ++files;
    }
  }
  std::printf("%zu inputs replayed\n", files);
  return files == 0 ? 1 : 0;
}
