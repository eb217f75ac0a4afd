// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/requirements.hpp"
#include "check/subject.hpp"
#include "check/version_loads.hpp"
#include "deps/run_path.hpp"
#include "deps/sibling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace truewheel::check {
namespace {

using deps::Via;

/// The profile that a library belongs to, of those that a wheel may leave to the user's machine
/// although no policy allows it: what GPU vendors, fabrics and frameworks install. curl's and
/// OpenSSL's closure is none of them: those differ between distributions.
const policy::Profile* vendor_of(const std::string& needed) {
  for (const auto& profile : policy::all_profiles()) {
    if (profile.name == "system-net" || profile.name == "libc") continue;
    for (const auto& glob : profile.globs) {
      if (glob.find('/') == std::string::npos && glob_match(glob, needed)) return &profile;
    }
  }
  return nullptr;
}

bool is_extension(const elf::ElfFacts& facts) {
  return std::any_of(facts.python_exports.begin(), facts.python_exports.end(),
                     [](const auto& name) { return name.starts_with("PyInit_"); });
}

struct Offer {
  Provider provider = Provider::none;
  std::string by;
};

class LinkTable {
 public:
  LinkTable(Subject& subject, const policy::Policy* promised)
      : subject_(subject), promised_(promised), simulator_(subject.layout), versions_(subject) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < subject.layout.size(); ++i) {
      first_.push_back(at);
      const auto& edges = subject.graph.nodes[i].edges;
      at += edges.size();
      for (const auto& edge : edges) {
        Link link;
        link.file = i;
        link.needed = edge.needed;
        link.target = edge.target;
        if (edge.answer == deps::Answer::libpython) link.target.reset();
        links_.push_back(std::move(link));
      }
    }
    ranks_.resize(links_.size(), -1);
  }

  std::vector<Link> build() {
    for (const auto root : deps::load_roots(subject_.layout)) {
      subject_.files[root].is_root = true;
      load(root);
    }
    // Files that no root reaches (a name that leads elsewhere, circles) are loaded by themselves.
    for (std::size_t i = 0; i < subject_.layout.size(); ++i) {
      if (!reached_.contains(i)) load(i);
    }
    excuse_plugins();
    drop_absent_auxiliaries();
    ask_requirements(subject_, links_);
    subject_.version_faults = std::move(versions_).faults(
        [this](const std::string& needed) { return offer(needed).provider != Provider::none; });
    return std::move(links_);
  }

 private:
  void load(std::size_t root) {
    const std::function<bool(const std::string&)> provided = [this](const std::string& needed) {
      return offer(needed).provider != Provider::none;
    };
    const auto steps = simulator_.load(root, subject_.libc, provided);
    reached_.insert(root);
    const auto& facts = *subject_.layout[root].facts;
    const bool is_process = is_extension(facts) || facts.kind != elf::FileKind::shared_object;
    versions_.add(root, steps, is_process);
    // Whose NEEDED brought a file: the way along which DT_RPATH is inherited.
    std::unordered_map<std::size_t, std::size_t> loader;
    for (const auto& step : steps) {
      if (step.found && *step.found != root) loader.emplace(*step.found, step.needing);
      if (step.found) reached_.insert(*step.found);
      if (step.found && is_process) loaded_by_processes_.insert(*step.found);
      note(root, step, loader);
    }
  }

  void note(std::size_t root, const deps::LoadStep& step,
            const std::unordered_map<std::size_t, std::size_t>& loader) {
    if (step.via == Via::not_found && step.tag == deps::Tag::auxiliary) return;
    Link seen;
    seen.root = root;
    if (step.found) seen.target = step.found;
    seen.entry = step.entry;
    seen.entry_owner = step.entry_owner;
    switch (step.via) {
      case Via::rpath:
      case Via::runpath:
      case Via::path:
        seen.reach = Reach::own_path;
        break;
      case Via::inherited_rpath:
        seen.reach = Reach::inherited;
        break;
      case Via::already_loaded:
        seen.reach = explains(root, step, loader) ? Reach::own_path : Reach::luck;
        break;
      case Via::provided: {
        seen.reach = Reach::outside;
        auto offered = offer(step.needed);
        seen.provider = offered.provider;
        seen.provided_by = std::move(offered.by);
        break;
      }
      case Via::not_found:
        seen.reach = Reach::nowhere;
        break;
    }
    keep_worst(step.needing, step.needed, seen);
  }

  /// A library that nobody needs is opened by name in a process that runs something else of the
  /// subject (nixl's plugins): what that has loaded is there under its SONAME, so that a plugin
  /// which cannot find it by itself loads all the same, as long as the order stays.
  void excuse_plugins() {
    for (auto& link : links_) {
      if (link.reach != Reach::nowhere || !link.target || !link.root) continue;
      const auto& root = *subject_.layout[*link.root].facts;
      const auto& soname = subject_.layout[*link.target].facts->soname;
      const bool is_plugin = root.kind == elf::FileKind::shared_object && !is_extension(root);
      if (is_plugin && loaded_by_processes_.contains(*link.target) && soname == link.needed) {
        link.reach = Reach::luck;
      }
    }
  }

  /// A DT_AUXILIARY that no load found is none that anybody misses.
  void drop_absent_auxiliaries() {
    std::vector<Link> kept;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& link = links_[i];
      const auto& edge = subject_.graph.nodes[link.file].edges[i - first_[link.file]];
      if (ranks_[i] >= 0 || edge.tag != deps::Tag::auxiliary) kept.push_back(link);
    }
    links_ = std::move(kept);
  }

  /// True when a library that was loaded already would have been found anyway: by the needing
  /// file's own run path, or DT_RPATH of the files that it was loaded through.
  bool explains(std::size_t root, const deps::LoadStep& step,
                const std::unordered_map<std::size_t, std::size_t>& loader) const {
    if (!step.found || *step.found == step.needing) return true;
    const auto& target = subject_.layout[*step.found].path;
    if (base_name(target) != base_name(step.needed)) return false;
    const bool own_runpath = subject_.layout[step.needing].facts->runpath.has_value();
    std::size_t at = step.needing;
    for (std::size_t hops = 0; hops <= subject_.layout.size(); ++hops) {
      const auto& facts = *subject_.layout[at].facts;
      const bool counts = at == step.needing || subject_.libc == deps::Libc::musl ||
                          (!own_runpath && !facts.runpath);
      if (counts && leads_to(at, folder_name(target))) return true;
      const auto up = loader.find(at);
      if (at == root || up == loader.end()) return false;
      at = up->second;
    }
    return false;
  }

  bool leads_to(std::size_t file, std::string_view folder) const {
    const auto run_path = subject_.layout[file].facts->run_path();
    if (!run_path) return false;
    for (const auto& entry : deps::run_path_entries(run_path->value)) {
      const auto place =
          deps::place_entry(entry, subject_.layout[file].path, *subject_.layout[file].facts);
      if (place.kind == deps::EntryPlace::Kind::inside && place.folder == folder) return true;
    }
    return false;
  }

  /// Of several loads the one that goes worst is told; of equal ones the first.
  void keep_worst(std::size_t file, const std::string& needed, const Link& seen) {
    const auto& needs = subject_.graph.nodes[file].edges;
    const auto at = std::find_if(needs.begin(), needs.end(),
                                 [&](const deps::Edge& edge) { return edge.needed == needed; });
    if (at == needs.end()) return;
    const auto index = first_[file] + static_cast<std::size_t>(at - needs.begin());
    const int rank = static_cast<int>(seen.reach) == static_cast<int>(Reach::nowhere) ? 4
                     : seen.reach == Reach::luck                                      ? 3
                     : seen.reach == Reach::inherited                                 ? 2
                                                                                      : 1;
    if (rank <= ranks_[index]) return;
    ranks_[index] = rank;
    auto& link = links_[index];
    link.reach = seen.reach;
    if (seen.target || seen.reach == Reach::outside) link.target = seen.target;
    link.entry = seen.entry;
    link.entry_owner = seen.entry_owner;
    link.root = seen.root;
    link.provider = seen.provider;
    link.provided_by = seen.provided_by;
    // A name that stands twice has one answer.
    for (std::size_t k = 0; k < needs.size(); ++k) {
      if (needs[k].needed != needed || first_[file] + k == index) continue;
      links_[first_[file] + k] = link;
      ranks_[first_[file] + k] = rank;
    }
  }

  /// Who has a library when the layout has not, or no path leads to it there.
  Offer offer(const std::string& needed) {
    const auto [at, is_new] = offers_.try_emplace(needed);
    if (is_new) at->second = ask(needed);
    return at->second;
  }

  Offer ask(const std::string& needed) const {
    if (deps::is_libpython(needed)) return {Provider::python, "the interpreter"};
    if (promised_ != nullptr && policy::comes_from_system(*promised_, subject_.libc, needed)) {
      return {Provider::policy, promised_->name};
    }
    auto patterns = subject_.graph.patterns;
    if (const auto pattern = deps::match_exclude(patterns, needed, "")) {
      return {Provider::declared, patterns[*pattern].origin + " " + patterns[*pattern].glob};
    }
    // A file of the subject that has the name is what the build meant.
    const bool is_own = std::any_of(
        subject_.layout.begin(), subject_.layout.end(),
        [&](const deps::WheelFile& file) { return base_name(file.path) == base_name(needed); });
    if (is_own) return {};
    if (auto beside = beside_lone_file(needed); !beside.empty()) {
      return {Provider::declared, std::move(beside)};
    }
    if (const auto* profile = vendor_of(needed)) {
      return {Provider::vendor, "profile " + profile->name};
    }
    return {};
  }

  /// An ELF file that was named alone lies where its run path may lead to its own kind.
  [[nodiscard]] std::string beside_lone_file(const std::string& needed) const {
    if (subject_.kind != Subject::Kind::file || needed.find('/') != std::string::npos) return {};
    const auto& facts = *subject_.layout.front().facts;
    const auto run_path = facts.run_path();
    if (!run_path) return {};
    std::error_code ignored;
    const auto folder = std::filesystem::absolute(subject_.path, ignored).parent_path();
    for (const auto& entry : deps::run_path_entries(run_path->value)) {
      const auto place = deps::place_entry(entry, "", facts);
      if (place.kind != deps::EntryPlace::Kind::inside &&
          place.kind != deps::EntryPlace::Kind::above) {
        continue;
      }
      const auto expanded = deps::expand_tokens(entry, {folder.string(), {}, {}});
      if (!expanded) continue;
      const auto path = (std::filesystem::path(*expanded) / needed).lexically_normal();
      if (std::filesystem::is_regular_file(path, ignored)) {
        return fmt::format("{} through {}", path.string(), entry);
      }
    }
    return {};
  }

  Subject& subject_;
  const policy::Policy* promised_;
  deps::LoadSimulator simulator_;
  VersionLoads versions_;
  std::vector<std::size_t> first_;  ///< file -> its first link
  std::vector<Link> links_;
  std::vector<int> ranks_;
  std::unordered_set<std::size_t> reached_;
  std::unordered_set<std::size_t> loaded_by_processes_;
  std::unordered_map<std::string, Offer> offers_;
};

}  // namespace

