// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "policy/data_lines.hpp"
#include <truewheel/error.hpp>
#include <truewheel/policy.hpp>

#include <algorithm>

namespace truewheel::policy {
namespace {

using Words = std::vector<std::string_view>;

[[noreturn]] void bad_data(std::string_view word) {
  throw Error(ErrorKind::internal, "profile-data",
              "the built-in profiles have a bad line at '" + std::string(word) + "'");
}

bool is_called(const Profile& profile, std::string_view name) {
  return profile.name == name ||
         std::find(profile.aliases.begin(), profile.aliases.end(), name) != profile.aliases.end();
}

std::vector<Profile> parse_profiles() {
  std::vector<Profile> profiles;
  for_each_data_line(data::profiles, [&profiles](const Words& words) {
    const std::string_view keyword = words[0];
    if (keyword == "profile" && words.size() > 1) {
      Profile& profile = profiles.emplace_back();
      profile.name = words[1];
      profile.aliases.assign(words.begin() + 2, words.end());
      return;
    }
    if (profiles.empty()) bad_data(keyword);
    Profile& profile = profiles.back();
    if (keyword == "driver") {
      profile.is_driver = true;
    } else if (keyword == "globs") {
      profile.globs.insert(profile.globs.end(), words.begin() + 1, words.end());
    } else if (keyword == "as" && words.size() == 2) {
      const auto other = std::find_if(profiles.begin(), profiles.end(),
                                      [&](const Profile& p) { return is_called(p, words[1]); });
      if (other == profiles.end()) bad_data(words[1]);
      profile.globs = other->globs;
    } else if (keyword == "site") {
      for (std::size_t i = 1; i < words.size(); ++i) {
        profile.site_entries.push_back("site:" + std::string(words[i]));
      }
    } else if (keyword == "system") {
      profile.system_entries.insert(profile.system_entries.end(), words.begin() + 1, words.end());
    } else {
      bad_data(keyword);
    }
  });
  return profiles;
}

}  // namespace

const std::vector<Profile>& all_profiles() {
  static const std::vector<Profile> profiles = parse_profiles();
  return profiles;
}

const Profile& find_profile(std::string_view name) {
  std::vector<std::string> names;
  for (const Profile& profile : all_profiles()) {
    if (is_called(profile, name)) return profile;
    names.push_back(profile.name);
  }
  throw Error(ErrorKind::usage, "unknown-profile", "there is no profile '" + printable(name) + "'",
              "the profiles are " + join(names, ", "));
}

std::string expand_site_entry(std::string_view entry, std::string_view file_path) {
  constexpr std::string_view kSite = "site:";
  const auto folder =
      entry.starts_with(kSite) ? normal_path(entry.substr(kSite.size())) : std::nullopt;
  if (!folder || folder->starts_with('/')) {
    throw Error(ErrorKind::usage, "site-entry",
                "'" + printable(entry) + "' is not 'site:' and a folder below site-packages");
  }
  const std::string way = relative_path(folder_name(file_path), *folder);
  return way.empty() ? "$ORIGIN" : "$ORIGIN/" + way;
}

}  // namespace truewheel::policy
