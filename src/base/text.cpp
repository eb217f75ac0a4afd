// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include "base/unicode.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel {

std::string_view trimmed(std::string_view text, std::string_view characters) {
  const auto first = text.find_first_not_of(characters);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(characters) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string_view take_piece(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto piece = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  std::string joined;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i != 0) joined += separator;
    joined += pieces[i];
  }
  return joined;
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

bool contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const auto code_point = take_code_point(text);
    const std::string_view taken = before.substr(0, before.size() - text.size());
    if (!code_point) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(taken.front()));
    } else if (!is_control_or_format(*code_point)) {
      out += taken;
    } else if (*code_point == '\n') {
      out += "\\n";
    } else if (*code_point == '\r') {
      out += "\\r";
    } else if (*code_point == '\t') {
      out += "\\t";
    } else if (*code_point <= 0xFF) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(*code_point));
    } else if (*code_point <= 0xFFFF) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(*code_point));
    } else {
      out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(*code_point));
    }
  }
  return out;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::optional<std::string> normal_path(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::vector<std::string> kept;
  for (auto& component : split(path, '/')) {
    if (component.empty() || component == ".") continue;
    if (component != "..") {
      kept.push_back(std::move(component));
    } else if (!kept.empty()) {
      kept.pop_back();
    } else if (!absolute) {
      return std::nullopt;
    }
  }
  return (absolute ? "/" : "") + join(kept, "/");
}

std::string relative_path(std::string_view from, std::string_view to) {
  const auto components = [](std::string_view path) {
    return path.empty() ? std::vector<std::string>() : split(path, '/');
  };
  const auto start = components(from);
  const auto goal = components(to);
  std::size_t common = 0;
  while (common < start.size() && common < goal.size() && start[common] == goal[common]) ++common;
  std::vector<std::string> way(start.size() - common, "..");
  way.insert(way.end(), goal.begin() + static_cast<std::ptrdiff_t>(common), goal.end());
  return join(way, "/");
}

}  // namespace truewheel
