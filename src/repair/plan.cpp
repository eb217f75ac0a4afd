// SPDX-License-Identifier: Apache-2.0
#include "repair/plan.hpp"

#include "base/text.hpp"
#include "repair/dlopen_notes.hpp"
#include "repair/graft_plan.hpp"
#include "repair/host_bound.hpp"
#include "repair/musl_notes.hpp"
#include "repair/plan_notes.hpp"
#include "repair/run_path_plan.hpp"
#include "repair/sbom.hpp"
#include "repair/shim_plan.hpp"
#include "repair/version_plan.hpp"
#include "repair/wheel_text.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace truewheel::repair {
namespace {

using deps::Answer;
using deps::NodeId;

/// Builds a Plan step by step; each step's comment in make_plan says what holds afterwards.
class Planner {
 public:
  Planner(const Examined& examined, const Options& options)
      : examined_(examined), wheel_(examined.wheel), graph_(examined.graph), options_(options) {}

  Plan run() &&;

 private:
  void plan_file(NodeId node_id, PlannedFile file);
  void answer_edge(const deps::Edge& edge, PlannedFile& file);
  void rename(PlannedFile& file, const deps::Edge& edge, const std::string& new_name);
  void drop_libpython(const deps::Edge& edge, PlannedFile& file);
  void use_profile_entries(const deps::Edge& edge, PlannedFile& file);
  void refuse_grafts_without_run_path() const;
  [[nodiscard]] bool speaks_for_several_families() const;
  void choose_tags();
  void plan_folds();
  void plan_modes();
  [[nodiscard]] OldNames old_names() const;

