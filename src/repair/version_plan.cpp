// SPDX-License-Identifier: Apache-2.0
#include "repair/version_plan.hpp"

#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace truewheel::repair {
namespace {

using deps::LoadStep;
using deps::VersionFault;
using Need =
    std::pair<std::size_t, std::string>;  ///< index into Plan::files, name in .gnu.version_r

bool anything_provided(const std::string&) { return true; }

/// The needs whose name is none of the file's NEEDED entries.
std::set<Need> indirect_needs(const Plan& plan) {
  std::set<Need> needs;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    const auto& facts = plan.files[i].facts;
    for (const auto& need : facts.version_needs) {
      if (!contains(facts.needed, need.file)) needs.emplace(i, need.file);
    }
  }
  return needs;
}

std::string name_of(const PlannedFile& file) { return std::string(base_name(file.path)); }

class VersionNames {
 public:
  VersionNames(const Plan& plan, const OldNames& old_names)
      : plan_(plan), old_names_(old_names), needs_(indirect_needs(plan)) {}

  [[nodiscard]] bool empty() const { return needs_.empty(); }

  /// What one load has under the names of the needs.
  void add(const std::vector<deps::WheelFile>& layout, std::size_t root,
           const std::vector<LoadStep>& steps) {
    std::vector<std::size_t> loaded = {root};
    for (const auto& step : steps) {
      if (step.found) loaded.push_back(*step.found);
    }
    std::set<Need> unmet;
    for (const auto& fault : deps::version_faults(layout, root, steps)) {
      if (!fault.loaded) unmet.emplace(fault.needing, fault.library);
    }
    for (const auto& need : needs_) {
      if (std::find(loaded.begin(), loaded.end(), need.first) == loaded.end()) continue;
      if (!unmet.contains(need)) {
        names_[need].insert(need.second);
        continue;
      }
      // The first one in the order of loading is the one that the name was bound to.
      const auto bears = std::find_if(loaded.begin(), loaded.end(), [&](std::size_t file) {
        return was_called(file, need.second);
      });
      if (bears != loaded.end()) names_[need].insert(name_of(plan_.files[*bears]));
    }
  }

  /// The new name of each need that has to follow a library.
  [[nodiscard]] std::map<Need, std::string> renamings() {
    std::map<Need, std::string> renamings;
    for (const auto& need : needs_) {
      auto names = names_[need];
      // No load of the wheel's has it (a plugin, whose process has it loaded): by the name alone.
      if (names.empty()) names = all_that_were_called(need.second);
      if (names.size() > 1) refuse(need, names);
      if (names.size() == 1 && *names.begin() != need.second) renamings[need] = *names.begin();
    }
    return renamings;
  }

 private:
  [[nodiscard]] bool was_called(std::size_t file, const std::string& name) const {
    const auto found = old_names_.find(file);
    return found != old_names_.end() && found->second.contains(name);
  }

  [[nodiscard]] std::set<std::string> all_that_were_called(const std::string& name) const {
    std::set<std::string> names;
    for (const auto& [file, old_names] : old_names_) {
      if (old_names.contains(name)) names.insert(name_of(plan_.files[file]));
    }
    return names;
  }

  [[noreturn]] void refuse(const Need& need, const std::set<std::string>& names) const {
    throw Error(
        ErrorKind::unfit, "version-need",
        fmt::format("{}: needs versions of {}, which it does not name in NEEDED, and which is {} "
                    "in the wheel: not to be told apart",
                    printable(plan_.files[need.first].path), printable(need.second),
                    printable(join(std::vector<std::string>(names.begin(), names.end()), " and "))),
        "build the file with a NEEDED entry for " + need.second);
  }

  const Plan& plan_;
  const OldNames& old_names_;
  std::set<Need> needs_;
  std::map<Need, std::set<std::string>> names_;
};

}  // namespace

void plan_version_names(Plan& plan, const OldNames& old_names, deps::Libc libc) {
  if (libc != deps::Libc::glibc) return;  // the others look no further than NEEDED, or not at all
  VersionNames names(plan, old_names);
  if (names.empty()) return;
  const auto layout = planned_layout(plan);
  deps::simulate_loads(layout, libc, anything_provided,
                       [&](std::size_t root, const std::vector<LoadStep>& steps) {
                         names.add(layout, root, steps);
                       });
  for (const auto& [need, new_name] : names.renamings()) {
    auto& file = plan.files[need.first];
    file.edit.replace_needed[need.second] = new_name;
    file.reasons.push_back(fmt::format("versions of {} -> {}", need.second, new_name));
    for (auto& version_need : file.facts.version_needs) {
      if (version_need.file == need.second) version_need.file = new_name;
    }
  }
}

std::vector<VersionFault> find_lacking_versions(const std::vector<deps::WheelFile>& layout,
                                                deps::Libc libc) {
  // Only a library that defines versions can lack one; most wheels have none.
  const bool has_versions = std::any_of(layout.begin(), layout.end(), [](const auto& file) {
    return !file.facts->version_definitions.empty();
  });
  if (libc != deps::Libc::glibc || !has_versions) return {};
  std::vector<VersionFault> faults;
  std::set<Need> told;
  deps::simulate_loads(layout, libc, anything_provided,
                       [&](std::size_t root, const std::vector<LoadStep>& steps) {
                         for (auto& fault : deps::version_faults(layout, root, steps)) {
                           if (!fault.loaded) continue;
                           if (!told.emplace(fault.needing, fault.library).second) continue;
                           faults.push_back(std::move(fault));
                         }
                       });
  return faults;
}

std::string describe_lacking(const VersionFault& fault,
                             const std::vector<deps::WheelFile>& layout) {
  return fmt::format("{} needs {} of {}, and the loader takes {}, which does not define it",
                     printable(layout[fault.needing].path), printable(join(fault.lacking, ", ")),
                     printable(fault.library), printable(layout[*fault.loaded].path));
}

bool is_planned(const VersionFault& fault, const std::vector<PlannedFile>& files) {
  const auto& edges = files[fault.needing].edges;
  return std::any_of(edges.begin(), edges.end(),
                     [&](const PlannedEdge& edge) { return edge.needed == fault.library; });
}

void check_versions(Plan& plan, const Options& options, deps::Libc libc) {
  if (options.verify == Verify::off) return;
  const auto layout = planned_layout(plan);
  for (const auto& fault : find_lacking_versions(layout, libc)) {
    const auto what = describe_lacking(fault, layout);
    const auto taken = printable(layout[*fault.loaded].path);
    if (is_planned(fault, plan.files)) {
      throw Error(ErrorKind::unfit, "version-lacking", what,
                  "take " + taken + " out of the wheel, or put the one there that was linked; " +
                      "--verify=off writes the wheel all the same");
    }
    plan.findings.push_back({"version-lacking", Severity::warning, layout[fault.needing].path, what,
                             "take " + taken + " out of the wheel", fault.library});
  }
}

}  // namespace truewheel::repair
