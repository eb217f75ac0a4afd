// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "wheel/version.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <set>

namespace truewheel::wheel {
namespace {

constexpr std::string_view kDistInfo = ".dist-info";
constexpr std::string_view kData = ".data";

std::string quoted_list(const std::set<std::string_view>& names) {
  std::vector<std::string> quoted;
  for (const auto name : names) quoted.push_back("'" + printable(name) + "'");
  return join(quoted, ", ");
}

// Whether "{name}-{version}" is the wheel's. Either half may be spelled otherwise (D20), and an old
// tool may have left a dash in one of them, so every dash is tried.
bool belongs_to(std::string_view stem, const WheelName& name) {
  const std::string distribution = normalized_distribution(name.distribution);
  const auto version = comparable_version(name.version);
  for (auto dash = stem.find('-'); dash != std::string_view::npos;
       dash = stem.find('-', dash + 1)) {
    if (normalized_distribution(stem.substr(0, dash)) == distribution &&
        comparable_version(stem.substr(dash + 1)) == version) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string find_dist_info(const std::vector<Member>& members, const WheelName& name) {
  std::set<std::string_view> dist_infos;
  std::set<std::string_view> data_folders;
  bool has_folder = false;
  for (const auto& member : members) {
    const std::string_view path = member.name;
    const auto slash = path.find('/');
    const std::string_view root = path.substr(0, slash);
    if (root.ends_with(kDistInfo)) {
      dist_infos.insert(root);
      // A file of such a name counts for pip, which then finds two.
      has_folder = has_folder || slash != std::string_view::npos;
    }
    if (slash == std::string_view::npos) continue;
    if (root.ends_with(kData)) data_folders.insert(root);
  }
  if (!has_folder) {
    throw Error(ErrorKind::refused, "dist-info-missing", "the wheel has no .dist-info folder");
  }
  if (dist_infos.size() > 1) {
    throw Error(ErrorKind::refused, "dist-info-several",
                "the wheel has several .dist-info folders: " + quoted_list(dist_infos));
  }
  const std::string found(*dist_infos.begin());
  const std::string_view stem = std::string_view(found).substr(0, found.size() - kDistInfo.size());
  if (!belongs_to(stem, name)) {
    throw Error(ErrorKind::refused, "dist-info-mismatch",
                fmt::format("folder '{}' is not that of {} {}, which the file name speaks of",
                            printable(found), name.distribution, name.version));
  }
  // Installers take every root folder that ends in .data for the wheel's own (pip) or only the one
  // that is spelled as the .dist-info is (installer): another one would be two things to two of
  // them.
  data_folders.erase(std::string(stem) + std::string(kData));
  if (!data_folders.empty()) {
    throw Error(
        ErrorKind::refused, "dist-info-data",
        fmt::format("{} does not belong to '{}'", quoted_list(data_folders), printable(found)));
  }
  return found;
}

InstalledPath installed_path(std::string_view member_name, std::string_view dist_info) {
  using Scheme = InstalledPath::Scheme;
  std::string_view stem = dist_info;
  if (stem.ends_with(kDistInfo)) stem.remove_suffix(kDistInfo.size());
  const std::string data = std::string(stem) + std::string(kData) + "/";
  if (!member_name.starts_with(data)) return {Scheme::root, std::string(member_name)};
  const std::string_view inside = member_name.substr(data.size());
  const auto slash = inside.find('/');
  if (slash == std::string_view::npos) return {Scheme::root, std::string(member_name)};
  const std::string_view key = inside.substr(0, slash);
  const std::string rest(inside.substr(slash + 1));
  if (key == "platlib") return {Scheme::root, rest};
  if (key == "purelib") return {Scheme::purelib, rest};
  if (key == "scripts") return {Scheme::scripts, rest};
  if (key == "data") return {Scheme::data, rest};
  if (key == "headers") return {Scheme::headers, rest};
  // A key that no installer knows: nothing is installed from there (Z48), so the name stays what it
  // is.
  return {Scheme::root, std::string(member_name)};
}

}  // namespace truewheel::wheel
