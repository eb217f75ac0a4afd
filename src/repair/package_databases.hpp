// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/sysroot.hpp"
#include "repair/package_owner.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::repair {

/// Path inside the system -> the file that was asked for. A merged /usr has one file under two
/// names, and databases written before the merge know it under the other one.
using WantedFiles = std::map<std::string, std::string, std::less<>>;
using Owners = std::map<std::string, PackageOwner>;

/// What each package manager's database of that system says of the wanted files. A database that is
/// not there or cannot be read says nothing.
[[nodiscard]] Owners dpkg_owners(const deps::Sysroot& system, const WantedFiles& wanted,
                                 unsigned jobs);
[[nodiscard]] Owners apk_owners(const deps::Sysroot& system, const WantedFiles& wanted);
[[nodiscard]] Owners rpm_owners(const deps::Sysroot& system, const WantedFiles& wanted);

/// Where an absolute path of that system lies on this machine; empty when it leads to nothing.
/// Links are followed as in the system, so that none leads to this machine's databases.
[[nodiscard]] std::filesystem::path place(const deps::Sysroot& system, std::string_view path);
/// Calls `use` with each line of a regular file but those above a mebibyte, whatever the size of
/// the file; a file that is not there has none.
void read_lines(const std::filesystem::path& path,
                const std::function<void(std::string_view)>& use);
/// The value of "Key: value" if the line is that.
[[nodiscard]] std::optional<std::string> value_of(std::string_view line, std::string_view key);
/// The files of a folder, sorted, so that the answer never depends on the order of a folder.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

}  // namespace truewheel::repair
