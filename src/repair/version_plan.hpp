// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace truewheel::repair {

/// The names that files of the plan were needed by: index into Plan::files -> names.
using OldNames = std::map<std::size_t, std::set<std::string>>;

/// Version needs may name a library that only another one needs (patchelf --remove-needed leaves it
/// so): they follow that library to its new name, by what a simulated load of the planned files has
/// there. Throws Error(unfit, "version-need") where loads have different ones.
void plan_version_names(Plan& plan, const OldNames& old_names, deps::Libc libc);

/// A file whose loader takes a library of the wheel that lacks versions which it needs.
[[nodiscard]] std::vector<deps::VersionFault> find_lacking_versions(
    const std::vector<deps::WheelFile>& layout, deps::Libc libc);
/// "pkg/a.so: needs FOO_2 of libfoo.so.1, and the loader takes pkg/old/libfoo.so.1, …"
[[nodiscard]] std::string describe_lacking(const deps::VersionFault& fault,
                                           const std::vector<deps::WheelFile>& layout);
/// True if the plan says that a file of the wheel answers the need.
[[nodiscard]] bool is_planned(const deps::VersionFault& fault,
                              const std::vector<PlannedFile>& files);

/// Refuses a plan under which a library of the wheel lacks versions, and warns where the loader
/// takes one that the plan left to the user's system.
void check_versions(Plan& plan, const Options& options, deps::Libc libc);

}  // namespace truewheel::repair
