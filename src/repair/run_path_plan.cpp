// SPDX-License-Identifier: Apache-2.0
#include "repair/run_path_plan.hpp"

#include "base/byte_reader.hpp"
#include "base/text.hpp"
#include "check/requirements.hpp"
#include "deps/search_list.hpp"
#include "repair/shim_plan.hpp"
#include "repair/unfound_edges.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace truewheel::repair {
namespace {

using deps::EntryPlace;

std::string origin_entry(std::string_view file_path, std::string_view folder) {
  const auto way = relative_path(folder_name(file_path), folder);
  return way.empty() ? "$ORIGIN" : "$ORIGIN/" + way;
}

/// One file's run path while the plan is made.
class FilePath {
 public:
  FilePath(const PlannedFile& file, bool asks_unseen, const RunPathRules& rules,
           std::vector<Finding>& findings)
      : file_(file), asks_unseen_(asks_unseen), rules_(rules), old_(file.facts.run_path()) {
    if (!old_) return;
    // A graft's run path belongs to the machine it came from: nothing of it is kept.
    const auto entries = deps::run_path_entries(old_->value);
    if (!file.member) {
      has_bad_entry_ = true;
      return;
    }
    for (const auto& entry : entries) {
      if (rules.moving_programs.contains(*file.member)) {
        sort_entry_from_bin(entry, findings);
      } else {
        sort_entry(entry, findings);
      }
    }
  }

  /// Asks for a folder of the wheel; false when it is there already.
  bool want_folder(const std::string& folder) {
    return !kept_folders_.contains(folder) && want_direct_entry(folder);
  }

  /// The same for a folder that the loader does not come to: an entry that means it may go a way
  /// that is not there, such as "$ORIGIN/none/../sub", or one that other machines call otherwise
  /// ($LIB).
  bool want_direct_entry(const std::string& folder) {
    auto entry = origin_entry(file_.path, folder);
    if (has_entry(entry)) return false;
    refuse_unnameable(folder, entry);
    (folder == rules_.libs_folder ? libs_ : siblings_).push_back(std::move(entry));
    return true;
  }

  void want_site_entries() {
    for (const auto& entry : file_.site_entries) {
      const auto place = deps::place_entry(entry, file_.path, file_.facts);
      if (!has_folder(place.folder)) site_.push_back(entry);
    }
  }

  /// The entries speak for the file alone: a DT_RUNPATH stays one, and what is new becomes one.
  /// False if that was so already, or a DT_RPATH was there before.
  bool speak_for_itself() {
    if (!rules_.may_use_runpaths || uses_runpath_) return false;
    if (file_.member && old_ && old_->kind != elf::RunPathKind::runpath) return false;
    return uses_runpath_ = true;
  }

  /// A folder of the build's machine leaves the run path.
  [[nodiscard]] bool loses_outside_entry() const { return !file_.member || !old_bad_.empty(); }

  /// The run path that the file shall have; nullopt when the one it has stays.
  [[nodiscard]] std::optional<std::optional<elf::RunPath>> decide() const {
    const bool gains = !siblings_.empty() || !libs_.empty() || !site_.empty() || gains_system();
    if (!gains && !has_bad_entry_ && !has_wrong_kind()) return std::nullopt;
    std::vector<std::string> entries;
    for (const auto* part : {&kept_, &siblings_, &libs_, &site_}) {
      entries.insert(entries.end(), part->begin(), part->end());
    }
    entries.insert(entries.end(), file_.system_entries.begin(), file_.system_entries.end());
    std::vector<std::string> unique;
    for (auto& entry : entries) {
      if (std::find(unique.begin(), unique.end(), entry) == unique.end()) {
        unique.push_back(std::move(entry));
      }
    }
    std::optional<elf::RunPath> wish;
    if (!unique.empty()) {
      const bool changes_kind = gains || !old_ || rules_.is_tidied;
      const auto kind = uses_runpath_  ? elf::RunPathKind::runpath
                        : changes_kind ? rules_.kind
                                       : old_->kind;
      wish = elf::RunPath{kind, join(unique, ":")};
    }
    if (wish == old_ && !(file_.facts.rpath && file_.facts.runpath)) return std::nullopt;
    return wish;
  }

