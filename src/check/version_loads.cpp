// SPDX-License-Identifier: Apache-2.0
#include "check/version_loads.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace truewheel::check {
bool is_in_every_process(const std::string& library) {
  return policy::is_dynamic_linker(library) || library.starts_with("libc.so.6");
}

void VersionLoads::add(std::size_t root, const std::vector<deps::LoadStep>& steps,
                       bool is_process) {
  if (subject_.libc != deps::Libc::glibc) return;
  bool has_unknown = false;
  bool lacks_any = false;
  for (const auto& step : steps) {
    const bool is_outside = step.via == deps::Via::provided;
    if (step.via == deps::Via::not_found) lacks_any = true;
    if (is_outside && !is_in_every_process(step.needed)) has_unknown = true;
    if (!is_process || (!step.found && !is_outside)) continue;
    names_in_processes_.insert(step.needed);
    if (!step.found) continue;
    const auto& soname = subject_.layout[*step.found].facts->soname;
    if (soname) names_in_processes_.insert(*soname);
  }
  for (auto& fault : deps::version_faults(subject_.layout, root, steps)) {
    seen_.push_back(
        {{fault.needing, std::move(fault.library), fault.loaded, std::move(fault.lacking), root},
         is_process,
         has_unknown,
         lacks_any});
  }
}

/// VersionTracker::init_verneed (linker.cpp): "cannot find ... from verneed in DT_NEEDED list".
void VersionLoads::add_names_of_bionic() {
  for (std::size_t i = 0; i < subject_.layout.size(); ++i) {
    for (const auto& need : subject_.layout[i].facts->version_needs) {
      seen_.push_back({{i, need.file, std::nullopt, {}, std::nullopt}, true, false, false});
    }
  }
}

std::vector<VersionFault> VersionLoads::faults(
    const std::function<bool(const std::string&)>& is_offered) && {
  if (subject_.libc == deps::Libc::bionic) add_names_of_bionic();
  // glibc looks through all that is loaded (dl-version.c, find_needed): what a process has loaded
  // before counts for a plugin, and what a library of the user's machine brings for everybody. What
  // a library that was not found would bring, nobody knows; that one is a finding of its own.
  const auto is_excused = [&](const Seen& seen) {
    const auto& name = seen.fault.library;
    if (seen.fault.loaded) return false;
    return is_in_every_process(name) ||
           contains(subject_.layout[seen.fault.file].facts->needed, name) ||
           (!seen.is_process && names_in_processes_.contains(name)) ||
           (seen.has_unknown && is_offered(name)) || seen.lacks_any;
  };
  std::vector<VersionFault> faults;
  std::set<std::pair<std::size_t, std::string>> told;
  for (auto& seen : seen_) {
    if (is_excused(seen) || !told.insert({seen.fault.file, seen.fault.library}).second) continue;
    faults.push_back(std::move(seen.fault));
  }
  std::stable_sort(faults.begin(), faults.end(),
                   [](const auto& left, const auto& right) { return left.file < right.file; });
  return faults;
}

}  // namespace truewheel::check
