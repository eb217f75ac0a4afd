// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "policy/machine.hpp"
#include "policy/needs.hpp"
#include "policy/tables.hpp"
#include "policy/versions.hpp"
#include <truewheel/error.hpp>
#include <truewheel/policy.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace truewheel::policy {
namespace {

// musl answers these names with itself before it looks anywhere (ldso/dynlink.c, load_library).
bool is_musl_itself(std::string_view needed) {
  constexpr std::array<std::string_view, 7> kReserved = {"c.",  "pthread.", "rt.",  "m.",
                                                         "dl.", "util.",    "xnet."};
  if (!needed.starts_with("lib")) return false;
  return std::any_of(kReserved.begin(), kReserved.end(),
                     [&](std::string_view name) { return needed.substr(3).starts_with(name); });
}

// A libpython that neither the wheel has nor a pattern leaves to the environment.
bool is_outside_libpython(const deps::Edge& edge) {
  return edge.answer == deps::Answer::libpython && !edge.target && !edge.pattern;
}

bool is_program(const elf::ElfFacts& facts) {
  return facts.kind == elf::FileKind::pie || facts.kind == elf::FileKind::executable;
}

// True for files that a process maps and runs; object files and the like ask nothing of a system.
bool is_loadable(const elf::ElfFacts& facts) {
  return facts.is_dynamic() || facts.kind == elf::FileKind::static_executable;
}

// What one policy says: the walk from the wheel's files and the judgement of every file that it
// meets.
class PolicyJudge {
 public:
  PolicyJudge(const deps::Graph& graph, deps::Libc libc, const EvaluateOptions& options)
      : graph_(graph), libc_(libc), options_(options) {}

  void start_from(std::vector<deps::NodeId> own, std::set<std::string> forbidden) {
    own_ = std::move(own);
    forbidden_ = std::move(forbidden);
  }
  [[nodiscard]] const std::vector<deps::NodeId>& own() const { return own_; }

  const FileNeeds& needs(deps::NodeId node) {
    const auto found = needs_.find(node);
    if (found != needs_.end()) return found->second;
    return needs_.emplace(node, FileNeeds(graph_.nodes.at(node), forbidden_)).first->second;
  }

  /// Whether a file of the wheel needs a libpython from outside, which repair would take off it.
  [[nodiscard]] bool needs_libpython() const {
    return std::any_of(own_.begin(), own_.end(), [this](deps::NodeId id) {
      const auto& edges = graph_.nodes[id].edges;
      return std::any_of(edges.begin(), edges.end(), is_outside_libpython);
    });
  }

  PolicyVerdict judge(const std::shared_ptr<const Policy>& shared) {
    PolicyVerdict verdict;
    verdict.policy = shared;
    const Policy& policy = *shared;
    // Breadth-first over what the policy's system does not provide. A sibling is one of the wheel's
    // own files and stands in the queue already, also where the policy would allow the system's
    // copy, such as a newer libstdc++ (auditwheel#616).
    std::set<deps::NodeId> grafts;
    std::vector<deps::NodeId> queue = own_;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const deps::Node& node = graph_.nodes.at(queue[at]);
      std::set<std::string> seen;
      for (const deps::Edge& edge : node.edges) {
        if (!seen.insert(edge.needed).second || comes_from_system(policy, libc_, edge.needed)) {
          continue;
        }
        if (is_outside_libpython(edge)) {
          judge_libpython(node, edge, verdict.offences);
        } else if (edge.answer == deps::Answer::missing) {
          verdict.offences.push_back(
              library_offence(Offence::Kind::missing_library, node, edge.needed));
          verdict.offences.back().searched = edge.searched;
        } else if (edge.answer == deps::Answer::host && edge.target) {
          if (grafts.insert(*edge.target).second) queue.push_back(*edge.target);
        }
      }
      needs(queue[at]).judge(policy, options_, verdict.offences);
    }
    verdict.grafts.assign(grafts.begin(), grafts.end());
    verdict.satisfied = verdict.offences.empty();
    return verdict;
  }

 private:
  static Offence library_offence(Offence::Kind kind, const deps::Node& node,
                                 const std::string& library) {
    Offence offence;
    offence.kind = kind;
    offence.file = node.path;
    offence.in_wheel = node.in_wheel;
    offence.library = library;
    return offence;
  }