 private:
  /// A colon ends an entry, and a loader replaces what looks like a token; musl gives up at any
  /// other dollar sign (ldso/dynlink.c, fixup_rpath).
  void refuse_unnameable(const std::string& folder, const std::string& entry) const {
    const auto place = deps::place_entry(entry, file_.path, file_.facts);
    const bool is_named = entry.find(':') == std::string::npos &&
                          place.kind == EntryPlace::Kind::inside && place.folder == folder &&
                          (rules_.libc != deps::Libc::musl || entry.rfind('$') == 0);
    if (is_named) return;
    throw Error(ErrorKind::unfit, "run-path-folder",
                fmt::format("{}: needs a library in {}, a folder that no run path can name",
                            printable(file_.path), printable(folder)),
                "have the build give the folder another name");
  }

  void sort_entry(const std::string& entry, std::vector<Finding>& findings) {
    const auto place = deps::place_entry(entry, file_.path, file_.facts);
    if (place.kind != EntryPlace::Kind::inside) {
      has_bad_entry_ = true;
      old_bad_.push_back(entry);
      return;
    }
    if (rules_.is_tidied) {
      if (leads_nowhere(entry, place.folder)) {
        has_bad_entry_ = true;
      } else {
        kept_.push_back(entry);
        kept_folders_.insert(place.folder);
      }
      return;
    }
    if (rules_.member_folders.contains(place.folder) || asks_unseen_ ||
        !check::who_brings(rules_.required, place.folder).empty()) {
      kept_.push_back(entry);
      kept_folders_.insert(place.folder);
      return;
    }
    findings.push_back({"run-path-unused",
                        Severity::note,
                        file_.path,
                        fmt::format("run-path entry {} leads to no folder of the wheel", entry),
                        {}});
  }

  /// The name of a file, or a folder of the wheel that has no library. What lies in folders of
  /// other distributions is not ours to know.
  [[nodiscard]] bool leads_nowhere(const std::string& entry, const std::string& folder) const {
    if (rules_.members.contains(folder) || glob_match("lib*.so*", base_name(entry))) return true;
    return !folder.empty() && !rules_.elf_folders.contains(folder) &&
           check::who_brings(rules_.required, folder).empty() &&
           rules_.own_tops.contains(folder.substr(0, folder.find('/')));
  }

  /// From where the program moves to, the way to another distribution's folder is another one, and
  /// none is sure to lead to what lies beside the folder for scripts.
  void sort_entry_from_bin(const std::string& entry, std::vector<Finding>& findings) {
    has_bad_entry_ = true;
    for (const char* packages : {"/site-packages", "/dist-packages"}) {
      const auto found = entry.find(packages);
      if (found == std::string::npos) continue;
      const auto end = found + std::string_view(packages).size();
      const auto way = std::string_view(entry).substr(0, end);
      const auto rest = entry.substr(end);
      const bool is_from_bin =
          glob_match(fmt::format("$ORIGIN/../lib*/python*{}", packages), way) ||
          glob_match(fmt::format("${{ORIGIN}}/../lib*/python*{}", packages), way);
      if (!is_from_bin || (!rest.empty() && rest.front() != '/')) continue;
      sort_entry("$ORIGIN/.." + rest, findings);
      return;
    }
    old_bad_.push_back(entry);
    if (deps::place_entry(entry, file_.path, file_.facts).kind != EntryPlace::Kind::inside) return;
    findings.push_back({"run-path-left-behind",
                        file_.needs_excluded ? Severity::warning : Severity::note,
                        file_.path,
                        fmt::format("run-path entry {} leads to no folder of site-packages, where "
                                    "the program moves to, and goes",
                                    entry),
                        {}});
  }

  [[nodiscard]] bool has_wrong_kind() const {
    return rules_.is_tidied && old_ &&
           (old_->kind != rules_.kind || (file_.facts.rpath && file_.facts.runpath));
  }

  [[nodiscard]] bool has_folder(const std::string& folder) const {
    if (kept_folders_.contains(folder)) return true;
    return has_entry(origin_entry(file_.path, folder));
  }

  [[nodiscard]] bool has_entry(const std::string& entry) const {
    const auto has_it = [&](const auto* part) {
      return std::find(part->begin(), part->end(), entry) != part->end();
    };
    const auto parts = {&kept_, &siblings_, &libs_, &site_};
    return std::any_of(parts.begin(), parts.end(), has_it);
  }

  [[nodiscard]] bool gains_system() const {
    return std::any_of(
        file_.system_entries.begin(), file_.system_entries.end(), [&](const std::string& entry) {
          return std::find(old_bad_.begin(), old_bad_.end(), entry) == old_bad_.end();
        });
  }

