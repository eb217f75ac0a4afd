// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/loaders.hpp"
#include "deps/search_list.hpp"
#include "deps/sibling.hpp"
#include <truewheel/deps.hpp>

#include <optional>
#include <string>
#include <vector>

namespace truewheel::deps {

/// True for a library that the platform has, by the file name of a NEEDED entry.
[[nodiscard]] bool is_promised(const SearchOptions& options, const std::string& needed);

/// The search for libraries of this machine, for the files of a graph that grows while it goes on.
class HostSearch {
 public:
  struct Found {
    const HostFile* file = nullptr;
    std::string how;
  };

  /// What `how` is of a NEEDED entry with a slash that names a file.
  static constexpr const char* kPath = "path";

  HostSearch(const std::vector<WheelFile>& files, const LayoutIndex& index, const Graph& graph,
             const SearchOptions& options);

  /// To be called once for each node of the graph, in their order: where it lies on this machine.
  void add_origins(HostOrigins origins);

  /// What is built into `node` under that name. `searched`, unless null, gets the places without
  /// it.
  [[nodiscard]] Found find(NodeId node, const std::string& needed,
                           std::vector<std::string>* searched, Skipped& skipped);

  /// The files whose run paths are asked for what `node` needs: itself, those it was reached
  /// through, and the files of the wheel that load the first of these, nearest first.
  [[nodiscard]] std::vector<NodeId> way_to(NodeId node);

  /// The run path of a node as folders of this machine.
  [[nodiscard]] const std::vector<Place>& run_path_places(NodeId node);

  /// All other places.
  [[nodiscard]] SearchList& list() { return list_; }

 private:
  Found find_by_name(NodeId node, const std::string& needed, std::vector<std::string>* searched,
                     Skipped& skipped);
  [[nodiscard]] bool may_take(NodeId node, const std::string& needed, const HostFile& file,
                              Skipped& skipped) const;

  const std::vector<WheelFile>& files_;
  const Graph& graph_;
  const SearchOptions& options_;
  Loaders loaders_;
  Sysroot sysroot_;
  HostFiles host_files_;
  SearchList list_;
  // By node: where it lies on this machine, and the folders of its run path once asked for.
  std::vector<HostOrigins> origins_;
  std::vector<std::optional<std::vector<Place>>> run_paths_;
};

}  // namespace truewheel::deps
