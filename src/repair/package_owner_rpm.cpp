// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "repair/package_databases.hpp"
#include "repair/rpm_database.hpp"
#include "repair/rpm_header.hpp"

#include <set>
#include <utility>

namespace truewheel::repair {
namespace {

namespace fs = std::filesystem;

void take_package(const RpmPackage& package, const WantedFiles& wanted, Owners& found) {
  std::vector<std::string> files;
  PackageOwner owner{"rpm",           {}, package.name, package.version, package.architecture,
                     package.licence, {}};
  for (const auto& file : package.files) {
    // Before %license there was the folder alone.
    if (file.is_licence || file.path.starts_with("/usr/share/licenses/")) {
      owner.licence_files.push_back(file.path);
    }
    if (const auto asked = wanted.find(file.path); asked != wanted.end()) {
      files.push_back(asked->second);
    }
  }
  for (auto& file : files) found.emplace(std::move(file), owner);
}

}  // namespace

Owners rpm_owners(const deps::Sysroot& system, const WantedFiles& wanted) {
  Owners found;
  std::set<std::string> names;
  for (const auto& [path, file] : wanted) names.insert(std::string(base_name(path)));
  const auto use = [&](Bytes header) {
    if (const auto package = parse_rpm_header(header)) take_package(*package, wanted, found);
  };
  // /var/lib/rpm of old, sysimage of Fedora 36 and SUSE, share of rpm-ostree.
  for (const std::string folder : {"/var/lib/rpm/", "/usr/lib/sysimage/rpm/", "/usr/share/rpm/"}) {
    const auto sqlite = place(system, folder + "rpmdb.sqlite");
    std::error_code ignored;
    if (fs::is_regular_file(sqlite, ignored)) {  // SQLite would wait for a FIFO's writer
      read_rpm_sqlite(sqlite, {names.begin(), names.end()}, use);
    }
    if (found.empty()) read_rpm_ndb(place(system, folder + "Packages.db"), use);
    if (found.empty()) read_rpm_berkeley(place(system, folder + "Packages"), use);
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace truewheel::repair