  const PlannedFile& file_;
  const bool asks_unseen_;  // it, or what is loaded through it, for files outside of the wheel
  const RunPathRules& rules_;
  std::optional<elf::RunPath> old_;
  bool has_bad_entry_ = false;
  bool uses_runpath_ = false;
  std::vector<std::string> kept_, siblings_, libs_, site_, old_bad_;
  std::set<std::string> kept_folders_;
};

/// By file: whether its run path may be asked for what no edge of the plan shows: a library that is
/// left out, or one that is opened by name, by the file or by one that is loaded through it.
std::vector<bool> who_asks_unseen(const std::vector<PlannedFile>& files) {
  std::vector<bool> asks;
  for (const auto& file : files) {
    const auto& imports = file.facts.imports;
    asks.push_back(file.needs_excluded ||
                   std::any_of(imports.begin(), imports.end(), [](const auto& symbol) {
                     return symbol.name == "dlopen" || symbol.name == "dlmopen";
                   }));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto& edges = files[i].edges;
      if (asks[i] || std::none_of(edges.begin(), edges.end(),
                                  [&](const PlannedEdge& edge) { return asks[edge.target]; })) {
        continue;
      }
      changed = asks[i] = true;
    }
  }
  return asks;
}

void apply_to_facts(elf::ElfFacts& facts, const std::optional<elf::RunPath>& run_path) {
  facts.rpath.reset();
  facts.runpath.reset();
  if (!run_path) return;
  (run_path->kind == elf::RunPathKind::rpath ? facts.rpath : facts.runpath) = run_path->value;
}

using KnownEdges = std::set<std::tuple<std::size_t, std::string, std::size_t>>;

/// What comes to a library of the wheel before anything is planned may be meant.
KnownEdges edges_of_input(const std::vector<deps::WheelFile>& layout,
                          const std::vector<std::vector<PlannedEdge>>& edges,
                          const RunPathRules& rules) {
  KnownEdges known;
  for (const auto& edge : find_unmeant_edges(layout, edges, rules.libc, rules.outside)) {
    known.emplace(edge.needing, edge.needed, edge.found);
  }
  return known;
}

/// A run path that had to gain a folder for one library also finds the others in it.
void warn_of_hidden_libraries(Plan& plan, const std::set<UnmeantEdge>& unmeant, KnownEdges known,
                              const deps::OutsideFiles& outside) {
  for (const auto& edge : unmeant) {
    if (!known.emplace(edge.needing, edge.needed, edge.found).second) continue;
    const bool is_outside = edge.needing >= plan.files.size();
    plan.findings.push_back(
        {"hidden-library", Severity::warning,
         is_outside ? outside.files[edge.needing - plan.files.size()].path
                    : plan.files[edge.needing].path,
         fmt::format("needs {} of the user's machine, and comes to {} of the wheel instead",
                     edge.needed, plan.files[edge.found].path),
         "give that file another name or folder"});
  }
}

/// Folders of this machine were all that a file with -z nodefaultlib had to find what is left to
/// the user's machine; there they are others, which the loader knows.
void look_in_default_folders(PlannedFile& file) {
  file.edit.no_default_lib = false;
  file.facts.dt_flags_1 &= ~deps::kNoDefaultLib;
  file.reasons.emplace_back("NODEFLIB: gone, as the run path loses folders of this machine");
}

std::string describe(const std::optional<elf::RunPath>& run_path) {
  if (!run_path) return "none";
  return fmt::format("{} {}", run_path->kind == elf::RunPathKind::rpath ? "RPATH" : "RUNPATH",
                     run_path->value);
}

}  // namespace

