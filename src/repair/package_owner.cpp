// SPDX-License-Identifier: Apache-2.0
#include "repair/package_owner.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

namespace truewheel::repair {
namespace {

namespace fs = std::filesystem;

/// Path inside the system -> the file that was asked for. A merged /usr has one file under two
/// names, and databases written before the merge know it under the other one.
using Wanted = std::map<std::string, std::string, std::less<>>;

Wanted wanted_paths(const std::vector<std::string>& files, const fs::path& sysroot) {
  std::string root;
  if (!sysroot.empty()) {
    std::error_code failed;
    root = fs::canonical(sysroot, failed).string();
    if (failed) return {};
    if (root == "/") root.clear();
  }
  Wanted wanted;
  for (const auto& file : files) {
    if (!file.starts_with(root + "/")) continue;
    const auto path = file.substr(root.size());
    wanted.emplace(path, file);
    constexpr std::string_view kUsr = "/usr";
    wanted.emplace(
        path.starts_with("/usr/lib") ? path.substr(kUsr.size()) : std::string(kUsr) + path, file);
  }
  return wanted;
}

/// Calls `use` with each line of a file; a file that is not there has none.
void read_lines(const fs::path& path, const std::function<void(std::string_view)>& use) {
  std::ifstream stream(path, std::ios::binary);
  for (std::string line; std::getline(stream, line);) use(line);
}

/// The value of "Key: value" if the line is that.
std::optional<std::string> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  return std::string(line.substr(key.size()));
}

/// ID of os-release, which package URLs use as the namespace.
std::string distribution_of(const fs::path& root) {
  for (const char* path : {"etc/os-release", "usr/lib/os-release"}) {
    std::string id;
    read_lines(root / path, [&](std::string_view line) {
      const auto value = value_of(line, "ID=");
      if (!value) return;
      id = *value;
      std::erase_if(id, [](char c) { return c == '"' || c == '\''; });
    });
    if (!id.empty()) return id;
  }
  return {};
}

/// dpkg keeps one list of files a package, "zlib1g:amd64.list" or "tzdata.list", and the versions
/// in "status".
class Dpkg {
 public:
  explicit Dpkg(const fs::path& root) : folder_(root / "var/lib/dpkg") {}

  [[nodiscard]] std::map<std::string, PackageOwner> owners(const Wanted& wanted) const {
    std::map<std::string, PackageOwner> found;
    for (const auto& list : file_lists()) {
      read_lines(list, [&](std::string_view line) {
        const auto file = wanted.find(line);
        if (file == wanted.end()) return;
        const auto parts = split(list.stem().string(), ':');
        PackageOwner owner;
        owner.type = "deb";
        owner.name = parts.front();
        if (parts.size() > 1) owner.architecture = parts[1];
        found.emplace(file->second, std::move(owner));
      });
    }
    if (!found.empty()) add_versions(found);
    // What dpkg's status does not know is what was left behind of a removed package.
    std::erase_if(found, [](const auto& entry) { return entry.second.version.empty(); });
    return found;
  }

 private:
  /// Sorted, so that the answer never depends on the order of a folder.
  [[nodiscard]] std::vector<fs::path> file_lists() const {
    std::vector<fs::path> lists;
    std::error_code failed;
    for (fs::directory_iterator at(folder_ / "info", failed), end; !failed && at != end;
         at.increment(failed)) {
      if (at->path().extension() == ".list") lists.push_back(at->path());
    }
    std::sort(lists.begin(), lists.end());
    return lists;
  }

  void add_versions(std::map<std::string, PackageOwner>& found) const {
    std::string name;
    std::string architecture;
    std::string version;
    const auto end_stanza = [&] {
      for (auto& [file, owner] : found) {
        const bool fits = owner.architecture.empty() || owner.architecture == architecture;
        if (owner.name != name || !fits || !owner.version.empty()) continue;
        owner.version = version;
        owner.architecture = architecture;
      }
      name.clear();
      architecture.clear();
      version.clear();
    };
    read_lines(folder_ / "status", [&](std::string_view line) {
      if (line.empty()) end_stanza();
      if (auto value = value_of(line, "Package: ")) name = std::move(*value);
      if (auto value = value_of(line, "Architecture: ")) architecture = std::move(*value);
      if (auto value = value_of(line, "Version: ")) version = std::move(*value);
    });
    end_stanza();
  }

  fs::path folder_;
};

/// apk has one text: P, V and A of a package, then F for each folder and R for each file in it.
std::map<std::string, PackageOwner> apk_owners(const fs::path& database, const Wanted& wanted) {
  std::map<std::string, PackageOwner> found;
  PackageOwner package;
  std::string folder;
  read_lines(database, [&](std::string_view line) {
    if (line.empty()) package = {};
    if (auto value = value_of(line, "P:")) package.name = std::move(*value);
    if (auto value = value_of(line, "V:")) package.version = std::move(*value);
    if (auto value = value_of(line, "A:")) package.architecture = std::move(*value);
    if (auto value = value_of(line, "F:")) folder = std::move(*value);
    if (auto value = value_of(line, "R:")) {
      const auto file = wanted.find("/" + folder + "/" + *value);
      if (file == wanted.end() || package.name.empty()) return;
      package.type = "apk";
      found.emplace(file->second, package);
    }
  });
  return found;
}

}  // namespace

std::map<std::string, PackageOwner> find_package_owners(const std::vector<std::string>& files,
                                                        const fs::path& sysroot) {
  const fs::path root = sysroot.empty() ? fs::path("/") : sysroot;
  const auto wanted = wanted_paths(files, sysroot);
  if (wanted.empty()) return {};
  auto owners = Dpkg(root).owners(wanted);
  for (const char* database : {"lib/apk/db/installed", "usr/lib/apk/db/installed"}) {
    owners.merge(apk_owners(root / database, wanted));
  }
  const auto distribution = owners.empty() ? std::string() : distribution_of(root);
  for (auto& [file, owner] : owners) owner.distribution = distribution;
  return owners;
}

std::string url_escape(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_~:";
  std::string escaped;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

std::string package_url(const PackageOwner& owner) {
  std::string version = owner.version;
  std::vector<std::string> qualifiers;
  if (!owner.architecture.empty()) qualifiers.push_back("arch=" + url_escape(owner.architecture));
  // "1:2.0-3": package URLs of rpm keep the epoch apart; those of deb do not.
  const auto colon = version.find(':');
  if (owner.type == "rpm" && colon != std::string::npos) {
    qualifiers.push_back("epoch=" + url_escape(version.substr(0, colon)));
    version.erase(0, colon + 1);
  }
  std::string url = "pkg:" + url_escape(owner.type) + "/";
  if (!owner.distribution.empty()) url += url_escape(owner.distribution) + "/";
  url += url_escape(owner.name);
  if (!version.empty()) url += "@" + url_escape(version);
  if (!qualifiers.empty()) url += "?" + join(qualifiers, "&");
  return url;
}

}  // namespace truewheel::repair
