// SPDX-License-Identifier: Apache-2.0
#include "wheel/version.hpp"

#include "base/text.hpp"

#include <initializer_list>
#include <vector>

namespace truewheel::wheel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_separator(char c) { return c == '.' || c == '-' || c == '_'; }

// Reads a version from the front, following the regular expression of PEP 440, appendix B. What
// does not match leaves the position where it was, as an optional group does.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  std::optional<std::string> epoch() {
    const std::string_view before = rest_;
    auto value = number();
    if (value && take('!')) return value;
    rest_ = before;
    return std::nullopt;
  }

  // The release without trailing zeros, which do not count when versions are compared.
  std::optional<std::string> release() {
    std::vector<std::string> parts;
    for (auto part = number(); part;) {
      parts.push_back(std::move(*part));
      const std::string_view before = rest_;
      part = take('.') ? number() : std::nullopt;
      if (!part) rest_ = before;
    }
    if (parts.empty()) return std::nullopt;
    while (parts.size() > 1 && parts.back() == "0") parts.pop_back();
    std::string joined = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) joined += "." + parts[i];
    return joined;
  }

  // [separator] word [separator] [number]; a missing number is 0.
  std::optional<std::string> labelled(std::initializer_list<std::string_view> words,
                                      std::string_view label) {
    const std::string_view before = rest_;
    take_separator();
    for (const auto word : words) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      const std::string_view behind_word = rest_;
      take_separator();
      auto value = number();
      if (!value) rest_ = behind_word;
      return std::string(label) + value.value_or("0");
    }
    rest_ = before;
    return std::nullopt;
  }

  // "-1" is a post release; in a file name the dash is an underscore.
  std::optional<std::string> implicit_post() {
    const std::string_view before = rest_;
    if (take('-') || take('_')) {
      if (const auto value = number()) return ".post" + *value;
    }
    rest_ = before;
    return std::nullopt;
  }

  // "+" and alphanumeric segments; separators are all alike.
  std::optional<std::string> local() {
    if (!take('+')) return std::nullopt;
    std::string out = "+";
    for (;;) {
      std::size_t length = 0;
      bool numeric = true;
      while (length < rest_.size() && (is_digit(rest_[length]) || is_letter(rest_[length]))) {
        numeric = numeric && is_digit(rest_[length]);
        ++length;
      }
      if (length == 0) return std::nullopt;
      out +=
          numeric ? without_zeros(rest_.substr(0, length)) : std::string(rest_.substr(0, length));
      rest_.remove_prefix(length);
      if (!take_separator()) return out;
      out += '.';
    }
  }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

 private:
  static std::string without_zeros(std::string_view digits) {
    const auto first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? "0" : std::string(digits.substr(first));
  }

  std::optional<std::string> number() {
    std::size_t length = 0;
    while (length < rest_.size() && is_digit(rest_[length])) ++length;
    if (length == 0) return std::nullopt;
    const std::string_view digits = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return without_zeros(digits);
  }

  bool take_separator() {
    if (rest_.empty() || !is_separator(rest_.front())) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::string> comparable_version(std::string_view version) {
  const auto lower = ascii_lower(version);
  Parser parser(lower);
  parser.take('v');
  const auto epoch = parser.epoch();
  const auto release = parser.release();
  if (!release) return std::nullopt;
  std::string out = epoch && *epoch != "0" ? *epoch + "!" + *release : *release;
  // Longer spellings first, so that "alpha" is not read as "a".
  auto pre = parser.labelled({"alpha", "a"}, "a");
  if (!pre) pre = parser.labelled({"beta", "b"}, "b");
  if (!pre) pre = parser.labelled({"preview", "pre", "rc", "c"}, "rc");
  if (pre) out += *pre;
  auto post = parser.labelled({"post", "rev", "r"}, ".post");
  if (!post) post = parser.implicit_post();
  if (post) out += *post;
  if (const auto dev = parser.labelled({"dev"}, ".dev")) out += *dev;
  if (!parser.at_end()) {
    const auto local = parser.local();
    if (!local || !parser.at_end()) return std::nullopt;
    out += *local;
  }
  return out;
}

}  // namespace truewheel::wheel