RunPathRules run_path_rules(const Examined& examined, const Plan& plan, const Options& options) {
  const LoadedWheel& wheel = examined.wheel;
  RunPathRules rules;
  rules.libc = wheel.libc;
  rules.libs_folder = plan.libs_folder;
  rules.is_tidied = options.fix_only;
  for (std::size_t i = 0; i < wheel.members.size(); ++i) {
    if (plan.gone.contains(i)) continue;
    const auto place = place_of(wheel.members[i], wheel, /*keeps_place=*/true);
    rules.member_folders.insert(std::string(folder_name(place.path)));
    rules.members.insert(place.path);
    if (const auto slash = place.path.find('/'); slash != std::string::npos) {
      rules.own_tops.insert(place.path.substr(0, slash));
    }
  }
  if (const auto* metadata = wheel.find(wheel.dist_info_file("METADATA"))) {
    const auto text = wheel::read_member(wheel.file.bytes(), metadata->archive);
    rules.required = wheel::required_distributions(as_text(text.bytes()));
  }
  for (const auto& graft : plan.grafts) {
    rules.member_folders.insert(std::string(folder_name(graft.member)));
  }
  for (const auto& file : plan.files) {
    if (moves_beside_libraries(wheel, file)) rules.moving_programs.insert(*file.member);
    for (auto folder = folder_name(file.path); !folder.empty(); folder = folder_name(folder)) {
      rules.elf_folders.insert(std::string(folder));
    }
  }

  std::set<deps::NodeId> grafted;
  for (const auto& file : plan.files) {
    if (file.node) grafted.insert(*file.node);
  }
  for (deps::NodeId node = 0; node < examined.graph.nodes.size(); ++node) {
    const auto& known = examined.graph.nodes[node];
    if (known.in_wheel || grafted.contains(node)) continue;
    for (const auto& name : known.known_as) {
      rules.outside.by_name.emplace(name, rules.outside.files.size());
    }
    rules.outside.files.push_back({known.path, known.facts, {}});
  }

  bool has_rpath = false;
  bool has_runpath = false;
  for (const auto& file : examined.layout) {
    has_runpath = has_runpath || file.facts->runpath;
    has_rpath = has_rpath || file.facts->rpath;
  }
  rules.may_use_runpaths = wheel.libc == deps::Libc::glibc && !options.run_path_kind;
  const bool is_bionic = wheel.libc == deps::Libc::bionic;
  const auto natural = is_bionic || (options.fix_only && has_runpath && !has_rpath)
                           ? elf::RunPathKind::runpath
                           : elf::RunPathKind::rpath;
  rules.kind = is_bionic ? natural : options.run_path_kind.value_or(natural);
  return rules;
}

void plan_run_paths(Plan& plan, const RunPathRules& rules) {
  // FilePath looks at the file's run path as it was, while facts carry what is planned so far.
  const std::vector<PlannedFile> before = plan.files;
  const auto before_layout = planned_layout(plan);
  std::vector<FilePath> paths;
  paths.reserve(before.size());
  const auto asks_unseen = who_asks_unseen(before);
  for (std::size_t i = 0; i < before.size(); ++i) {
    paths.emplace_back(before[i], asks_unseen[i], rules, plan.findings);
  }

  // What needs no simulation: direct needs of grafts, and the folders of excluded libraries.
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (const auto& edge : before[i].edges) {
      if (!before[edge.target].member)
        paths[i].want_folder(std::string(folder_name(before[edge.target].path)));
    }
    paths[i].want_site_entries();
  }

  const auto write_facts = [&](std::size_t i) {
    if (const auto decision = paths[i].decide()) apply_to_facts(plan.files[i].facts, *decision);
  };
  for (std::size_t i = 0; i < paths.size(); ++i) write_facts(i);

  // Siblings: add a folder only where the loader fails, and look again, since each entry also
  // serves what is loaded through its file. Every round adds an entry or takes a file's
  // inheritance away, so the rounds end.
  std::vector<std::vector<PlannedEdge>> edges;
  edges.reserve(before.size());
  for (const auto& file : before) edges.push_back(file.edges);
  std::optional<KnownEdges> known;
  std::set<UnmeantEdge> unmeant;  // of the last round, which changes nothing
  for (bool changed = true; changed;) {
    changed = false;
    const auto layout = planned_layout(plan);
    for (const auto& unfound : find_unfound_edges(layout, edges, rules.libc)) {
      const auto folder = std::string(folder_name(before[unfound.target].path));
      if (!paths[unfound.needing].want_direct_entry(folder)) continue;
      write_facts(unfound.needing);
      changed = true;
    }
    // A DT_RPATH also answers what is loaded through its file, such as a library of the system, or
    // a graft, that means another one of the system and comes to the wheel's of that name.
    unmeant = find_unmeant_edges(layout, edges, rules.libc, rules.outside);
    if (!known && !unmeant.empty()) known = edges_of_input(before_layout, edges, rules);
    for (const auto& edge : unmeant) {
      if (!edge.lender || known->contains({edge.needing, edge.needed, edge.found}) ||
          !paths[*edge.lender].speak_for_itself()) {
        continue;
      }
      write_facts(*edge.lender);
      changed = true;
    }
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (rules.libc == deps::Libc::glibc && deps::has_no_default_folders(before[i].facts) &&
        paths[i].loses_outside_entry()) {
      look_in_default_folders(plan.files[i]);
    }
  }

  if (known) warn_of_hidden_libraries(plan, unmeant, std::move(*known), rules.outside);

  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto decision = paths[i].decide();
    if (!decision) continue;
    auto& file = plan.files[i];
    file.edit.run_path = *decision;
    file.reasons.push_back(fmt::format("run path: {} -> {}", describe(before[i].facts.run_path()),
                                       describe(*decision)));
  }
}

}  // namespace truewheel::repair
