// SPDX-License-Identifier: Apache-2.0
//
// Writes the seeds of wheel_fuzz into the folder that it is given.
#include "support/zip_builder.hpp"

#include <filesystem>
#include <fstream>
#include <string>

using namespace truewheel::test;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int count = 0;
  const auto put = [&](char reader, const std::string& input) {
    std::ofstream(folder / std::to_string(count++), std::ios::binary) << reader << input;
  };
  put(0, small_archive().build());
  ZipBuilder rich = small_archive();
  use_local_zip64(rich.items[1]);
  use_descriptor(rich.items[1]);
  rich.items.push_back(folder_item("pkg/sub/"));
  rich.items.push_back(stored_item("pkg/caf\xC3\xA9", "x"));
  rich.comment = "rich";
  rich.zip64.emplace();
  rich.entries = 0xFFFF;
  rich.directory_size = rich.directory_offset = 0xFFFFFFFF;
  put(0, rich.build());
  put(1, "a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\r\n\"a,\"\"b\",,\nRECORD,,\n");
  put(2, "Wheel-Version: 1.0\nGenerator: a\n b\nRoot-Is-Purelib: false\nTag: py3-none-any\n\nbody");
  put(3, "a_b-1.0rc1.post2.dev3+cu.130-1x-py2.py3-abi3-linux_x86_64-label.whl");
  put(4, "[!a-c]*?[]x]\nlibabc.so");
  return 0;
}
