// SPDX-License-Identifier: Apache-2.0
#include "repair/dlopen_notes.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace truewheel::repair {
namespace {

class Notes {
 public:
  Notes(const Examined& examined, Plan& plan)
      : examined_(examined),
        plan_(plan),
        policy_(*examined.verdict.policies[plan.tags.policy].policy),
        patterns_(examined.graph.patterns) {
    for (const auto& file : plan.files) {
      if (file.member) names_.insert(std::string(base_name(file.path)));
    }
    // A graft answered to these names before it got its own.
    std::size_t graft = 0;
    for (const auto& file : plan.files) {
      if (!file.node) continue;
      const auto& node = examined.graph.nodes[*file.node];
      const auto& new_name = plan.grafts[graft++].new_name;
      for (const auto& name : node.known_as) renamed_[std::string(base_name(name))] = new_name;
      renamed_[std::string(base_name(node.path))] = new_name;
      if (node.facts->soname) renamed_[*node.facts->soname] = new_name;
      names_.insert(new_name);
    }
  }

  void tell(const PlannedFile& file, const elf::DlopenNote& note) {
    const auto what = sentence(note);
    for (const auto& soname : note.sonames) {
      const auto renamed = renamed_.find(soname);
      if (renamed == renamed_.end() || renamed->second == soname || names_.contains(soname))
        continue;
      add(file, "dlopen-renamed", Severity::warning,
          fmt::format("{}, but {} is bundled as {}, which that name does not find", what, soname,
                      renamed->second),
          "--exclude " + soname + " leaves it to the user's machine");
      return;
    }
    if (is_there(note)) return add(file, "dlopen", Severity::note, what, {});
    const bool is_required = note.priority == "required";
    add(file, is_required ? "dlopen-required" : "dlopen",
        is_required ? Severity::warning : Severity::note, what + ", and it is not in the wheel",
        is_required ? "put it into the wheel, or --exclude " + note.sonames.front() +
                          " says that the user's machine has it"
                    : "");
  }

 private:
  [[nodiscard]] static std::string sentence(const elf::DlopenNote& note) {
    auto text = "opens " + printable(join(note.sonames, " or ")) + " by name";
    const auto details =
        join(note.feature.empty() ? std::vector<std::string>{note.priority}
                                  : std::vector<std::string>{note.feature, note.priority},
             ", ");
    return details.empty() ? text : text + " (" + printable(details) + ")";
  }

  [[nodiscard]] bool is_there(const elf::DlopenNote& note) {
    return std::any_of(note.sonames.begin(), note.sonames.end(), [&](const std::string& soname) {
      return names_.contains(soname) ||
             policy::comes_from_system(policy_, examined_.wheel.libc, soname) ||
             deps::match_exclude(patterns_, soname, "");
    });
  }

  void add(const PlannedFile& file, const char* id, Severity severity, std::string what,
           std::string hint) {
    plan_.findings.push_back({id, severity, file.path, std::move(what), std::move(hint)});
  }

  const Examined& examined_;
  Plan& plan_;
  const policy::Policy& policy_;
  std::vector<deps::ExcludePattern> patterns_;  // a copy: the graph has counted these hits
  std::set<std::string> names_;                 // file names of the finished wheel
  std::map<std::string, std::string> renamed_;  // name of the build -> name in the wheel
};

}  // namespace

void note_dlopened(const Examined& examined, Plan& plan) {
  Notes notes(examined, plan);
  for (const auto& file : plan.files) {
    for (const auto& note : file.facts.dlopen_notes) {
      if (!note.sonames.empty()) notes.tell(file, note);
    }
  }
}

}  // namespace truewheel::repair
