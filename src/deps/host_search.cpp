// SPDX-License-Identifier: Apache-2.0
#include "deps/host_search.hpp"

#include "base/text.hpp"
#include "deps/symbol_versions.hpp"

#include <utility>

namespace truewheel::deps {
namespace {

/// An entry that means several folders ($LIB, a sysroot) is named once.
void note_searched(std::vector<std::string>& searched, std::string how) {
  if (searched.empty() || searched.back() != how) searched.push_back(std::move(how));
}

}  // namespace

bool is_promised(const SearchOptions& options, const std::string& needed) {
  return options.is_promised && options.is_promised(base_name(needed));
}

HostSearch::HostSearch(const std::vector<WheelFile>& files, const LayoutIndex& index,
                       const Graph& graph, const SearchOptions& options)
    : files_(files),
      graph_(graph),
      options_(options),
      loaders_(files, index),
      sysroot_(options.sysroot),
      host_files_(sysroot_),
      list_(options, sysroot_, host_files_) {}

void HostSearch::add_origins(HostOrigins origins) {
  origins_.push_back(std::move(origins));
  run_paths_.emplace_back();
}

HostSearch::Found HostSearch::find(NodeId node, const std::string& needed,
                                   std::vector<std::string>* searched, Skipped& skipped) {
  const auto facts = graph_.nodes[node].facts;
  if (needed.find('/') == std::string::npos) return find_by_name(node, needed, searched, skipped);
  for (const auto& path : list_.host_paths(needed, *facts, origins_[node])) {
    if (searched != nullptr) searched->push_back(path);
    const HostFile* file = host_files_.open(path, *facts, skipped);
    if (file != nullptr && may_take(node, needed, *file, skipped)) return {file, kPath};
  }
  // The path holds where the file was linked. Elsewhere it says the name at least.
  const std::string name(base_name(needed));
  if (name.empty()) return {};
  return find_by_name(node, name, searched, skipped);
}

/// What the platform promises comes from the user's system: that this machine's is an older one
/// says nothing.
bool HostSearch::may_take(NodeId node, const std::string& needed, const HostFile& file,
                          Skipped& skipped) const {
  return is_promised(options_, needed) || has_versions(graph_.nodes[node], needed, file.real_path,
                                                       *file.facts, options_.libc, skipped);
}

HostSearch::Found HostSearch::find_by_name(NodeId node, const std::string& needed,
                                           std::vector<std::string>* searched, Skipped& skipped) {
  const auto facts = graph_.nodes[node].facts;
  const auto look_into = [&](const std::vector<Place>& places, const std::string& owner) {
    for (const Place& place : places) {
      const auto hit = list_.find(place, needed, *facts, skipped);
      if (hit.file != nullptr && may_take(node, needed, *hit.file, skipped)) {
        return Found{hit.file, place.how + owner};
      }
      if (searched != nullptr) note_searched(*searched, place.how + owner);
    }
    return Found{};
  };
  if (const Found found = look_into(list_.asked(), ""); found.file) return found;
  for (const NodeId at : way_to(node)) {
    const std::string owner = at == node ? "" : " of " + graph_.nodes[at].path;
    if (const Found found = look_into(run_path_places(at), owner); found.file) return found;
  }
  return look_into(list_.system(*facts), "");
}

std::vector<NodeId> HostSearch::way_to(NodeId node) {
  std::vector<NodeId> way;
  for (std::optional<NodeId> at = node; at; at = graph_.nodes[*at].reached_from) {
    way.push_back(*at);
  }
  // glibc: a DT_RUNPATH of the needing file ends inheritance, and only DT_RPATH is inherited.
  const bool is_glibc = options_.libc != Libc::musl;
  if (is_glibc && graph_.nodes[node].facts->runpath) return way;
  for (const std::size_t above : loaders_.above(way.back())) {
    const auto& facts = *files_[above].facts;
    if (!is_glibc || (facts.rpath && !facts.runpath)) way.push_back(above);
  }
  return way;
}

const std::vector<Place>& HostSearch::run_path_places(NodeId node) {
  auto& known = run_paths_[node];
  if (!known) known = list_.run_path(*graph_.nodes[node].facts, origins_[node]);
  return *known;
}

}  // namespace truewheel::deps
