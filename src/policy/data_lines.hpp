// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace truewheel::data {
// Compiled in from src/policy/data/ (cmake/EmbedData.cmake).
extern const std::string_view policies;
extern const std::string_view profiles;
}  // namespace truewheel::data

namespace truewheel::policy {

struct EveryLine {
  bool operator()(std::string_view) const { return true; }
};

/// The words of each line of a data file that is neither empty nor a comment, and that `wanted`;
/// `visit(words)` never gets an empty list. The views live as long as the text.
template <class Visit, class Wanted = EveryLine>
void for_each_data_line(std::string_view text, Visit&& visit, Wanted&& wanted = {}) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    if (line.starts_with('#') || !wanted(line)) continue;
    words.clear();
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t start = line.find_first_not_of(' ', at);
      if (start == std::string_view::npos) break;
      const std::size_t end = line.find(' ', start);
      words.push_back(line.substr(start, end - start));
      at = end == std::string_view::npos ? line.size() : end;
    }
    if (!words.empty()) visit(words);
  }
}

}  // namespace truewheel::policy
