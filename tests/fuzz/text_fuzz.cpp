// SPDX-License-Identifier: Apache-2.0
//
// The texts of a wheel. The first byte picks a reader, the rest is its input. Any text gives a
// result or a refusal, and a result survives being written and read again.
#include "base/byte_reader.hpp"
#include "base/text.hpp"
#include "fuzz/expect.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace truewheel;
using test::expect;

void read_record(std::string_view text) {
  const auto rows = wheel::parse_record(text);
  const auto again = wheel::parse_record(wheel::format_record(rows));
  expect(rows.size() == again.size(), "RECORD keeps its rows");
  std::vector<wheel::Digest> members;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expect(rows[i].path == again[i].path && rows[i].hash == again[i].hash &&
               rows[i].size == again[i].size,
           "RECORD keeps each row");
    // Every other row is of a member that has its hash.
    const auto equals = rows[i].hash.find('=');
    if (i % 2 == 0 && equals != std::string::npos) {
      members.push_back({rows[i].path, rows[i].hash.substr(equals + 1), rows[i].size.value_or(0)});
    }
  }
  const Buffer content = {'x'};
  const auto mismatches =
      wheel::verify_record(rows, members, "p-1.dist-info/RECORD",
                           [&](const std::string&) { return wheel::Content(Bytes(content)); });
  // RECORD.jws and RECORD.p7s may have a row and no file.
  expect(rows.size() <= members.size() + 2 || !mismatches.empty(), "a row without a file is told");
}

void read_wheel_file(std::string_view text) {
  auto metadata = wheel::WheelMetadata::parse(text);
  expect(wheel::WheelMetadata::parse(metadata.format()).tags() == metadata.tags(),
         "WHEEL keeps its tags");
  metadata.set_tags({"py3-none-any"});
  metadata.set_root_is_purelib(true);
  const auto again = wheel::WheelMetadata::parse(metadata.format());
  expect(again.tags() == std::vector<std::string>{"py3-none-any"}, "WHEEL takes new tags");
  expect(again.root_is_purelib(), "WHEEL takes a new Root-Is-Purelib");
}

void read_metadata(std::string_view text) {
  for (const auto& name : wheel::required_distributions(text)) {
    expect(wheel::normalized_distribution(name) == name, "a normalised name stays");
  }
}

// The first line is a file name, each other line a member of the archive.
void read_names(std::string_view text) {
  const auto file_name = take_piece(text, '\n');
  if (file_name.size() > 255) return;  // NAME_MAX
  const auto name = wheel::parse_wheel_name(file_name);
  expect(name.format() == file_name, "a name stays");
  expect(name.expanded_tags().size() ==
             name.python_tags.size() * name.abi_tags.size() * name.platform_tags.size(),
         "tags are expanded");
  std::vector<wheel::Member> members;
  while (!text.empty()) {
    wheel::Member member;
    member.name = take_piece(text, '\n');
    members.push_back(std::move(member));
  }
  const auto dist_info = wheel::find_dist_info(members, name);
  expect(std::any_of(members.begin(), members.end(),
                     [&](const auto& member) { return member.name.starts_with(dist_info + "/"); }),
         "the folder is one of the archive's");
  for (const auto& member : members) {
    expect(member.name.ends_with(wheel::installed_path(member.name, dist_info).path),
           "an installed path is the end of a member's name");
  }
  static_cast<void>(wheel::layout_notes(members, dist_info, {}));
}

void read_entry_points(std::string_view text) {
  expect(wheel::layout_notes({}, "p-1.dist-info", text).size() <= 50, "notes are few");
}

void read_pattern(std::string_view text) {
  const auto pattern = take_piece(text, '\n');
  const bool matches = glob_match(pattern, text);
  if (pattern.find_first_of("*?[") == std::string_view::npos) {
    expect(matches == (pattern == text), "a pattern without wildcards is what it matches");
  }
  expect(printable(printable(text)) == printable(text), "what is printable stays as it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = as_text(Bytes(data + 1, size - 1));
  try {
    switch (data[0] % 6) {
      case 0:
        read_record(text);
        break;
      case 1:
        read_wheel_file(text);
        break;
      case 2:
        read_metadata(text);
        break;
      case 3:
        read_names(text);
        break;
      case 4:
        read_entry_points(text);
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
