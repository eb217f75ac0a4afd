// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include <truewheel/deps.hpp>

#include <algorithm>

namespace truewheel::deps {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Where ".so" ends the stem of a library's name: at the end or before a version. npos if it has
/// none.
std::size_t find_so_suffix(std::string_view name) {
  for (auto at = name.find(".so"); at != std::string_view::npos; at = name.find(".so", at + 1)) {
    const auto behind = at + 3;
    if (behind == name.size() || name[behind] == '.') return at;
  }
  return std::string_view::npos;
}

/// The texts a pattern is held against: whole first, then the cut forms.
struct Forms {
  std::vector<std::string_view> whole;
  std::vector<std::string_view> cut;
};

Forms forms_of(std::string_view needed) {
  Forms forms;
  forms.whole.push_back(needed);
  // A path in NEEDED names a library as much as its base name does (Mooncake#1571).
  const std::string_view name = base_name(needed);
  if (name != needed) forms.whole.push_back(name);
  const auto so = find_so_suffix(name);
  if (so != std::string_view::npos) {
    if (so + 3 != name.size()) forms.cut.push_back(name.substr(0, so + 3));
    forms.cut.push_back(name.substr(0, so));
  }
  return forms;
}

bool matches_any(const std::string& glob, const std::vector<std::string_view>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return glob_match(glob, text); });
}

enum class Named { not_at_all, cut, whole };

Named how_named(const std::string& glob, const Forms& forms, std::string_view real_path) {
  if (matches_any(glob, forms.whole)) return Named::whole;
  if (matches_any(glob, forms.cut)) return Named::cut;
  const bool names_paths = glob.find('/') != std::string::npos;
  if (names_paths && !real_path.empty() && glob_match(glob, real_path)) return Named::whole;
  return Named::not_at_all;
}

void count_hit(ExcludePattern& pattern, std::string_view needed) {
  ++pattern.hits;
  const auto place = std::lower_bound(pattern.matched.begin(), pattern.matched.end(), needed);
  if (place == pattern.matched.end() || *place != needed) pattern.matched.emplace(place, needed);
}

}  // namespace

bool names_library(const std::string& glob, std::string_view needed, std::string_view real_path) {
  return how_named(glob, forms_of(needed), real_path) != Named::not_at_all;
}

std::optional<std::size_t> match_exclude(std::vector<ExcludePattern>& patterns,
                                         std::string_view needed, std::string_view real_path) {
  const Forms forms = forms_of(needed);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    ExcludePattern& pattern = patterns[i];
    const Named named = how_named(pattern.glob, forms, real_path);
    if (named == Named::not_at_all) continue;
    const auto spares = [&](const std::string& glob) {
      return how_named(glob, forms, real_path) != Named::not_at_all;
    };
    if (std::any_of(pattern.unless.begin(), pattern.unless.end(), spares)) continue;
    count_hit(pattern, needed);
    if (named == Named::cut) ++pattern.cut_hits;
    return i;
  }
  return std::nullopt;
}

bool is_libpython(std::string_view needed) {
  std::string_view rest = base_name(needed);
  const auto skip = [&rest](auto is_wanted) {
    std::size_t count = 0;
    while (!rest.empty() && is_wanted(rest.front())) {
      rest.remove_prefix(1);
      ++count;
    }
    return count;
  };
  const auto skip_number = [&] {
    if (rest.size() < 2 || rest[0] != '.' || !is_digit(rest[1])) return false;
    rest.remove_prefix(1);
    skip(is_digit);
    return true;
  };
  if (!rest.starts_with("libpython")) return false;
  rest.remove_prefix(9);
  if (skip(is_digit) == 0) return false;
  skip_number();
  skip([](char letter) { return letter >= 'a' && letter <= 'z'; });  // ABI flags: "3.13t", "3.7m"
  if (!rest.starts_with(".so")) return false;
  rest.remove_prefix(3);
  while (skip_number()) {
  }
  return rest.empty();
}

}  // namespace truewheel::deps
