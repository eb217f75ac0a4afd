// SPDX-License-Identifier: Apache-2.0
// The WHEEL file. Every header is held as (key, its whole line as written, folded lines and line
// end included), so that what is not edited comes out byte for byte.
#include "base/text.hpp"
#include "base/unicode.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace truewheel::wheel {
namespace {

constexpr std::string_view kVersionKey = "Wheel-Version";
constexpr std::string_view kPurelibKey = "Root-Is-Purelib";
constexpr std::string_view kTagKey = "Tag";
// A thousand tags are some 40 kB; each line takes more memory than it has bytes.
constexpr std::size_t kMostText = std::size_t{1} << 20;

using Header = std::pair<std::string, std::string>;

constexpr std::string_view kSpace = " \t\r\n";

// Header names compare without case, as the e-mail headers that they are.
bool has_key(const Header& header, std::string_view key) {
  return ascii_lower(header.first) == ascii_lower(key);
}

std::string_view value_of(const Header& header) {
  return trimmed(std::string_view(header.second).substr(header.first.size() + 1), kSpace);
}

// Takes one line with its end off the front.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
  text.remove_prefix(line.size());
  return line;
}

// The name of the header that starts on this line; empty if none does, which ends the headers.
std::string_view key_of(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  const auto key = line.substr(0, colon);
  const bool is_name = std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7F; });
  return is_name ? key : std::string_view();
}

std::string_view line_end_of(const std::vector<Header>& headers) {
  return !headers.empty() && headers.front().second.ends_with("\r\n") ? "\r\n" : "\n";
}

Header make_header(std::string_view key, std::string_view value, std::string_view line_end) {
  return {std::string(key), fmt::format("{}: {}{}", key, value, line_end)};
}

std::uint32_t parse_number(std::string_view text, std::string_view version) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) {
    throw Error(ErrorKind::refused, "wheel-metadata-version",
                fmt::format("Wheel-Version '{}' is not a version", printable(version)));
  }
  return number;
}

// Every part must be a number, as pip reads it, and every Wheel-Version one that is understood,
// since of two of them readers take one or the other.
void check_version(const std::vector<Header>& headers, std::vector<std::string>& notes) {
  bool any = false;
  for (const auto& header : headers) {
    if (!has_key(header, kVersionKey)) continue;
    any = true;
    const std::string_view version = value_of(header);
    std::vector<std::uint32_t> numbers;
    for (const auto& part : split(version, '.')) numbers.push_back(parse_number(part, version));
    if (numbers[0] != 1) {
      throw Error(
          ErrorKind::refused, "wheel-metadata-version",
          fmt::format("Wheel-Version {} is not one that is understood (1.x)", printable(version)));
    }
    if (std::any_of(numbers.begin() + 1, numbers.end(), [](auto number) { return number != 0; })) {
      notes.push_back(fmt::format("Wheel-Version {} is newer than 1.0", printable(version)));
    }
  }
  if (!any) throw Error(ErrorKind::refused, "wheel-metadata-version", "there is no Wheel-Version");
}

// Python's e-mail parser, by which installers read WHEEL, ends a line at a carriage return too:
// what follows one would be a header to them and a part of its line to others.
void check_line_ends(std::string_view text) {
  for (auto at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] == '\n') continue;
    throw Error(ErrorKind::refused, "wheel-metadata-line", "a carriage return stands alone");
  }
}

void check_tags(const std::vector<Header>& headers, std::vector<std::string>& notes) {
  bool any = false;
  for (const auto& header : headers) {
    if (!has_key(header, kTagKey)) continue;
    const auto value = value_of(header);
    any = any || !value.empty();
    if (value.empty()) {
      notes.emplace_back("a Tag line is empty");
    } else if (std::ranges::count(value, '-') != 2) {
      notes.push_back(
          fmt::format("Tag '{}' is not of the form python-abi-platform", printable(value)));
    }
  }
  if (!any) notes.emplace_back("there is no Tag");
}

}  // namespace

