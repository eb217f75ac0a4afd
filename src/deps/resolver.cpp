// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "deps/binding.hpp"
#include "deps/loaders.hpp"
#include "deps/machine.hpp"
#include "deps/notes.hpp"
#include "deps/search_list.hpp"
#include "deps/sibling.hpp"
#include "deps/symbol_versions.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace truewheel::deps {
namespace {

constexpr const char* kPath = "path";  ///< how a NEEDED entry with a slash was found

/// What a search for a host library brought.
struct Found {
  const HostFile* file = nullptr;
  std::string how;
};

class Resolver {
 public:
  Resolver(const std::vector<WheelFile>& files, std::vector<ExcludePattern> patterns,
           const SearchOptions& options)
      : files_(files),
        index_(files),
        libc_(options.libc),
        is_promised_(options.is_promised),
        bindings_(files, options.libc),
        loaders_(files, index_),
        sysroot_(options.sysroot),
        host_files_(sysroot_),
        search_list_(options, sysroot_, host_files_) {
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
    warn_of_other_ways();
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
    const Found found = search(node, needed, &edge.searched, skipped);
    note_skipped(skipped);
    edge.soname_of = note_soname_only(node, needed);
    if (found.file == nullptr) {
      edge.passed_over = std::move(skipped);
      return edge;
    }
    if (const auto pattern = match_exclude(graph_.patterns, needed, found.file->real_path)) {
      return excluded(std::move(edge), *pattern, found.file->real_path);
    }
    if (needed.find('/') != std::string::npos && found.how != kPath) {
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
      return !has_versions(node, edge.needed, files_[sibling].path, *files_[sibling].facts,
                           skipped);
    });
    if (node == from) {
      edge.target = edge.needed.find('/') == std::string::npos
                        ? find_along_run_path(from, edge, siblings)
                        : find_by_path(from, edge, siblings);
    }
    if (!edge.target && is_promised(edge.needed)) {
      std::erase_if(siblings, [&](std::size_t sibling) {
        return !is_bound_today(node, from, edge.needed, sibling);
      });
    }
    if (!edge.target && !siblings.empty()) {
      edge.target = siblings.front();
      edge.how = "sibling";
    }
    if (edge.target && siblings.size() > 1) note_several(from, edge, siblings);
  }

