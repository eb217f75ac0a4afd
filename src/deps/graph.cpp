// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "base/mapped_file.hpp"
#include <truewheel/deps.hpp>

#include <algorithm>

namespace truewheel::deps {
namespace {

/// The name under which `needing` asked for `target`.
std::string needed_name(const Node& needing, NodeId target, const std::string& otherwise) {
  const auto edge = std::find_if(needing.edges.begin(), needing.edges.end(),
                                 [target](const Edge& each) { return each.target == target; });
  return edge == needing.edges.end() ? otherwise : edge->needed;
}

}  // namespace

std::string Graph::chain_to(NodeId node) const {
  // resolve() goes breadth-first from all files of the wheel at once, so that the first way in is a
  // shortest one.
  std::string chain;
  for (auto from = nodes[node].reached_from; from; from = nodes[node].reached_from) {
    chain = " (needs) " + needed_name(nodes[*from], node, nodes[node].path) + chain;
    node = *from;
  }
  return nodes[node].path + chain;
}

const std::string& host_digest(Node& node) {
  if (node.host_sha256.empty()) {
    node.host_sha256 = hex(sha256(MappedFile(node.path).bytes()));
  }
  return node.host_sha256;
}

}  // namespace truewheel::deps
