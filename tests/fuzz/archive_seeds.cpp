// SPDX-License-Identifier: Apache-2.0
//
// Writes the seeds of archive_fuzz into the folder that it is given.
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
  const auto put = [&](const ZipBuilder& zip) {
    std::ofstream(folder / std::to_string(count++), std::ios::binary) << zip.build();
  };
  put(small_archive());
  ZipBuilder rich = small_archive();
  use_local_zip64(rich.items[1]);
  use_descriptor(rich.items[1]);
  rich.items.push_back(folder_item("pkg/sub/"));
  rich.items.push_back(stored_item("pkg/caf\xC3\xA9", "x"));
  rich.comment = "rich";
  rich.zip64.emplace();
  rich.entries = 0xFFFF;
  rich.directory_size = rich.directory_offset = 0xFFFFFFFF;
  put(rich);
  ZipBuilder described = small_archive();
  use_descriptor(described.items[0]);
  described.items[1].local.extra = described.items[1].central.extra =
      extra_field(0x5455, "\x01time");
  described.tail = std::string(8, '\0');
  put(described);
  return 0;
}
