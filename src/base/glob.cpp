// SPDX-License-Identifier: Apache-2.0
// Shell patterns exactly as Python's fnmatch.fnmatchcase reads them, since users move their
// --exclude lists over from tools written in Python. Follows the rules of fnmatch.translate
// (CPython 3.11, Lib/fnmatch.py) character by character; a test compares random patterns with
// Python itself.
#include "base/text.hpp"
#include "base/unicode.hpp"

namespace truewheel {
namespace {

// Python matches code points; a byte that is no UTF-8 reaches it as a lone surrogate (PEP 383).
std::u32string decode(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    out.push_back(take_code_point(text).value_or(0xDC00 + byte));
  }
  return out;
}

// One bracket expression, between `[` (exclusive) and `]` (exclusive).
class CharacterSet {
 public:
  explicit CharacterSet(std::u32string_view body) {
    std::vector<std::u32string> chunks = cut_at_ranges(body);
    // A range that runs backwards holds nothing: both its ends go, and the chunks around it join.
    for (std::size_t i = chunks.size() - 1; i > 0; --i) {
      if (chunks[i - 1].back() <= chunks[i].front()) continue;
      chunks[i - 1].pop_back();
      chunks[i - 1] += chunks[i].substr(1);
      chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(i));
    }
    read_tokens(chunks);
  }

  [[nodiscard]] bool matches(char32_t c) const {
    for (const auto& [first, last] : ranges_) {
      if (first <= c && c <= last) return !negated_;
    }
    return negated_;
  }

 private:
  struct Token {
    char32_t character;
    bool is_range_dash;
  };

  // Cuts at every dash that can make a range: never the first character and never right after a
  // range.
  static std::vector<std::u32string> cut_at_ranges(std::u32string_view body) {
    std::vector<std::u32string> chunks;
    std::size_t start = 0;
    std::size_t dash = body.starts_with(U'!') ? 2 : 1;
    while ((dash = body.find(U'-', dash)) != std::u32string_view::npos) {
      chunks.emplace_back(body.substr(start, dash - start));
      start = dash + 1;
      dash += 3;
    }
    const std::u32string_view last = body.substr(start);
    if (!last.empty()) {
      chunks.emplace_back(last);
    } else {
      chunks.back() += U'-';
    }
    return chunks;
  }

  void read_tokens(const std::vector<std::u32string>& chunks) {
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (i != 0) tokens.push_back({U'-', true});
      for (const char32_t c : chunks[i]) tokens.push_back({c, false});
    }
    std::size_t next = 0;
    // `[!]` in which nothing is left matches everything, `[]` in which nothing is left matches
    // nothing.
    if (!tokens.empty() && tokens[0].character == U'!' && !tokens[0].is_range_dash) {
      negated_ = true;
      next = 1;
    }
    while (next < tokens.size()) {
      const bool is_range = next + 2 < tokens.size() && tokens[next + 1].is_range_dash;
      const std::size_t last = is_range ? next + 2 : next;
      ranges_.emplace_back(tokens[next].character, tokens[last].character);
      next = last + 1;
    }
  }

  std::vector<std::pair<char32_t, char32_t>> ranges_;
  bool negated_ = false;
};

struct Step {
  enum class Kind { literal, any, run, set } kind;
  char32_t literal = 0;
  std::size_t set = 0;
};

struct Pattern {
  std::vector<Step> steps;
  std::vector<CharacterSet> sets;
};

// The index of the `]` that ends the bracket expression whose body starts at `start`, or npos.
std::size_t bracket_end(std::u32string_view pattern, std::size_t start) {
  std::size_t end = start;
  if (end < pattern.size() && pattern[end] == U'!') ++end;
  if (end < pattern.size() && pattern[end] == U']') ++end;
  return pattern.find(U']', end);
}

Pattern compile(std::u32string_view text) {
  Pattern pattern;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    const std::size_t end = c == U'[' ? bracket_end(text, i + 1) : std::u32string_view::npos;
    if (c == U'*') {
      pattern.steps.push_back({Step::Kind::run});
    } else if (c == U'?') {
      pattern.steps.push_back({Step::Kind::any});
    } else if (end != std::u32string_view::npos) {
      pattern.steps.push_back({Step::Kind::set, 0, pattern.sets.size()});
      pattern.sets.emplace_back(text.substr(i + 1, end - i - 1));
      i = end;
    } else {
      pattern.steps.push_back({Step::Kind::literal, c});
    }
  }
  return pattern;
}

/// Whether they differ before the first character of the pattern that may stand for others. So it
/// is with most pairs, and that takes no decoding.
bool differs_at_once(std::string_view pattern, std::string_view text) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*' || c == '?' || c == '[' || static_cast<unsigned char>(c) >= 0x80) return false;
    if (i == text.size() || text[i] != c) return true;
  }
  return false;
}

bool step_matches(const Pattern& pattern, const Step& step, char32_t c) {
  switch (step.kind) {
    case Step::Kind::literal:
      return step.literal == c;
    case Step::Kind::set:
      return pattern.sets[step.set].matches(c);
    case Step::Kind::any:
    case Step::Kind::run:
      return true;
  }
  return false;
}

}  // namespace

bool glob_match(std::string_view pattern_text, std::string_view text) {
  if (differs_at_once(pattern_text, text)) return false;
  const Pattern pattern = compile(decode(pattern_text));
  const std::u32string subject = decode(text);
  // Only the last `*` ever needs another try, since an earlier one can take nothing that a later
  // one could not: at most |pattern| x |text| steps, whatever the pattern.
  constexpr auto kNone = static_cast<std::size_t>(-1);
  std::size_t step = 0, position = 0, retry_step = kNone, retry_position = 0;
  while (position < subject.size() || step < pattern.steps.size()) {
    if (step < pattern.steps.size()) {
      const Step& wanted = pattern.steps[step];
      if (wanted.kind == Step::Kind::run) {
        retry_step = step++;
        retry_position = position;
        continue;
      }
      if (position < subject.size() && step_matches(pattern, wanted, subject[position])) {
        ++step;
        ++position;
        continue;
      }
    }
    if (retry_step == kNone || retry_position >= subject.size()) return false;
    step = retry_step + 1;
    position = ++retry_position;
  }
  return true;
}

}  // namespace truewheel
