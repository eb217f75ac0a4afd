// SPDX-License-Identifier: Apache-2.0
#include "fuzz/built_wheel.hpp"

#include "base/byte_reader.hpp"
#include "base/deflate.hpp"
#include "base/hash.hpp"
#include "support/zip_builder.hpp"
#include <truewheel/wheel.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace truewheel::test {
namespace {

constexpr const char* kMetadata = "p-1.dist-info/METADATA";
constexpr const char* kWheel = "p-1.dist-info/WHEEL";
constexpr const char* kRecord = "p-1.dist-info/RECORD";
constexpr const char* kOwnName = "";   // the first line of the piece
constexpr const char* kOutside = "/";  // no member: a library of this machine

/// Numbered in the inputs: new ones go to the end.
constexpr std::array<const char*, 15> kPlaces = {"pkg/_x.so",
                                                 "pkg/sub/liby.so.1",
                                                 "p.libs/libz-01234567.so.1",
                                                 "p-1.data/scripts/tool",
                                                 "p-1.data/data/lib/liby.so.1",
                                                 "p-1.data/purelib/q/_x.so",
                                                 "pkg/__init__.py",
                                                 kMetadata,
                                                 kWheel,
                                                 kRecord,
                                                 "p-1.dist-info/entry_points.txt",
                                                 "p-1.dist-info/sboms/truewheel.cdx.json",
                                                 "p-1.dist-info/licenses/LICENSE",
                                                 kOwnName,
                                                 kOutside};

/// Contents by name of the member.
using Files = std::map<std::string, std::string>;

Files files_of(Bytes pieces) {
  Files files;
  std::string_view rest = as_text(pieces);
  while (rest.size() > 3) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(rest[at]); };
    std::string name = kPlaces[byte(0) % kPlaces.size()];
    auto content = rest.substr(3, byte(1) + std::size_t{256} * byte(2));
    rest.remove_prefix(3 + content.size());
    if (name == kOwnName) {
      const auto end = content.find('\n');
      if (end == std::string_view::npos) continue;
      name = content.substr(0, end);
      content.remove_prefix(end + 1);
    }
    files.emplace(std::move(name), content);
  }
  return files;
}

void complete(Files& files) {
  files.emplace(kMetadata, "Metadata-Version: 2.1\nName: p\nVersion: 1\n");
  files.emplace(kWheel, "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n");
  if (files.contains(kRecord)) return;
  std::vector<wheel::RecordRow> rows;
  for (const auto& [name, content] : files) {
    rows.push_back({name, "sha256=" + base64url(sha256(as_bytes(content))), content.size()});
  }
  rows.push_back({kRecord, {}, {}});
  files.emplace(kRecord, wheel::format_record(rows));
}

}  // namespace

BuiltWheel built_wheel(Bytes pieces, bool is_compressed) {
  auto files = files_of(pieces);
  BuiltWheel built;
  if (auto outside = files.extract(kOutside)) built.outside_library = std::move(outside.mapped());
  complete(files);
  ZipBuilder zip;
  for (const auto& [name, content] : files) {
    const bool shrinks = is_compressed && deflate_smaller(as_bytes(content), 6).has_value();
    zip.items.push_back(shrinks ? deflated_item(name, content) : stored_item(name, content));
  }
  built.archive = zip.build();
  return built;
}

}  // namespace truewheel::test
