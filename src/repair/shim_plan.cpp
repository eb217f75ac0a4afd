// SPDX-License-Identifier: Apache-2.0
#include "repair/shim_plan.hpp"

#include "base/text.hpp"
#include "base/unicode.hpp"
#include "repair/shim.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string>

namespace truewheel::repair {
namespace {

/// A file of the wheel may have the name, or that of the folder.
void refuse_taken_place(const LoadedWheel& wheel, const std::string& new_member) {
  const std::set<std::string> keys{collision_key(new_member),
                                   collision_key(folder_name(new_member))};
  for (const auto& member : wheel.members) {
    if (!keys.contains(collision_key(member.archive.name)) &&
        !keys.contains(collision_key(member.installed.path))) {
      continue;
    }
    throw Error(ErrorKind::unfit, "shim-name-taken",
                fmt::format("{}: stands where {} has to be", printable(member.archive.name),
                            printable(new_member)),
                "give the file another name");
  }
}

}  // namespace

bool moves_beside_libraries(const LoadedWheel& wheel, const PlannedFile& file) {
  if (!file.member || !file.tree.empty()) return false;
  return wheel.members[*file.member].installed.scheme == wheel::InstalledPath::Scheme::scripts &&
         !(file.edges.empty() && file.site_entries.empty());
}

void plan_shims(const LoadedWheel& wheel, Plan& plan) {
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const auto& file = plan.files[i];
    if (!file.member) continue;
    const auto& member = wheel.members[*file.member];
    for (const auto& edge : file.edges) {
      if (plan.files[edge.target].tree == file.tree) continue;
      throw Error(
          ErrorKind::unfit, "elf-without-place",
          fmt::format("{}: needs {}, but from where it is installed no run path leads there",
                      printable(member.archive.name), printable(edge.needed)),
          "have the build put it into a package folder");
    }
    if (!moves_beside_libraries(wheel, file)) continue;
    const auto new_member = scripts_folder(wheel.name) + "/" + member.installed.path;
    refuse_taken_place(wheel, new_member);
    plan.shims.push_back(
        {i, member.archive.name, new_member, shim_script(new_member, wheel.dist_info)});
  }
}

}  // namespace truewheel::repair