WheelMetadata WheelMetadata::parse(std::string_view text) {
  if (!is_valid_utf8(text))
    throw Error(ErrorKind::refused, "wheel-metadata-encoding", "the text is not UTF-8");
  if (text.size() > kMostText) {
    throw Error(ErrorKind::refused, "wheel-metadata-size",
                fmt::format("the text is longer than {} bytes", kMostText));
  }
  check_line_ends(text);
  WheelMetadata metadata;
  while (!text.empty()) {
    const std::string_view before = text;
    const std::string_view line = take_line(text);
    const bool folded = line.starts_with(' ') || line.starts_with('\t');
    if (folded && !metadata.headers_.empty()) {
      metadata.headers_.back().second += line;
      continue;
    }
    const std::string_view key = key_of(line);
    if (key.empty()) {
      if (!trimmed(line, kSpace).empty()) {
        metadata.notes_.push_back(
            fmt::format("'{}' is not a header; it and what follows are kept but not read",
                        printable(trimmed(line, kSpace))));
      }
      metadata.rest_ = before;
      break;
    }
    metadata.headers_.emplace_back(key, line);
  }
  check_version(metadata.headers_, metadata.notes_);
  check_tags(metadata.headers_, metadata.notes_);

  const auto is_purelib = [](const Header& header) { return has_key(header, kPurelibKey); };
  const auto count = std::ranges::count_if(metadata.headers_, is_purelib);
  if (count == 0) metadata.notes_.emplace_back("there is no Root-Is-Purelib, which means false");
  if (count > 1) {
    // Readers take the first one; the others go (Z47).
    metadata.notes_.emplace_back("Root-Is-Purelib stands more than once; the first one counts");
    const auto first = std::ranges::find_if(metadata.headers_, is_purelib);
    metadata.headers_.erase(std::remove_if(std::next(first), metadata.headers_.end(), is_purelib),
                            metadata.headers_.end());
  }
  return metadata;
}

std::vector<std::string> WheelMetadata::tags() const {
  std::vector<std::string> found;
  for (const auto& header : headers_) {
    if (has_key(header, kTagKey) && !value_of(header).empty()) found.emplace_back(value_of(header));
  }
  return found;
}

bool WheelMetadata::root_is_purelib() const {
  const auto found = std::ranges::find_if(
      headers_, [](const Header& header) { return has_key(header, kPurelibKey); });
  return found != headers_.end() && ascii_lower(value_of(*found)) == "true";
}

void WheelMetadata::set_tags(const std::vector<std::string>& tags) {
  const std::string line_end(line_end_of(headers_));
  const auto is_tag = [](const Header& header) { return has_key(header, kTagKey); };
  const auto position = std::ranges::find_if(headers_, is_tag) - headers_.begin();
  std::erase_if(headers_, is_tag);
  std::vector<Header> lines;
  for (const auto& tag : tags) lines.push_back(make_header(kTagKey, tag, line_end));
  headers_.insert(headers_.begin() + position, lines.begin(), lines.end());
}

void WheelMetadata::set_root_is_purelib(bool value) {
  const auto found = std::ranges::find_if(
      headers_, [](const Header& header) { return has_key(header, kPurelibKey); });
  const auto line = make_header(kPurelibKey, value ? "true" : "false", line_end_of(headers_));
  if (found != headers_.end()) {
    *found = line;
    return;
  }
  // Where every generator has it: before the tags.
  const auto tag =
      std::ranges::find_if(headers_, [](const Header& header) { return has_key(header, kTagKey); });
  headers_.insert(tag, line);
}

std::string WheelMetadata::format() const {
  const std::string_view line_end = line_end_of(headers_);
  std::string out;
  for (const auto& header : headers_) {
    // The text's last line may have lacked its end and now have another one behind it.
    if (!out.empty() && !out.ends_with('\n')) out += line_end;
    out += header.second;
  }
  return out + rest_;
}

}  // namespace truewheel::wheel
