// SPDX-License-Identifier: Apache-2.0
#include "wheel/core_metadata.hpp"

#include "base/text.hpp"
#include "base/unicode.hpp"
#include "wheel/version.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::wheel {
namespace {

// A line without its end, off the front. Python's e-mail parser, by which METADATA is read, ends
// one at a carriage return, too.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find_first_of("\r\n");
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<std::size_t>(text.size(), 1));
  return line;
}

bool is_called(std::string_view key, std::string_view lower_name) {
  return ascii_lower(key) == lower_name;
}

[[noreturn]] void refuse(std::string id, const std::string& what) {
  throw Error(ErrorKind::refused, std::move(id), what);
}

}  // namespace

void check_core_metadata(std::string_view text, const WheelName& name) {
  if (!is_valid_utf8(text)) refuse("metadata-encoding", "the text is not UTF-8");
  bool has_name = false;
  bool has_version = false;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (line.starts_with(' ') || line.starts_with('\t')) continue;  // of the header before
    const auto key = line.substr(0, line.find(':'));
    const bool is_header = key.size() < line.size() && !key.empty() &&
                           std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7F; });
    if (!is_header) break;  // the description follows
    const auto value = trimmed(line.substr(key.size() + 1), " \t");
    if (is_called(key, "name")) {
      has_name = true;
      if (normalized_distribution(value) != normalized_distribution(name.distribution)) {
        refuse("metadata-name", fmt::format("Name is '{}', the file name says '{}'",
                                            printable(value), name.distribution));
      }
    } else if (is_called(key, "version")) {
      has_version = true;
      if (comparable_version(value) != comparable_version(name.version)) {
        refuse("metadata-version", fmt::format("Version is '{}', the file name says '{}'",
                                               printable(value), name.version));
      }
    }
  }
  if (!has_name) refuse("metadata-name", "there is no Name");
  if (!has_version) refuse("metadata-version", "there is no Version");
}

}  // namespace truewheel::wheel