  const Examined& examined_;
  const LoadedWheel& wheel_;
  const deps::Graph& graph_;
  const Options& options_;
  Plan plan_;
  std::map<NodeId, std::size_t> file_of_;  ///< graph node -> index into plan_.files
};

void Planner::rename(PlannedFile& file, const deps::Edge& edge, const std::string& new_name) {
  const auto& old_name = edge.needed;
  if (old_name == new_name) return;
  if (edge.tag != deps::Tag::needed) {
    file.edit.replace_filtees[old_name] = new_name;
    file.reasons.push_back(fmt::format("{}: {} -> {}",
                                       edge.tag == deps::Tag::filter ? "FILTER" : "AUXILIARY",
                                       old_name, new_name));
    for (auto& filtee : file.facts.filtees) {
      if (filtee.name == old_name) filtee.name = new_name;
    }
    return;
  }
  file.edit.replace_needed[old_name] = new_name;
  file.reasons.push_back(fmt::format("NEEDED: {} -> {}", old_name, new_name));
  std::replace(file.facts.needed.begin(), file.facts.needed.end(), old_name, new_name);
  for (auto& need : file.facts.version_needs) {
    if (need.file == old_name) need.file = new_name;
  }
}

/// libpython is the process's own: an extension that links it cannot be loaded by a Python that
/// does not (auditwheel#589); a program cannot run without it.
void Planner::drop_libpython(const deps::Edge& edge, PlannedFile& file) {
  if (file.facts.kind != elf::FileKind::shared_object) {
    throw Error(ErrorKind::unfit, "program-needs-libpython",
                fmt::format("{}: the program needs {}, which no wheel may bundle",
                            printable(file.path), edge.needed));
  }
  file.edit.remove_needed.push_back(edge.needed);
  std::erase(file.facts.needed, edge.needed);
  std::erase_if(file.facts.version_needs,
                [&](const elf::VersionNeed& need) { return need.file == edge.needed; });
  file.reasons.push_back(fmt::format("NEEDED: {} dropped", edge.needed));
  plan_.findings.push_back(
      {"libpython", Severity::warning, file.path,
       fmt::format("linked {}; the entry is dropped, the process has it", edge.needed),
       "build extension modules without linking libpython"});
}

void Planner::use_profile_entries(const deps::Edge& edge, PlannedFile& file) {
  if (!file.tree.empty()) return;  // no way from there to site-packages
  const auto& origin = graph_.patterns[*edge.pattern].origin;
  constexpr std::string_view kProfile = "profile ";
  if (!origin.starts_with(kProfile)) return;
  const auto& profile = policy::find_profile(std::string_view(origin).substr(kProfile.size()));
  const auto add = [](std::vector<std::string>& list, const std::string& entry) {
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
  };
  for (const auto& entry : profile.site_entries) {
    add(file.site_entries, policy::expand_site_entry(entry, file.path));
  }
  if (!options_.system_rpath) return;
  for (const auto& entry : profile.system_entries) add(file.system_entries, entry);
}

/// One NEEDED entry's consequence for the file that has it.
void Planner::answer_edge(const deps::Edge& edge, PlannedFile& file) {
  // A path in NEEDED is opened as it stands; only a bare name is looked for (Mooncake#1571).
  const std::string bare(base_name(edge.needed));
  switch (edge.answer) {
    case Answer::sibling: {
      const std::string name(base_name(examined_.layout[*edge.target].path));
      rename(file, edge, name);
      file.edges.push_back({name, file_of_.at(*edge.target)});
      break;
    }
    case Answer::host: {
      const auto graft = file_of_.find(*edge.target);
      if (graft == file_of_.end()) {
        // The policy allows it from the system.
        rename(file, edge, bare);
        break;
      }
      const auto own_files = examined_.layout.size();
      const auto new_name = graft->second < own_files
                                ? std::string(base_name(examined_.layout[graft->second].path))
                                : plan_.grafts[graft->second - own_files].new_name;
      rename(file, edge, new_name);
      file.edges.push_back({new_name, graft->second});
      break;
    }
    case Answer::excluded:
      file.needs_excluded = true;
      rename(file, edge, bare);
      if (edge.pattern) use_profile_entries(edge, file);
      break;
    case Answer::libpython:
      if (edge.target) {
        // The wheel embeds an interpreter of its own and brings its library: a sibling like any
        // other.
        file.edges.push_back({bare, file_of_.at(*edge.target)});
      } else if (edge.pattern) {
        file.needs_excluded = true;
      } else if (wheel_.libc != deps::Libc::bionic && edge.tag == deps::Tag::needed) {
        // On Android every extension links it, and the application has it.
        drop_libpython(edge, file);
      }
      break;
    case Answer::missing:
      // Allowed by the policy, or refused before; a build's path to it must not survive.
      rename(file, edge, bare);
      break;
  }
}

void Planner::plan_file(NodeId node_id, PlannedFile file) {
  for (const auto& edge : graph_.nodes[node_id].edges) answer_edge(edge, file);
  plan_.files.push_back(std::move(file));
}

/// Android's linker reads DT_RUNPATH from API level 24 on and DT_RPATH never (PEP 738, auditwheel's
/// refusal).
void Planner::refuse_grafts_without_run_path() const {
  constexpr int kFirstLevelWithRunPath = 24;
  if (wheel_.libc != deps::Libc::bionic || plan_.grafts.empty()) return;
  for (const auto& tag : plan_.tags.platform_tags) {
    if (policy::parse_platform_tag(tag).major >= kFirstLevelWithRunPath) continue;
    throw Error(
        ErrorKind::unfit, "android-run-path",
        fmt::format("{} would have to bundle {}, which Android below API level 24 cannot find", tag,
                    plan_.grafts.front().source),
        "--plat android_24");
  }
}

/// A wheel of static programs may honestly be named for several libcs; nothing in it says
/// otherwise.
bool Planner::speaks_for_several_families() const {
  std::set<std::string> families;
  for (const auto& tag : wheel_.name.platform_tags) {
    families.insert(policy::parse_platform_tag(tag).family);
  }
  families.erase("linux");
  return examined_.layout.empty() && families.size() > 1;
}

/// Under "linux" every library may stay with the system. What is only tidied keeps the tags of its
/// name as long as all of them are true, or none would be.
void Planner::choose_tags() {
  const auto& name_tags = wheel_.name.platform_tags;
  const auto& verdict = examined_.verdict;
  const auto wish =
      policy::parse_platform_wish(options_.platform, wheel_.libc, wheel_.architecture);
  if (wish.policy != "linux") {
    if (auto error = missing_libraries(examined_, options_.inspect.search.sysroot))
      throw Error(*error);
  }
  const bool may_keep =
      options_.fix_only && wish.automatic && options_.tag_update == policy::TagUpdate::all;
  const bool is_true = may_keep && policy::judge_name_tags(verdict, name_tags).untrue.empty();
  const bool is_hopeless = may_keep && verdict.best + 1 == verdict.policies.size();
  const bool keeps = is_true || is_hopeless;
  if (keeps) {
    plan_.tags.platform_tags = name_tags;
    plan_.tags.policy = verdict.as_is;
    plan_.tags.reasons = {is_true ? "kept: what the file name says is true"
                                  : "kept: the wheel meets no platform tag at all"};
  } else {
    plan_.tags = policy::choose_tags(examined_.verdict, wish, options_.tag_update, name_tags);
  }
  if (!keeps && wish.automatic && speaks_for_several_families()) {
    plan_.tags.platform_tags = name_tags;
    std::sort(plan_.tags.platform_tags.begin(), plan_.tags.platform_tags.end());  // PEP 425
    plan_.tags.reasons = {"kept: the programs are static and serve every libc of the name"};
  }
  for (const auto& warning : plan_.tags.warnings) {
    plan_.findings.push_back({"false-tag", Severity::warning, {}, warning, {}});
  }
}

void Planner::plan_folds() {
  for (const auto& fold : examined_.folds) {
    if (fold.is_gone) plan_.gone.insert(fold.member);
    plan_.folded.push_back({wheel_.members[fold.member].archive.name,
                            wheel_.members[fold.kept].archive.name, fold.is_gone});
  }
}

/// The modes that a build lost. Installers set those of scripts themselves, and what is also a
/// library is loaded far more often than run.
void Planner::plan_modes() {
  for (std::size_t i = 0; i < wheel_.members.size(); ++i) {
    const auto& member = wheel_.members[i];
    constexpr std::uint16_t kExecutable = 2;  // ET_EXEC
    if (!member.is_ours || member.archive.executable ||
        member.installed.scheme == wheel::InstalledPath::Scheme::scripts) {
      continue;
    }
    const bool is_program =
        member.facts ? member.facts->kind != elf::FileKind::shared_object && !member.facts->soname
                     : member.identity->type == kExecutable;
    const auto name = base_name(member.archive.name);
    if (is_program && name.find(".so") == std::string_view::npos) plan_.made_executable.insert(i);
  }
}

OldNames Planner::old_names() const {
  OldNames names;
  for (const auto& [node, file] : file_of_) {
    const auto& soname = graph_.nodes[node].facts->soname;
    if (soname && !graph_.nodes[node].in_wheel) names[file].insert(*soname);
  }
  for (const auto& node : graph_.nodes) {
    for (const auto& edge : node.edges) {
      const auto file = edge.target ? file_of_.find(*edge.target) : file_of_.end();
      if (file != file_of_.end()) names[file->second].insert(edge.needed);
    }
  }
  return names;
}

Plan Planner::run() && {
  plan_.libs_folder = wheel_.name.distribution + options_.lib_sdir;
  // The tag first: which policy is aimed at says which libraries may stay with the system.
  choose_tags();
  plan_folds();
  if (options_.fix_only) plan_modes();

  // Every file of the finished wheel gets an index; from here edges can point at files to come.
  auto selection = select_grafts(examined_, examined_.verdict.policies[plan_.tags.policy].grafts,
                                 plan_.libs_folder, options_.inspect.jobs);
  const auto nodes = std::move(selection.nodes);
  plan_.grafts = std::move(selection.grafts);
  for (NodeId id = 0; id < examined_.layout.size(); ++id) file_of_[id] = id;
  for (std::size_t i = 0; i < nodes.size(); ++i) file_of_[nodes[i]] = examined_.layout.size() + i;
  for (const auto& [node, file] : selection.already_bundled) {
    file_of_[node] = file;
    plan_.findings.push_back({"already-bundled",
                              Severity::note,
                              graph_.nodes[node].path,
                              "is in the wheel already as " + examined_.layout[file].path,
                              {}});
  }
  refuse_grafts_without_run_path();

  note_copies(wheel_, plan_.findings);
  for (NodeId id = 0; id < examined_.layout.size(); ++id) {
    PlannedFile file;
    file.path = examined_.layout[id].path;
    file.tree = examined_.layout[id].tree;
    file.member = examined_.member_of[id];
    file.facts = *examined_.layout[id].facts;
    note_risks(file.path, file.facts, plan_.findings);
    plan_file(id, std::move(file));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PlannedFile file;
    file.path = plan_.grafts[i].member;
    file.node = nodes[i];
    file.facts = *graph_.nodes[nodes[i]].facts;
    if (file.facts.soname != plan_.grafts[i].new_name) {
      file.edit.soname = plan_.grafts[i].new_name;
      file.reasons.push_back("SONAME: " + plan_.grafts[i].new_name);
      file.facts.soname = plan_.grafts[i].new_name;
    }
    note_host_bound(plan_.grafts[i], file.facts, plan_.findings);
    note_risks(plan_.grafts[i].source, file.facts, plan_.findings);
    plan_file(nodes[i], std::move(file));
  }

  // Names are settled; now every run path.
  plan_run_paths(plan_, run_path_rules(examined_, plan_, options_));
  // What loads what is known: version needs and definitions are held against it.
  plan_version_names(plan_, old_names(), wheel_.libc);
  check_versions(plan_, options_, wheel_.libc);
  plan_shims(wheel_, plan_);

  plan_.name = wheel_.name;
  plan_.name.platform_tags = plan_.tags.platform_tags;
  plan_.wheel_text = planned_wheel_text(wheel_, plan_.name, options_);

  if (!plan_.grafts.empty() || (!plan_.gone.empty() && wheel_.find(sbom_member(wheel_)))) {
    plan_sbom(wheel_, graph_, options_, plan_);
  }

  note_vendor_libraries(plan_.grafts, options_, plan_.findings);
  if (wheel_.libc == deps::Libc::musl) note_glibc_symbols(plan_);
  std::vector<NodeId> kept;
  for (const auto& [node, file] : file_of_) kept.push_back(node);
  note_exclusions(graph_, kept, plan_);
  if (!options_.fix_only) note_left_to_machine(examined_, kept, plan_);
  note_dlopened(examined_, plan_);
  note_dead_patterns(graph_, options_, plan_);
  if (!options_.edit_allowed) {
    for (const auto& file : plan_.files) {
      if (file.edit.empty()) continue;
      throw Error(
          ErrorKind::usage, "patcher-none",
          fmt::format("{} has to be edited, which --patcher none forbids", printable(file.path)));
    }
  }
  return std::move(plan_);
}

}  // namespace

Plan make_plan(const Examined& examined, const Options& options) {
  return Planner(examined, options).run();
}

std::vector<deps::WheelFile> planned_layout(const Plan& plan) {
  std::vector<deps::WheelFile> layout;
  layout.reserve(plan.files.size());
  for (const auto& file : plan.files) {
    layout.push_back({file.path, std::make_shared<const elf::ElfFacts>(file.facts), file.tree});
  }
  return layout;
}

}  // namespace truewheel::repair
