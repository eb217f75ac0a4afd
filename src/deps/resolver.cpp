// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "deps/binding.hpp"
#include "deps/build_copy.hpp"
#include "deps/host_search.hpp"
#include "deps/machine.hpp"
#include "deps/notes.hpp"
#include "deps/other_ways.hpp"
#include "deps/sibling.hpp"
#include "deps/symbol_versions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace truewheel::deps {
namespace {

constexpr const char* kSibling = "sibling";

class Resolver {
 public:
  Resolver(const std::vector<WheelFile>& files, std::vector<ExcludePattern> patterns,
           const SearchOptions& options)
      : files_(files),
        options_(options),
        libc_(options.libc),
        index_(files),
        bindings_(files, options.libc),
        host_(files, index_, graph_, options) {
    graph_.patterns = std::move(patterns);
  }

  Graph run() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].facts->soname) by_soname_[*files_[i].facts->soname].push_back(i);
    }
    for (const auto& file : files_) {
      Node node;
      node.path = file.path;
      node.in_wheel = true;
      node.facts = file.facts;
      add_node(std::move(node), {});
    }
    // Host files are appended while they are found: breadth-first, so that the first way to each is
    // a shortest one.
    for (NodeId node = 0; node < graph_.nodes.size(); ++node) {
      const auto facts = graph_.nodes[node].facts;
      for (const auto& dependency : dependencies(*facts, libc_)) {
        Edge edge = answer(node, dependency.name);
        edge.tag = dependency.tag;
        if (edge.answer != Answer::missing) edge.searched.clear();
        if (edge.answer == Answer::missing && edge.tag == Tag::auxiliary) {
          notes_.add(graph_.nodes[node].path + " names " + edge.needed +
                     " in DT_AUXILIARY, which is nowhere: the loader goes on without it");
          continue;
        }
        graph_.nodes[node].edges.push_back(std::move(edge));
      }
      for (const auto& name : auditors_that_load(*facts, libc_)) check_auditor(node, name);
      // A pattern that speaks of a library which is opened by name is not dead.
      for (const auto& note : facts->dlopen_notes) {
        for (const auto& name : note.sonames) match_exclude(graph_.patterns, name, "");
      }
    }
    warn_of_other_ways(graph_, host_nodes_, libc_, host_, warnings_);
    graph_.notes = notes_.take();
    graph_.warnings = warnings_.take();
    return std::move(graph_);
  }

 private:
  Edge answer(NodeId node, const std::string& needed) {
    Edge edge;
    edge.needed = needed;
    Skipped skipped;
    find_in_wheel(node, edge, skipped);
    if (is_libpython(needed)) {
      edge.answer = Answer::libpython;
      edge.how = "libpython";
      edge.pattern = match_exclude(graph_.patterns, needed, "");
      return edge;
    }
    if (edge.target) {
      edge.answer = Answer::sibling;
      note_skipped(skipped);
      match_exclude(graph_.patterns, needed,
                    "");  // the wheel's own copy wins, but the pattern is not dead
      compare_with_build_copy(node, edge);
      return edge;
    }
    if (const auto pattern = match_exclude(graph_.patterns, needed, "")) {
      return excluded(std::move(edge), *pattern, "");
    }
    const HostSearch::Found found = host_.find(node, needed, &edge.searched, skipped);
    note_skipped(skipped);
    edge.soname_of = note_soname_only(node, needed);
    if (found.file == nullptr) {
      edge.passed_over = std::move(skipped);
      return edge;
    }
    if (const auto pattern = match_exclude(graph_.patterns, needed, found.file->real_path)) {
      return excluded(std::move(edge), *pattern, found.file->real_path);
    }
    if (needed.find('/') != std::string::npos && found.how != HostSearch::kPath) {
      warnings_.add(graph_.nodes[node].path + " needs " + needed + ", which is not there: " +
                    found.file->real_path + " has its file name and is taken (" + found.how + ")");
    }
    edge.answer = Answer::host;
    edge.how = found.how;
    edge.target = node_of(*found.file, node, needed);
    return edge;
  }

  void note_skipped(const Skipped& skipped) {
    for (const auto& reason : skipped) notes_.add("skipped " + reason);
  }

  Edge excluded(Edge edge, std::size_t pattern, const std::string& real_path) const {
    const ExcludePattern& matched = graph_.patterns[pattern];
    edge.answer = Answer::excluded;
    edge.pattern = pattern;
    edge.how = matched.origin + " " + matched.glob;
    if (!real_path.empty()) edge.how += " (" + real_path + ")";
    return edge;
  }

  // --- the wheel itself ------------------------------------------------------------------------

  /// Along the file's own effective run path, then as a sibling (find_sibling). Sets target and
  /// how.
  void find_in_wheel(NodeId node, Edge& edge, Skipped& skipped) {
    const std::size_t from = wheel_file_above(node);
    auto siblings = index_.siblings(
        from, edge.needed,
        node == from ? LayoutIndex::Asking::itself : LayoutIndex::Asking::from_outside);
    std::erase_if(siblings, [&](std::size_t sibling) {
      return !has_versions(graph_.nodes[node], edge.needed, files_[sibling].path,
                           *files_[sibling].facts, libc_, skipped);
    });
    if (node == from) {
      edge.target = edge.needed.find('/') == std::string::npos
                        ? find_along_run_path(from, edge, siblings)
                        : find_by_path(from, edge, siblings);
    }
    if (!edge.target && is_promised(options_, edge.needed)) {
      std::erase_if(siblings, [&](std::size_t sibling) {
        return !is_bound_today(node, from, edge.needed, sibling);
      });
    }
    if (!edge.target && !siblings.empty()) {
      const HostFile* build = build_copy(node, edge.needed);
      std::erase_if(siblings, [&](std::size_t sibling) {
        return !may_be_meant(node, edge.needed, sibling, build, skipped);
      });
      edge.target = choose_sibling(from, siblings, build);
      edge.how = kSibling;
    }
    if (edge.target && siblings.size() > 1) note_several(from, edge, siblings);
  }

  /// A file that only has the name of one of the platform's libraries (a test's data) must not
  /// take its place. One that the loader comes to already is the wheel's own choice, such as a
  /// newer libstdc++. A library of this machine is asked as one of the wheel, and a path as the
  /// name that it becomes.
  bool is_bound_today(NodeId node, std::size_t from, const std::string& needed,
                      std::size_t sibling) {
    const std::string name(base_name(needed));
    const bool is_itself = node == from;
    if (is_itself ? bindings_.has(from, name, sibling) : bindings_.has(name, sibling)) return true;
    const bool is_inherited =
        libc_ == Libc::musl || (libc_ == Libc::glibc && !files_[from].facts->runpath);
    if (is_itself ? name == needed : !is_inherited) return false;
    Edge found;
    found.needed = name;
    return find_along_run_path(from, found, {sibling}).has_value();
  }

  /// What the search of this machine finds; nullptr if nothing.
  [[nodiscard]] const HostFile* build_copy(NodeId node, const std::string& needed) {
    Skipped ignored;
    return host_.find(node, needed, nullptr, ignored).file;
  }

  /// A plugin, or a test's file, may have the name of the library that the build found. It is none
  /// of its copies if it lacks what `node` takes from that.
  bool may_be_meant(NodeId node, const std::string& needed, std::size_t sibling,
                    const HostFile* build, Skipped& skipped) {
    if (build == nullptr || build->facts == graph_.nodes[node].facts) return true;
    // A dynamic section may name a library any number of times.
    const auto [known, is_new] = why_not_meant_.try_emplace({node, needed, sibling});
    if (is_new) known->second = why_not_meant(node, needed, sibling, *build);
    if (known->second.empty()) return true;
    skipped.push_back(known->second);
    return false;
  }

  std::string why_not_meant(NodeId node, const std::string& needed, std::size_t sibling,
                            const HostFile& build) {
    const auto& facts = *graph_.nodes[node].facts;
    const auto symbols = symbols_of_build_alone(
        facts, base_name(needed), *files_[sibling].facts, *build.facts, [&](std::uint32_t hash) {
          const Definers& definers = definers_for(node);
          const auto count = definers.by_hash.find(hash);
          const std::size_t own = definers.names.contains(needed) ? 1 : 0;
          return count != definers.by_hash.end() && count->second > own;
        });
    if (symbols.empty()) return {};
    const auto more =
        symbols.size() == 1 ? "" : " and " + std::to_string(symbols.size() - 1) + " more";
    return files_[sibling].path + ": it does not define " + symbols.front() + more + ", which " +
           graph_.nodes[node].path + " takes from " + build.real_path;
  }

  /// How many of the libraries that a file names define a symbol, by its export hash.
  struct Definers {
    std::optional<NodeId> node;
    std::set<std::string> names;
    std::unordered_map<std::uint32_t, std::size_t> by_hash;
  };

  const Definers& definers_for(NodeId node) {
    if (definers_.node == node) return definers_;
    definers_ = {node, {}, {}};
    const auto facts = graph_.nodes[node].facts;
    const std::size_t from = wheel_file_above(node);
    for (const auto& library : dependencies(*facts, libc_)) {
      if (!definers_.names.insert(library.name).second) continue;
      std::unordered_set<std::uint32_t> defined;
      const auto add = [&](const elf::ElfFacts& of) {
        if (of.export_hashes) defined.insert(of.export_hashes->begin(), of.export_hashes->end());
      };
      for (const std::size_t file : index_.siblings(from, library.name)) add(*files_[file].facts);
      if (const HostFile* build = build_copy(node, library.name)) add(*build->facts);
      for (const auto hash : defined) ++definers_.by_hash[hash];
    }
    return definers_;
  }

  [[nodiscard]] bool is_build_copy(std::size_t file, const HostFile& build) {
    const auto [known, is_new] = build_copies_.try_emplace({file, &build}, false);
    if (is_new) known->second = is_same_library(files_[file], build);
    return known->second;
  }

  /// The nearest one; of several as near as each other the one that the build found.
  [[nodiscard]] std::optional<std::size_t> choose_sibling(std::size_t from,
                                                          const std::vector<std::size_t>& siblings,
                                                          const HostFile* build) {
    if (siblings.empty()) return std::nullopt;
    if (build == nullptr || siblings.size() == 1) return siblings.front();
    const auto found = std::find_if(siblings.begin(), siblings.end(), [&](std::size_t sibling) {
      return index_.is_as_near(from, sibling, siblings.front()) && is_build_copy(sibling, *build);
    });
    return found == siblings.end() ? siblings.front() : *found;
  }

  /// "$ORIGIN/sub/liba.so" names one file of the wheel, whatever else has its base name.
  std::optional<std::size_t> find_by_path(std::size_t file, Edge& edge,
                                          const std::vector<std::size_t>& siblings) {
    const auto place = place_entry(edge.needed, files_[file].path, *files_[file].facts);
    if (place.kind != EntryPlace::Kind::inside) return std::nullopt;
    const auto hit = index_.at(place.folder);
    if (!hit || !is_among(*hit, siblings)) return std::nullopt;
    edge.how = "path";
    return hit;
  }

  /// What may be found is what may be a sibling: the wheel's machine, a library, not the file
  /// itself.
  static bool is_among(std::size_t hit, const std::vector<std::size_t>& siblings) {
    return std::find(siblings.begin(), siblings.end(), hit) != siblings.end();
  }

  std::optional<std::size_t> find_along_run_path(std::size_t file, Edge& edge,
                                                 const std::vector<std::size_t>& siblings) {
    const auto run_path = graph_.nodes[file].facts->run_path();
    if (!run_path) return std::nullopt;
    const std::string kind = run_path->kind == elf::RunPathKind::runpath ? "RUNPATH " : "RPATH ";
    bool is_behind_others = false;
    for (const auto& entry : run_path_entries(run_path->value)) {
      const auto place = place_entry(entry, files_[file].path, *files_[file].facts);
      if (place.kind != EntryPlace::Kind::inside) {
        is_behind_others = true;
        continue;
      }
      const auto hit =
          index_.at(place.folder.empty() ? edge.needed : place.folder + '/' + edge.needed);
      Skipped ignored;  // a sibling by name will say it
      if (hit && is_among(*hit, siblings) &&
          (!is_behind_others ||
           may_be_meant(file, edge.needed, *hit, build_copy(file, edge.needed), ignored))) {
        edge.how = kind + entry;
        return hit;
      }
      edge.searched.push_back(kind + entry + " (in the wheel)");
    }
    return std::nullopt;
  }

  /// The file of the wheel that `node` was reached from, itself included.
  [[nodiscard]] std::size_t wheel_file_above(NodeId node) const {
    while (graph_.nodes[node].reached_from) node = *graph_.nodes[node].reached_from;
    return node;
  }

  void note_several(std::size_t from, const Edge& edge, const std::vector<std::size_t>& siblings) {
    const WheelFile& taken = files_[*edge.target];
    for (const std::size_t other : siblings) {
      if (files_[other].facts->build_id == taken.facts->build_id) continue;
      warnings_.add(files_[from].path + " needs " + edge.needed + ": " + taken.path +
                    " is taken, " + files_[other].path + " has another build-id");
    }
  }

  void compare_with_build_copy(NodeId node, const Edge& edge) {
    const auto& own = graph_.nodes[*edge.target].facts->build_id;
    const bool is_by_name = edge.how == kSibling;
    if (!own && !is_by_name) return;
    const HostFile* build = build_copy(node, edge.needed);
    if (build == nullptr) return;
    const bool has_ids = own && build->facts->build_id;
    if (!has_ids && !is_by_name) return;
    if (is_build_copy(*edge.target, *build)) return;
    warnings_.add(graph_.nodes[*edge.target].path + " of the wheel answers " + edge.needed +
                  ", and the build's copy " + build->real_path +
                  (has_ids ? " has another build-id"
                           : " has other bytes; no build-ids say whether it is the same library"));
  }

  /// A file with that SONAME under another file name is none that a loader finds by
  /// itself.
  std::vector<std::string> note_soname_only(NodeId node, const std::string& needed) {
    std::vector<std::string> paths;
    const auto found = by_soname_.find(needed);
    if (found == by_soname_.end()) return paths;
    for (const std::size_t i : found->second) {
      const WheelFile& file = files_[i];
      if (base_name(file.path) == base_name(needed)) continue;
      if (!same_machine(*file.facts, *graph_.nodes[node].facts)) continue;
      warnings_.add(graph_.nodes[node].path + " needs " + needed + ": " + file.path +
                    " has that SONAME but another file name, so that no search finds it");
      paths.push_back(file.path);
    }
    return paths;
  }

  /// An auditor watches a program and is none of its libraries: without it the program runs, after
  /// a message of the loader's (rtld.c, load_audit_module). None is bundled, which is said.
  void check_auditor(NodeId node, const std::string& name) {
    if (match_exclude(graph_.patterns, name, "")) return;
    Edge edge;
    edge.needed = name;
    Skipped ignored;
    find_in_wheel(node, edge, ignored);
    if (edge.target) return;
    const HostSearch::Found found = host_.find(node, name, nullptr, ignored);
    warnings_.add(
        graph_.nodes[node].path + " names the auditor " + name + " (DT_AUDIT): " +
        (found.file == nullptr ? "it was not found" : found.file->real_path + " is not bundled") +
        ", and the loader complains of it whenever the program starts; put it into the wheel, or " +
        "say with --exclude " + name + " that the user's machine has it");
  }

  NodeId node_of(const HostFile& file, NodeId needing, const std::string& needed) {
    const auto [place, is_new] = host_nodes_.by_file.try_emplace(&file, graph_.nodes.size());
    if (is_new) {
      Node node;
      node.path = file.real_path;
      node.stamp = file.stamp;
      node.facts = file.facts;
      node.reached_from = needing;
      HostOrigins origins{{file.found_folder}};
      const std::string real_folder(folder_name(file.real_path));
      if (real_folder != file.found_folder) origins.folders.push_back(real_folder);
      add_node(std::move(node), std::move(origins));
    } else if (graph_.nodes[place->second].reached_from != needing) {
      host_nodes_.also_needed_by[place->second].push_back(needing);
    }
    auto& names = graph_.nodes[place->second].known_as;
    const auto position = std::lower_bound(names.begin(), names.end(), needed);
    if (position == names.end() || *position != needed) names.insert(position, needed);
    return place->second;
  }

  void add_node(Node node, HostOrigins origins) {
    graph_.nodes.push_back(std::move(node));
    host_.add_origins(std::move(origins));
  }

  // --- what the questions go by ----------------------------------------------------------------

  const std::vector<WheelFile>& files_;
  const SearchOptions& options_;
  Libc libc_;
  LayoutIndex index_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_soname_;
  Bindings bindings_;
  Graph graph_;
  HostSearch host_;
  HostNodes host_nodes_;
  // What was asked before: the reason by file, name and sibling, empty for none; the last file's
  // libraries; whether a sibling is a library of this machine.
  std::map<std::tuple<NodeId, std::string, std::size_t>, std::string> why_not_meant_;
  Definers definers_;
  std::map<std::pair<std::size_t, const HostFile*>, bool> build_copies_;
  Notes notes_;
  Notes warnings_;
};

}  // namespace

Graph resolve(const std::vector<WheelFile>& files, std::vector<ExcludePattern> patterns,
              const SearchOptions& options) {
  return Resolver(files, std::move(patterns), options).run();
}

}  // namespace truewheel::deps