const policy::Policy* promised_policy(const Subject& subject) {
  if (!subject.verdict || subject.verdict->policies.size() < 2) return nullptr;
  const auto& policies = subject.verdict->policies;
  const policy::Policy* oldest = nullptr;
  if (subject.wheel_name) {
    for (const auto& tag : subject.wheel_name->platform_tags) {
      for (const auto& entry : policies) {
        if (entry.policy->name == "linux") continue;
        const auto says = [&](const std::string& name) {
          return tag == name + "_" + subject.verdict->architecture;
        };
        const bool is_it =
            says(entry.policy->name) ||
            std::any_of(entry.policy->aliases.begin(), entry.policy->aliases.end(), says);
        if (is_it && (oldest == nullptr || entry.policy->priority > oldest->priority)) {
          oldest = entry.policy.get();
        }
      }
    }
  }
  return oldest != nullptr ? oldest : policies[policies.size() - 2].policy.get();
}

void examine(Subject& subject, const Options& options) {
  std::vector<std::string> tags;
  if (subject.wheel_name) tags = subject.wheel_name->platform_tags;
  subject.libc = policy::libc_of(tags, subject.layout).value_or(deps::Libc::glibc);
  subject.graph = closed_graph(subject, options);
  if (!subject.architecture.empty() &&
      !policy::policies_for(subject.libc, subject.architecture).empty()) {
    try {
      auto evaluation = options.evaluate;
      evaluation.android_level = policy::android_level(tags);
      subject.verdict =
          policy::evaluate(subject.graph, subject.libc, subject.architecture, evaluation);
      for (const auto& note : subject.verdict->notes) {
        subject.elf_faults.push_back({"T005", Severity::warning, {}, note, {}});
      }
    } catch (const Error& error) {
      subject.elf_faults.push_back({"T001", Severity::error, {}, error.what(), error.hint()});
    }
  }
  subject.links = LinkTable(subject, promised_policy(subject)).build();
}

}  // namespace truewheel::check
