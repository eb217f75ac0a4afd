// SPDX-License-Identifier: Apache-2.0
#include "deps/other_ways.hpp"

#include <algorithm>
#include <string>

namespace truewheel::deps {
namespace {

class OtherWays {
 public:
  OtherWays(const Graph& graph, const HostNodes& hosts, Libc libc, HostSearch& search,
            Notes& warnings)
      : graph_(graph),
        hosts_(hosts),
        is_musl_(libc == Libc::musl),
        search_(search),
        warnings_(warnings) {}

  void look_at(NodeId node, const HostFile& file) {
    for (const Edge& edge : graph_.nodes[node].edges) {
      if (edge.answer != Answer::host || edge.needed.find('/') != std::string::npos) continue;
      for (const auto& folder : file.other_folders) {
        const auto places = search_.list().run_path(*file.facts, HostOrigins{{folder}});
        answers(node, edge, places, "from " + folder);
      }
      look_through_others(node, edge);
    }
  }

 private:
  /// Along what the other files that need the node hand down.
  void look_through_others(NodeId node, const Edge& edge) {
    const bool inherits = is_musl_ || !graph_.nodes[node].facts->runpath;
    const auto others = hosts_.also_needed_by.find(node);
    if (!inherits || others == hosts_.also_needed_by.end() || is_found_by_itself(node, edge))
      return;
    for (const NodeId other : others->second) {
      const std::string loaded = "through " + graph_.nodes[other].path;
      for (const NodeId at : search_.way_to(other)) {
        const auto& lender = *graph_.nodes[at].facts;
        if (!is_musl_ && (!lender.rpath || lender.runpath)) continue;
        if (answers(node, edge, search_.run_path_places(at), loaded)) break;
      }
    }
  }

  /// True if one of the places answers the edge; a warning if it does so by another library.
  bool answers(NodeId node, const Edge& edge, const std::vector<Place>& places,
               const std::string& loaded) {
    for (const Place& place : places) {
      const auto* file = find(place, node, edge);
      if (file == nullptr) continue;
      const auto known = hosts_.by_file.find(file);
      if (known == hosts_.by_file.end() || known->second != *edge.target) {
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
  bool is_found_by_itself(NodeId node, const Edge& edge) {
    const auto has_it = [&](const Place& place) { return find(place, node, edge) != nullptr; };
    const auto& asked = search_.list().asked();
    const auto& own = search_.run_path_places(node);
    return std::any_of(asked.begin(), asked.end(), has_it) ||
           std::any_of(own.begin(), own.end(), has_it);
  }

  const HostFile* find(const Place& place, NodeId node, const Edge& edge) {
    Skipped ignored;
    return search_.list().find(place, edge.needed, *graph_.nodes[node].facts, ignored).file;
  }

  const Graph& graph_;
  const HostNodes& hosts_;
  bool is_musl_;
  HostSearch& search_;
  Notes& warnings_;
};

}  // namespace

void warn_of_other_ways(const Graph& graph, const HostNodes& hosts, Libc libc, HostSearch& search,
                        Notes& warnings) {
  OtherWays ways(graph, hosts, libc, search, warnings);
  std::map<NodeId, const HostFile*> in_order;
  for (const auto& [file, node] : hosts.by_file) in_order.emplace(node, file);
  for (const auto& [node, file] : in_order) ways.look_at(node, *file);
}

}  // namespace truewheel::deps
