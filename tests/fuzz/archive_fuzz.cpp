// SPDX-License-Identifier: Apache-2.0
//
// Any bytes are an archive or a refusal. Of an archive, both ways of reading a member agree, and
// the members lie in it, apart from each other.
#include "base/byte_reader.hpp"
#include "fuzz/expect.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace {

using namespace truewheel;
using test::expect;

std::optional<std::string> content_of(const auto& read) {
  try {
    return read();
  } catch (const Error& error) {
    expect(error.id() == "zip-content", "members are refused as zip-content");
    return std::nullopt;
  }
}

void read_archive(Bytes archive) {
  std::uint64_t end = 0;
  std::set<std::string> names;
  for (const auto& member : wheel::scan(archive).members) {
    expect(names.insert(member.name).second, "names are unique");
    expect(member.data_offset >= end && member.data_offset <= archive.size() &&
               member.compressed_size <= archive.size() - member.data_offset,
           "members lie in the archive, apart from each other");
    end = member.data_offset + member.compressed_size;
    const auto whole = content_of(
        [&] { return std::string(as_text(wheel::read_member(archive, member).bytes())); });
    const auto pieces = content_of([&] {
      std::string content;
      wheel::stream_member(archive, member, [&](Bytes piece) { content += as_text(piece); });
      return content;
    });
    // libdeflate takes a few code tables that zlib does not, so only what zlib takes must agree.
    if (pieces) expect(whole == pieces, "read_member and stream_member agree");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_archive(Bytes(data, size));
  } catch (const Error& error) {
    expect(error.kind() == ErrorKind::refused, "errors are refusals");
  }
  return 0;
}