  // A shared object finds Python's symbols in the process that loads it, so that the entry can go
  // (auditwheel#589); a program cannot. On Android every extension needs libpython.
  void judge_libpython(const deps::Node& node, const deps::Edge& edge,
                       std::vector<Offence>& offences) const {
    if (libc_ == deps::Libc::bionic || !is_program(*node.facts)) return;
    offences.push_back(library_offence(Offence::Kind::library, node, edge.needed));
  }

  const deps::Graph& graph_;
  deps::Libc libc_;
  EvaluateOptions options_;
  std::vector<deps::NodeId> own_;
  std::set<std::string> forbidden_;
  std::map<deps::NodeId, FileNeeds> needs_;
};

// The wheel's files that count: of the wheel's architecture and not of another libc, as auditwheel
// has it. A wheel of which none is left bears another libc's tag: nothing would be judged.
std::vector<deps::NodeId> own_files(const deps::Graph& graph, const Verdict& verdict,
                                    std::vector<std::string>& notes) {
  std::vector<deps::NodeId> own;
  std::string of_other_libc;
  for (deps::NodeId id = 0; id < graph.nodes.size(); ++id) {
    const deps::Node& node = graph.nodes[id];
    if (!node.in_wheel || !node.facts || !is_loadable(*node.facts)) continue;
    const auto architecture = architecture_of_facts(*node.facts);
    if (!serves(architecture, verdict.architecture)) {
      notes.push_back(printable(node.path) + " is for " + architecture.value_or("another machine") +
                      ", not for " + verdict.architecture + ": not judged");
      continue;
    }
    const auto libc = libc_of_file(node.path, *node.facts);
    if (libc && *libc != verdict.libc) {
      const std::string what = printable(node.path) + " is for " + std::string(libc_name(*libc)) +
                               ", not for " + std::string(libc_name(verdict.libc));
      notes.push_back(what + ": not judged");
      if (of_other_libc.empty()) of_other_libc = what;
      continue;
    }
    own.push_back(id);
  }
  if (own.empty() && !of_other_libc.empty()) {
    throw Error(ErrorKind::unfit, "no-elf-of-libc",
                "no ELF file is for " + std::string(libc_name(verdict.libc)) +
                    ", as the wheel's platform tag says: " + of_other_libc,
                "rename the wheel with the tag linux_" + verdict.architecture +
                    " if only its tag is wrong");
  }
  return own;
}

void raise_floor(std::map<std::string, Floor>& floors, const char* name, const std::string& version,
                 const deps::Node& node, const FileNeeds& needs, const FileNeeds::Version& need) {
  Floor& floor = floors[name];
  if (!floor.version.empty() && compare_versions(version, floor.version) <= 0) return;
  const std::vector<std::string> symbols = needs.symbols_of(need);
  floor = Floor{version, node.path, symbols.empty() ? std::string() : symbols.front()};
}

int level_of(const Policy& android) {  // 24 of android_24
  return std::stoi(android.name.substr(android.name.find('_') + 1));
}

// The tables list only the API levels at which Android's libraries changed. A level between two of
// them, or above the last, has what the one below it has; it joins the policies under its own name.
// Returns its index; 0 for a level that Python does not support.
std::size_t add_android_level(PolicyList& policies, int level) {
  std::size_t next = 0;  // the first policy that is newer, or "linux"
  while (next + 1 < policies.size() && level_of(*policies[next]) <= level) ++next;
  if (next == 0) return 0;
  if (level_of(*policies[next - 1]) == level) return next - 1;
  Policy added = *policies[next - 1];
  added.name = "android_" + std::to_string(level);
  policies.insert(policies.begin() + static_cast<std::ptrdiff_t>(next),
                  std::make_shared<const Policy>(std::move(added)));
  return next;
}

// The first policy that `passes`; for musl the newest one instead (see Verdict::best), and of a
// wheel for a certain Android that one or none. The last is "linux".
template <class Passes>
std::size_t choose(const Verdict& verdict, bool strictest_or_none, Passes&& passes) {
  const std::size_t linux_index = verdict.policies.size() - 1;
  if (strictest_or_none) {
    return passes(verdict.policies[verdict.strictest]) ? verdict.strictest : linux_index;
  }
  for (std::size_t i = 0; i < linux_index; ++i) {
    const std::size_t index = verdict.libc == deps::Libc::musl ? linux_index - 1 - i : i;
    if (passes(verdict.policies[index])) return index;
  }
  return linux_index;
}

}  // namespace

