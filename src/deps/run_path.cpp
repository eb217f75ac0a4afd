// SPDX-License-Identifier: Apache-2.0
#include "deps/run_path.hpp"

#include "base/text.hpp"
#include "deps/machine.hpp"
#include <truewheel/deps.hpp>

namespace truewheel::deps {
namespace {

bool continues_identifier(char letter) {
  return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

/// The length of token `name` at the start of `text` (behind the dollar sign), or 0: glibc's
/// is_dst.
std::size_t token_length(std::string_view text, std::string_view name) {
  const bool braced = text.starts_with('{');
  if (braced) text.remove_prefix(1);
  if (!text.starts_with(name)) return 0;
  text.remove_prefix(name.size());
  if (braced) return text.starts_with('}') ? name.size() + 2 : 0;
  return !text.empty() && continues_identifier(text.front()) ? 0 : name.size();
}

struct FoundToken {
  std::size_t length = 0;
  std::optional<std::string> value;
};

FoundToken token_at(std::string_view behind_dollar, const TokenValues& values) {
  if (const auto length = token_length(behind_dollar, "ORIGIN"); length != 0) {
    return {length, values.origin};
  }
  if (const auto length = token_length(behind_dollar, "PLATFORM"); length != 0) {
    return {length, values.platform};
  }
  if (const auto length = token_length(behind_dollar, "LIB"); length != 0) {
    return {length, values.lib};
  }
  return {};
}

bool begins_with_origin(std::string_view entry) {
  return entry.starts_with('$') && token_length(entry.substr(1), "ORIGIN") != 0;
}

}  // namespace

std::optional<std::string> expand_tokens(std::string_view text, const TokenValues& values) {
  std::string expanded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') {
      const FoundToken token = token_at(text.substr(i + 1), values);
      if (token.length != 0) {
        if (!token.value) return std::nullopt;
        expanded += *token.value;
        i += token.length;
        continue;
      }
    }
    expanded += text[i];
  }
  return expanded;
}

std::string replace_prefix_token(std::string_view text, std::string_view name,
                                 std::string_view value) {
  const std::string plain = "$" + std::string(name);
  const std::string braced = "${" + std::string(name) + "}";
  std::string replaced;
  while (!text.empty()) {
    if (text.starts_with(plain)) {
      replaced += value;
      text.remove_prefix(plain.size());
    } else if (text.starts_with(braced)) {
      replaced += value;
      text.remove_prefix(braced.size());
    } else {
      replaced += text.front();
      text.remove_prefix(1);
    }
  }
  return replaced;
}

bool uses_origin(std::string_view text) {
  for (auto at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    if (token_length(text.substr(at + 1), "ORIGIN") != 0) return true;
  }
  return false;
}

std::string layout_origin(std::string_view file_path) {
  std::string origin(kLayoutRoot);
  if (const auto folder = folder_name(file_path); !folder.empty()) {
    origin += '/';
    origin += folder;
  }
  return origin;
}

std::optional<std::vector<std::string>> components_below_root(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  std::vector<std::string> components;
  bool seen_root = false;
  for (auto& component : split(text, '/')) {
    if (component.empty() || component == ".") continue;
    if (!seen_root) {
      if (component != kLayoutRoot.substr(1)) return std::nullopt;
      seen_root = true;
      continue;
    }
    components.push_back(std::move(component));
  }
  if (!seen_root) return std::nullopt;
  return components;
}

std::vector<std::string> run_path_entries(std::string_view value) {
  // An empty run path has no entry: glibc's decompose_rpath ignores it ("Ignore empty rpaths").
  if (value.empty()) return {};
  return split(value, ':');
}

EntryPlace place_entry(std::string_view entry, std::string_view file_path,
                       const elf::ElfFacts& facts) {
  using Kind = EntryPlace::Kind;
  if (entry.empty()) return {Kind::empty, {}};
  if (entry.starts_with('/')) return {Kind::absolute, {}};
  if (!begins_with_origin(entry)) return {Kind::relative, {}};

  const MachineNames names = machine_names(facts);
  TokenValues values{layout_origin(file_path), names.lib_folder, names.platform};
  // A machine without an AT_PLATFORM keeps the token as text: a folder that no wheel has.
  if (names.platform.empty()) values.platform = "$PLATFORM";
  const auto components = components_below_root(expand_tokens(entry, values).value_or(""));
  if (!components) return {Kind::above, {}};  // "$ORIGINfoo" beside the root: not a folder of it
  const auto folder = normal_path(join(*components, "/"));
  if (!folder) return {Kind::above, {}};
  return {Kind::inside, *folder};
}

}  // namespace truewheel::deps
