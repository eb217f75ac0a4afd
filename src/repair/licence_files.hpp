// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/package_owner.hpp"
#include "repair/plan.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace truewheel::repair {

/// The licence files of the packages that bundled libraries come from, for the finished wheel.
///
/// They go to `.dist-info/licenses/<libs folder>/<package>-<version>/`, below the folder that PEP
/// 639 keeps for such files, where no License-File of the wheel's own can be: METADATA lists the
/// wheel's own licences and stays as it is. Equal files are one, under the name of the first
/// package.
class LicenceFiles {
 public:
  LicenceFiles(const LoadedWheel& wheel, std::string libs_folder,
               const std::filesystem::path& sysroot);

  /// Member names of a package's licence files, sorted; what cannot be read is left out. Asking
  /// twice for one package gives the same names.
  [[nodiscard]] std::vector<std::string> members_for(const PackageOwner& owner);

  /// What has to be written: files that the wheel does not have yet, sorted by member.
  [[nodiscard]] std::vector<AddedFile> take();

 private:
  [[nodiscard]] std::string name_for(const std::string& wished, const std::string& text);

  std::string folder_;
  std::filesystem::path sysroot_;
  std::set<std::string> taken_;                   ///< collision keys of all members
  std::map<std::string, std::string> by_digest_;  ///< base64 sha256 -> member, of all licences
  std::map<std::string, std::string> texts_;      ///< member -> content, of what is added
};

}  // namespace truewheel::repair
