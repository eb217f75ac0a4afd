// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.hpp"

#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

namespace truewheel::cli {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::vector<std::string> environment_names(std::string_view beginning) {
  std::vector<std::string> names;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view text = *at;
    if (!text.starts_with(beginning)) continue;
    const auto name = text.substr(0, text.find('='));
    names.emplace_back(name.substr(beginning.size()));
  }
  return names;
}

std::vector<std::filesystem::path> folder_list(std::string_view text) {
  std::vector<std::filesystem::path> folders;
  for (const auto& piece : split(text, ':')) {
    if (!piece.empty()) folders.emplace_back(piece);
  }
  return folders;
}

std::vector<std::filesystem::path> ld_library_path() {
  auto text = environment("LD_LIBRARY_PATH").value_or("");
  std::replace(text.begin(), text.end(), ';', ':');
  return folder_list(text);
}

wheel::ArchiveTime archive_time() {
  wheel::ArchiveTime time;
  const auto text = environment("SOURCE_DATE_EPOCH");
  if (!text || text->empty()) return time;
  const char* end = text->data() + text->size();
  const auto result = std::from_chars(text->data(), end, time.seconds);
  if (result.ec != std::errc() || result.ptr != end) {
    throw Error(ErrorKind::usage, "source-date-epoch",
                "SOURCE_DATE_EPOCH is no number of seconds: " + printable(*text));
  }
  return time;
}

}  // namespace truewheel::cli
