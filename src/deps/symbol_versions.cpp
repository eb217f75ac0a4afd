// SPDX-License-Identifier: Apache-2.0
// What glibc asks of symbol versions before it relocates anything: elf/dl-version.c
// (_dl_check_map_versions, find_needed, match_symbol).
#include "deps/symbol_versions.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <unordered_map>

namespace truewheel::deps {
namespace {

/// The names by which find_needed looks through what is loaded, and whose they are; nullopt for a
/// library of the environment.
using LoadedNames = std::unordered_map<std::string, std::optional<std::size_t>>;

LoadedNames loaded_names(const std::vector<WheelFile>& layout, std::size_t root,
                         const std::vector<LoadStep>& steps) {
  LoadedNames names;
  const auto add_soname = [&](std::size_t file) {
    if (const auto& soname = layout[file].facts->soname) names.emplace(*soname, file);
  };
  add_soname(root);
  for (const auto& step : steps) {
    if (step.found) {
      names.emplace(step.needed, step.found);
      add_soname(*step.found);
    } else if (step.via == Via::provided) {
      names.emplace(step.needed, std::nullopt);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> lacking_versions(const elf::ElfFacts& needing, std::string_view needed,
                                          const elf::ElfFacts& library) {
  const auto& defined = library.version_definitions;
  if (defined.empty()) return {};
  std::vector<std::string> lacking;
  for (const auto& need : needing.version_needs) {
    if (need.file != needed) continue;
    for (const auto& version : need.versions) {
      if (version.weak || std::find(defined.begin(), defined.end(), version.name) != defined.end())
        continue;
      lacking.push_back(version.name);
    }
  }
  return lacking;
}

bool has_versions(const Node& needing, const std::string& needed, const std::string& path,
                  const elf::ElfFacts& library, Libc libc, std::vector<std::string>& skipped) {
  if (libc != Libc::glibc) return true;
  const auto lacking = lacking_versions(*needing.facts, needed, library);
  if (lacking.empty()) return true;
  skipped.push_back(path + ": it does not define " + join(lacking, ", ") + ", which " +
                    needing.path + " needs");
  return false;
}

std::vector<VersionFault> version_faults(const std::vector<WheelFile>& layout, std::size_t root,
                                         const std::vector<LoadStep>& steps) {
  std::vector<VersionFault> faults;
  const auto names = loaded_names(layout, root, steps);
  std::vector<std::size_t> files = {root};
  for (const auto& step : steps) {
    if (step.found) files.push_back(*step.found);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  for (const auto file : files) {
    const auto& facts = *layout[file].facts;
    for (const auto& need : facts.version_needs) {
      const auto library = names.find(need.file);
      if (library == names.end()) {
        faults.push_back({file, need.file, std::nullopt, {}});
      } else if (library->second) {
        auto lacking = lacking_versions(facts, need.file, *layout[*library->second].facts);
        if (!lacking.empty())
          faults.push_back({file, need.file, library->second, std::move(lacking)});
      }
    }
  }
  return faults;
}

}  // namespace truewheel::deps
