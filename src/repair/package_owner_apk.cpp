// SPDX-License-Identifier: Apache-2.0
#include "repair/package_databases.hpp"

#include <utility>

namespace truewheel::repair {
namespace {

namespace fs = std::filesystem;

/// One text: P, V, A and L of a package, then F for each folder and R for each file in it.
class ApkDatabase {
 public:
  explicit ApkDatabase(const WantedFiles& wanted) : wanted_(wanted) {}

  Owners read(const fs::path& database) && {
    read_lines(database, [&](std::string_view line) { take(line); });
    end_package();
    return std::move(found_);
  }

 private:
  void take(std::string_view line) {
    if (line.empty()) end_package();
    if (auto value = value_of(line, "P:")) package_.name = std::move(*value);
    if (auto value = value_of(line, "V:")) package_.version = std::move(*value);
    if (auto value = value_of(line, "A:")) package_.architecture = std::move(*value);
    if (auto value = value_of(line, "L:")) package_.licence = std::move(*value);
    if (auto value = value_of(line, "F:")) folder_ = std::move(*value);
    if (const auto value = value_of(line, "R:")) {
      const auto path = "/" + folder_ + "/" + *value;
      if (path.starts_with("/usr/share/licenses/")) package_.licence_files.push_back(path);
      if (const auto file = wanted_.find(path); file != wanted_.end()) {
        files_.push_back(file->second);
      }
    }
  }

  /// Licence files may stand behind the library.
  void end_package() {
    package_.type = "apk";
    for (auto& file : files_) {
      if (!package_.name.empty()) found_.emplace(std::move(file), package_);
    }
    files_.clear();
    package_ = {};
    folder_.clear();
  }

  const WantedFiles& wanted_;
  Owners found_;
  PackageOwner package_;
  std::string folder_;
  std::vector<std::string> files_;  ///< of this package, that were asked for
};

}  // namespace

Owners apk_owners(const deps::Sysroot& system, const WantedFiles& wanted) {
  auto owners = ApkDatabase(wanted).read(place(system, "/lib/apk/db/installed"));
  owners.merge(ApkDatabase(wanted).read(place(system, "/usr/lib/apk/db/installed")));
  return owners;
}

}  // namespace truewheel::repair