// Its names on glibc's architectures (sysdeps/**/shlib-versions): ld-linux.so.2, ld-linux-ABI.so.N,
// ld64.so.N (s390x, ppc64), ld.so.1. Only whole names count: libworld-linux.so.2 is no such file.
bool is_dynamic_linker(std::string_view needed) {
  if (needed.starts_with("ld-linux.so.") || needed.starts_with("ld-musl-")) return true;
  if (needed.starts_with("ld-linux-")) return needed.find(".so.") != std::string_view::npos;
  return needed == "ld64.so.1" || needed == "ld64.so.2" || needed == "ld.so.1";
}

bool comes_from_system(const Policy& policy, deps::Libc libc, std::string_view needed) {
  const std::string name(base_name(needed));
  return policy.name == "linux" || is_dynamic_linker(name) ||
         policy.allowed_libraries.contains(name) ||
         (libc == deps::Libc::musl && is_musl_itself(name));
}

std::string Verdict::tag(std::size_t policy) const {
  return platform_tag(libc, policies.at(policy).policy->name, architecture);
}

Verdict evaluate(const deps::Graph& graph, deps::Libc libc, const std::string& architecture,
                 const EvaluateOptions& options) {
  Verdict verdict;
  verdict.libc = libc;
  verdict.architecture = architecture;
  PolicyList policies = policies_for(libc, architecture);
  const bool has_level = libc == deps::Libc::bionic && options.android_level > 0;
  if (has_level) verdict.strictest = add_android_level(policies, options.android_level);

  std::set<std::string> forbidden;
  for (const auto& policy : policies) {
    for (const auto& [library, symbols] : policy->blacklisted_symbols) {
      forbidden.insert(symbols.begin(), symbols.end());
    }
  }
  PolicyJudge judge(graph, libc, options);
  judge.start_from(own_files(graph, verdict, verdict.notes), std::move(forbidden));

  std::size_t fewest_grafts = graph.nodes.size();
  for (const auto& policy : policies) {
    if (policy->name == "linux") {
      // Its system has every library, so that nothing is bundled and nothing is in the way.
      verdict.policies.push_back({policy, true, {}, {}});
      continue;
    }
    verdict.policies.push_back(judge.judge(policy));
    fewest_grafts = std::min(fewest_grafts, verdict.policies.back().grafts.size());
  }

  verdict.best = choose(verdict, has_level, [&](const PolicyVerdict& candidate) {
    return candidate.satisfied && candidate.grafts.size() <= fewest_grafts;
  });
  verdict.own = choose(verdict, has_level, [](const PolicyVerdict& candidate) {
    return std::none_of(candidate.offences.begin(), candidate.offences.end(),
                        [](const Offence& offence) {
                          return offence.in_wheel && offence.kind != Offence::Kind::missing_library;
                        });
  });

  const bool needs_libpython = libc != deps::Libc::bionic && judge.needs_libpython();
  verdict.as_is = choose(verdict, has_level, [&](const PolicyVerdict& candidate) {
    return candidate.satisfied && candidate.grafts.empty() && !needs_libpython;
  });
  verdict.by_versions = choose(verdict, has_level, [](const PolicyVerdict& candidate) {
    return std::none_of(
        candidate.offences.begin(), candidate.offences.end(),
        [](const Offence& offence) { return offence.kind == Offence::Kind::version; });
  });

  std::vector<deps::NodeId> delivered = judge.own();
  const std::vector<deps::NodeId>& grafts = verdict.policies[verdict.best].grafts;
  delivered.insert(delivered.end(), grafts.begin(), grafts.end());
  for (const deps::NodeId id : delivered) {
    const FileNeeds& needs = judge.needs(id);
    for (const FileNeeds::Version& need : needs.versions()) {
      for (const auto& [family, floor] :
           {std::pair{"GLIBC_", "glibc"}, {"GLIBCXX_", "libstdc++"}}) {
        if (!need.name.starts_with(family)) continue;
        const std::string version(need.name.substr(std::string_view(family).size()));
        if (!is_numeric_version(version)) continue;
        raise_floor(verdict.floors, floor, version, graph.nodes[id], needs, need);
      }
    }
  }
  return verdict;
}

}  // namespace truewheel::policy
