// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/host_search.hpp"
#include "deps/notes.hpp"
#include <truewheel/deps.hpp>

#include <map>
#include <unordered_map>
#include <vector>

namespace truewheel::deps {

/// Which nodes of a graph are files of this machine.
struct HostNodes {
  std::unordered_map<const HostFile*, NodeId> by_file;
  std::map<NodeId, std::vector<NodeId>> also_needed_by;  ///< but for Node::reached_from
};

/// One library of this machine may find different ones, depending on what loads it, or on which of
/// its equal copies is loaded. The wheel has one of it, whose needs have one answer each: a warning
/// for each need that is another library by another way.
void warn_of_other_ways(const Graph& graph, const HostNodes& hosts, Libc libc, HostSearch& search,
                        Notes& warnings);

}  // namespace truewheel::deps
