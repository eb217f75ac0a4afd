// SPDX-License-Identifier: Apache-2.0
#include "cli/config_file.hpp"

#include "base/byte_reader.hpp"
#include "base/mapped_file.hpp"
#include "cli/toml_depth.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace truewheel::cli {
namespace {

namespace fs = std::filesystem;

/// Whether toml++ stops without a word within `text`.
bool has_unforeseen(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const toml::parse_error&) {
    return false;
  } catch (const UnforeseenToml&) {
    return true;
  }
  return false;
}

/// The line of a text in which toml++ stops without a word: that of the letter without which it
/// comes to the text's end.
std::size_t line_of_unforeseen(std::string_view text) {
  std::size_t before = 0;  // so many letters it takes
  std::size_t after = text.size();
  while (before + 1 < after) {
    const auto middle = before + (after - before) / 2;
    (has_unforeseen(text.substr(0, middle)) ? after : before) = middle;
  }
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, before), '\n'));
}

toml::table parse(const fs::path& path) {
  const MappedFile file(path);
  const auto text = as_text(file.bytes());
  constexpr std::size_t kDeepest = 1000;
  if (const auto line = line_nested_deeper(text, kDeepest)) {
    wrong_configuration(
        path, fmt::format("line {}: keys and brackets nest more than {} deep", *line, kDeepest),
        {});
  }
  try {
    return toml::parse(text, path.string());
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    wrong_configuration(
        path, fmt::format("line {}, column {}: {}", at.line, at.column, error.description()), {});
  } catch (const UnforeseenToml& error) {
    wrong_configuration(path, fmt::format("line {}: {}", line_of_unforeseen(text), error.what()),
                        {});
  }
}

std::optional<Configuration> read(const fs::path& path) {
  auto table = parse(path);
  const bool is_pyproject = path.filename() == "pyproject.toml";
  const auto tool = table["tool"];
  if (!tool && !is_pyproject) return Configuration{path, std::move(table)};
  if (tool && !tool.is_table()) wrong_configuration(path, "tool is no table", {});
  const auto ours = tool["truewheel"];
  if (!ours && !is_pyproject) {
    wrong_configuration(path, "there is no table [tool.truewheel]",
                        "outside of pyproject.toml options stand without it, too");
  }
  if (!ours) return std::nullopt;
  if (!ours.is_table()) {
    wrong_configuration(path, "tool.truewheel is no table", "[tool.truewheel]");
  }
  return Configuration{path, std::move(*ours.as_table())};
}

}  // namespace

void wrong_configuration(const fs::path& path, const std::string& what, const std::string& hint) {
  Error error(ErrorKind::usage, "config", what, hint);
  error.add_context(path.string());
  throw error;
}

std::optional<Configuration> find_configuration(const std::optional<fs::path>& file) {
  if (file) {
    auto found = read(*file);
    if (!found) wrong_configuration(*file, "there is no table [tool.truewheel]", {});
    return found;
  }
  std::error_code ignored;
  for (auto folder = fs::current_path(ignored); !folder.empty(); folder = folder.parent_path()) {
    for (const auto* name : {"truewheel.toml", "pyproject.toml"}) {
      const auto path = folder / name;
      if (!fs::is_regular_file(path, ignored)) continue;
      if (auto found = read(path)) return found;
    }
    if (folder == folder.root_path()) break;
  }
  return std::nullopt;
}

}  // namespace truewheel::cli
