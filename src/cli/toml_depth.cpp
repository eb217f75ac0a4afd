// SPDX-License-Identifier: Apache-2.0
#include "cli/toml_depth.hpp"

#include <algorithm>
#include <vector>

namespace truewheel::cli {
namespace {

/// Behind a string that begins at `at`, or a comment. Strings end at a line end if nothing else
/// ends them; what is no TOML is the parser's business.
std::size_t skip_text(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (quote == '#') return std::min(text.find('\n', at), text.size());
  const std::string_view rest = text.substr(at);
  const bool is_long = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  for (std::size_t i = at + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (!is_long && (text[i] == quote || text[i] == '\n')) {
      return text[i] == quote ? i + 1 : i;
    } else if (is_long && text.substr(i, 3) == rest.substr(0, 3)) {
      return i + 3;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> line_nested_deeper(std::string_view text, std::size_t limit) {
  // For each open bracket the dots since the last comma: that deep is the key that stands there.
  std::vector<std::size_t> dots = {0};
  std::size_t line = 1, deep = 0;  // deep: the sum of all but the last
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at];
    if (letter == '"' || letter == '\'' || letter == '#') {
      const auto end = skip_text(text, at);
      for (; at < end; ++at) line += text[at] == '\n' ? 1 : 0;
      continue;
    }
    if (letter == '[' || letter == '{') {
      deep += dots.back() + 1;
      dots.push_back(0);
    } else if ((letter == ']' || letter == '}') && dots.size() > 1) {
      dots.pop_back();
      deep -= dots.back() + 1;
    } else if (letter == '.') {
      ++dots.back();
    } else if (letter == ',' || (letter == '\n' && dots.size() == 1)) {
      dots.back() = 0;
    }
    if (deep + dots.back() > limit) return line;
    line += letter == '\n' ? 1 : 0;
    ++at;
  }
  return std::nullopt;
}

}  // namespace truewheel::cli
