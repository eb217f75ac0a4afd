// SPDX-License-Identifier: Apache-2.0
//
// The first byte picks a reader, the rest is its input. Any bytes give a result or a refusal; a
// result survives being written and read again, and both ways of reading a member agree.
#include "base/byte_reader.hpp"
#include "base/text.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace {

using namespace truewheel;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

std::optional<std::string> content_of(const auto& read) {
  try {
    return read();
  } catch (const Error& error) {
    expect(error.id() == "zip-content", "members are refused as zip-content");
    return std::nullopt;
  }
}

void read_archive(Bytes archive) {
  for (const auto& member : wheel::scan(archive).members) {
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

void read_record(std::string_view text) {
  const auto rows = wheel::parse_record(text);
  const auto again = wheel::parse_record(wheel::format_record(rows));
  expect(rows.size() == again.size(), "RECORD keeps its rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expect(rows[i].path == again[i].path && rows[i].hash == again[i].hash &&
               rows[i].size == again[i].size,
           "RECORD keeps each row");
  }
}

void read_metadata(std::string_view text) {
  auto metadata = wheel::WheelMetadata::parse(text);
  expect(wheel::WheelMetadata::parse(metadata.format()).tags() == metadata.tags(),
         "WHEEL keeps its tags");
  metadata.set_tags({"py3-none-any"});
  metadata.set_root_is_purelib(true);
  const auto again = wheel::WheelMetadata::parse(metadata.format());
  expect(again.tags() == std::vector<std::string>{"py3-none-any"}, "WHEEL takes new tags");
  expect(again.root_is_purelib(), "WHEEL takes a new Root-Is-Purelib");
}

void read_pattern(std::string_view text) {
  const auto cut = text.find('\n');
  if (cut != std::string_view::npos) {
    static_cast<void>(glob_match(text.substr(0, cut), text.substr(cut + 1)));
  }
  expect(printable(printable(text)) == printable(text), "what is printable stays as it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes input(data + 1, size - 1);
  const std::string_view text = as_text(input);
  try {
    switch (data[0] % 5) {
      case 0:
        read_archive(input);
        break;
      case 1:
        read_record(text);
        break;
      case 2:
        read_metadata(text);
        break;
      case 3:
        expect(wheel::parse_wheel_name(text).format() == text, "a name stays");
        break;
      default:
        read_pattern(text);
        break;
    }
  } catch (const Error& error) {
    expect(error.kind() == ErrorKind::refused, "errors are refusals");
  }
  return 0;
}
