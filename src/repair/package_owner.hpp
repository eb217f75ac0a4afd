// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::repair {

/// The package that a library came with.
struct PackageOwner {
  std::string type;          ///< purl type: "deb", "rpm", "apk"
  std::string distribution;  ///< purl namespace: "debian"; may be empty
  std::string name;
  std::string version;
  std::string architecture;                     ///< as the package manager says it; may be empty
  std::string licence = {};                     ///< as the package manager words it; may be empty
  std::vector<std::string> licence_files = {};  ///< paths inside the system, sorted
  bool operator==(const PackageOwner&) const = default;
};

/// Asks the databases of dpkg, apk and rpm, read as files, which package has each of `files` (real
/// paths of this machine). `sysroot` is empty or the root whose databases answer; files outside of
/// it have no owner. What no package has is not in the answer. `jobs`: threads, 0 for one a core.
[[nodiscard]] std::map<std::string, PackageOwner> find_package_owners(
    const std::vector<std::string>& files, const std::filesystem::path& sysroot, unsigned jobs = 1);

/// A package URL: "pkg:deb/debian/zlib1g@1:1.2.13.dfsg-1?arch=amd64". Empty parts are left out.
[[nodiscard]] std::string package_url(const PackageOwner& owner);
/// Percent-encodes as package URLs ask: everything but letters, digits and ".-_~:".
[[nodiscard]] std::string url_escape(std::string_view text);

}  // namespace truewheel::repair