  [[nodiscard]] bool is_promised(const std::string& needed) const {
    return is_promised_ && is_promised_(base_name(needed));
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

  /// False, and said why, for a library that lacks versions that `node` needs of it.
  bool has_versions(NodeId node, const std::string& needed, const std::string& path,
                    const elf::ElfFacts& library, Skipped& skipped) const {
    if (libc_ != Libc::glibc) return true;
    const auto lacking = lacking_versions(*graph_.nodes[node].facts, needed, library);
    if (lacking.empty()) return true;
    skipped.push_back(path + ": it does not define " + join(lacking, ", ") + ", which " +
                      graph_.nodes[node].path + " needs");
    return false;
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
    for (const auto& entry : run_path_entries(run_path->value)) {
      const auto place = place_entry(entry, files_[file].path, *files_[file].facts);
      if (place.kind != EntryPlace::Kind::inside) continue;
      const auto hit =
          index_.at(place.folder.empty() ? edge.needed : place.folder + '/' + edge.needed);
      if (hit && is_among(*hit, siblings)) {
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
    if (!own) return;
    Skipped ignored;
    const Found found = search(node, edge.needed, nullptr, ignored);
    if (found.file == nullptr || !found.file->facts->build_id) return;
    if (found.file->facts->build_id == own) return;
    warnings_.add(graph_.nodes[*edge.target].path + " of the wheel answers " + edge.needed +
                  ", and the build's copy " + found.file->real_path + " has another build-id");
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
    const Found found = search(node, name, nullptr, ignored);
    warnings_.add(
        graph_.nodes[node].path + " names the auditor " + name + " (DT_AUDIT): " +
        (found.file == nullptr ? "it was not found" : found.file->real_path + " is not bundled") +
        ", and the loader complains of it whenever the program starts; put it into the wheel, or " +
        "say with --exclude " + name + " that the user's machine has it");
  }

  // --- this machine ----------------------------------------------------------------------------

  Found search(NodeId node, const std::string& needed, std::vector<std::string>* searched,
               Skipped& skipped) {
    const auto facts = graph_.nodes[node].facts;
    if (needed.find('/') != std::string::npos) {
      for (const auto& path : search_list_.host_paths(needed, *facts, origins_[node])) {
        if (searched != nullptr) searched->push_back(path);
        const HostFile* file = host_files_.open(path, *facts, skipped);
        if (file != nullptr && may_take(node, needed, *file, skipped)) return {file, kPath};
      }
      // The path holds where the file was linked. Elsewhere it says the name at least.
      const std::string name(base_name(needed));
      if (name.empty()) return {};
      return search_by_name(node, name, searched, skipped);
    }
    return search_by_name(node, needed, searched, skipped);
  }

  /// What the platform promises comes from the user's system: that this machine's is an older one
  /// says nothing.
  bool may_take(NodeId node, const std::string& needed, const HostFile& file,
                Skipped& skipped) const {
    return is_promised(needed) || has_versions(node, needed, file.real_path, *file.facts, skipped);
  }

  Found search_by_name(NodeId node, const std::string& needed, std::vector<std::string>* searched,
                       Skipped& skipped) {
    const auto facts = graph_.nodes[node].facts;
    const auto look_into = [&](const std::vector<Place>& places, const std::string& owner) {
      for (const Place& place : places) {
        const auto hit = search_list_.find(place, needed, *facts, skipped);
        if (hit.file != nullptr && may_take(node, needed, *hit.file, skipped)) {
          return Found{hit.file, place.how + owner};
        }
        if (searched != nullptr) note_searched(*searched, place.how + owner);
      }
      return Found{};
    };
    if (const Found found = look_into(search_list_.asked(), ""); found.file) return found;
    for (const NodeId at : way_to(node)) {
      const std::string owner = at == node ? "" : " of " + graph_.nodes[at].path;
      if (const Found found = look_into(run_path_places(at), owner); found.file) return found;
    }
    return look_into(search_list_.system(*facts), "");
  }

  /// The files whose run paths are asked for what `node` needs: itself, those it was reached
  /// through, and the files of the wheel that load the first of these, nearest first.
  std::vector<NodeId> way_to(NodeId node) {
    std::vector<NodeId> way;
    for (std::optional<NodeId> at = node; at; at = graph_.nodes[*at].reached_from) {
      way.push_back(*at);
    }
    // glibc: a DT_RUNPATH of the needing file ends inheritance, and only DT_RPATH is inherited.
    const bool is_glibc = libc_ != Libc::musl;
    if (is_glibc && graph_.nodes[node].facts->runpath) return way;
    for (const std::size_t above : loaders_.above(way.back())) {
      const auto& facts = *files_[above].facts;
      if (!is_glibc || (facts.rpath && !facts.runpath)) way.push_back(above);
    }
    return way;
  }

  /// One library of this machine may find different ones, depending on what loads it, or on which
  /// of its equal copies is loaded. The wheel has one of it, whose needs have one answer each.
  void warn_of_other_ways() {
    std::map<NodeId, const HostFile*> host_nodes;
    for (const auto& [file, node] : node_of_file_) host_nodes.emplace(node, file);
    for (const auto& [node, file] : host_nodes) {
      const auto& facts = *file->facts;
      for (const Edge& edge : graph_.nodes[node].edges) {
        if (edge.answer != Answer::host || edge.needed.find('/') != std::string::npos) continue;
        for (const auto& folder : file->other_folders) {
          const auto places = search_list_.run_path(facts, HostOrigins{{folder}});
          warn_of_another(node, edge, places, "from " + folder);
        }
        const bool inherits = libc_ == Libc::musl || !facts.runpath;
        const auto others = other_ways_.find(node);
        if (!inherits || others == other_ways_.end() || found_by_itself(node, edge)) continue;
        for (const NodeId other : others->second) {
          for (const NodeId at : way_to(other)) {
            const auto& lender = *graph_.nodes[at].facts;
            if (libc_ != Libc::musl && (!lender.rpath || lender.runpath)) continue;
            if (warn_of_another(node, edge, run_path_places(at),
                                "through " + graph_.nodes[other].path)) {
              break;
            }
          }
        }
      }
    }
  }

  /// True if one of the places answers the edge; a warning if it does so by another library.
  bool warn_of_another(NodeId node, const Edge& edge, const std::vector<Place>& places,
                       const std::string& loaded) {
    Skipped ignored;
    for (const Place& place : places) {
      const auto* file =
          search_list_.find(place, edge.needed, *graph_.nodes[node].facts, ignored).file;
      if (file == nullptr) continue;
      const auto known = node_of_file_.find(file);
      if (known == node_of_file_.end() || known->second != *edge.target) {
        warnings_.add(graph_.nodes[node].path + " needs " + edge.needed + ": " +
                      graph_.nodes[*edge.target].path + " is taken (" + edge.how +
                      "), but loaded " + loaded + " it finds " + file->real_path +
                      "; bundled, one serves all");
      }
      return true;
    }
    return false;
  }

  /// By --search, or its own run path: whatever loads the file.
  bool found_by_itself(NodeId node, const Edge& edge) {
    Skipped ignored;
    const auto has_it = [&](const Place& place) {
      return search_list_.find(place, edge.needed, *graph_.nodes[node].facts, ignored).file;
    };
    const auto& asked = search_list_.asked();
    const auto& own = run_path_places(node);
    return std::any_of(asked.begin(), asked.end(), has_it) ||
           std::any_of(own.begin(), own.end(), has_it);
  }

  /// An entry that means several folders ($LIB, a sysroot) is named once.
  static void note_searched(std::vector<std::string>& searched, std::string how) {
    if (searched.empty() || searched.back() != how) searched.push_back(std::move(how));
  }

  const std::vector<Place>& run_path_places(NodeId node) {
    auto& known = run_paths_[node];
    if (!known) known = search_list_.run_path(*graph_.nodes[node].facts, origins_[node]);
    return *known;
  }

  NodeId node_of(const HostFile& file, NodeId needing, const std::string& needed) {
    const auto [place, is_new] = node_of_file_.try_emplace(&file, graph_.nodes.size());
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
      other_ways_[place->second].push_back(needing);
    }
    auto& names = graph_.nodes[place->second].known_as;
    const auto position = std::lower_bound(names.begin(), names.end(), needed);
    if (position == names.end() || *position != needed) names.insert(position, needed);
    return place->second;
  }

  void add_node(Node node, HostOrigins origins) {
    graph_.nodes.push_back(std::move(node));
    origins_.push_back(std::move(origins));
    run_paths_.emplace_back();
  }

  const std::vector<WheelFile>& files_;
  LayoutIndex index_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_soname_;
  Libc libc_;
  std::function<bool(std::string_view)> is_promised_;
  Bindings bindings_;
  Loaders loaders_;
  Sysroot sysroot_;
  HostFiles host_files_;
  SearchList search_list_;
  Notes notes_;
  Notes warnings_;
  Graph graph_;
  // By node: where it lies on this machine, and the folders of its run path once asked for.
  std::vector<HostOrigins> origins_;
  std::vector<std::optional<std::vector<Place>>> run_paths_;
  std::unordered_map<const HostFile*, NodeId> node_of_file_;
  std::map<NodeId, std::vector<NodeId>> other_ways_;  ///< what else needs a file of this machine
};

}  // namespace

Graph resolve(const std::vector<WheelFile>& files, std::vector<ExcludePattern> patterns,
              const SearchOptions& options) {
  return Resolver(files, std::move(patterns), options).run();
}

}  // namespace truewheel::deps
