// SPDX-License-Identifier: Apache-2.0
#include "check/subject.hpp"
#include "deps/exclude_option.hpp"
#include "deps/sibling.hpp"

#include <utility>

namespace truewheel::check {
namespace {

/// The patterns that say what the user's machine has.
std::vector<deps::ExcludePattern> patterns_of(const Options& options) {
  std::vector<deps::ExcludePattern> patterns;
  const auto add = [&](std::string glob, std::string origin, bool is_driver) {
    deps::ExcludePattern pattern;
    pattern.glob = std::move(glob);
    pattern.origin = std::move(origin);
    pattern.is_driver = is_driver;
    patterns.push_back(std::move(pattern));
  };
  for (const auto& glob : options.excludes) patterns.push_back(deps::exclude_option(glob));
  for (const auto& glob : options.provides) add(glob, "--provide", false);
  for (const auto& name : options.profiles) {
    const auto& profile = policy::find_profile(name);
    for (const auto& glob : profile.globs) {
      add(glob, "profile " + profile.name, profile.is_driver);
    }
  }
  return patterns;
}

}  // namespace

deps::Graph closed_graph(const Subject& subject, const Options& options) {
  deps::Graph graph;
  graph.patterns = patterns_of(options);
  const deps::LayoutIndex index(subject.layout);
  for (std::size_t i = 0; i < subject.layout.size(); ++i) {
    deps::Node node;
    node.path = subject.layout[i].path;
    node.in_wheel = true;
    node.facts = subject.layout[i].facts;
    for (const auto& dependency : deps::dependencies(*node.facts, subject.libc)) {
      const auto& needed = dependency.name;
      deps::Edge edge;
      edge.needed = needed;
      edge.tag = dependency.tag;
      const auto siblings = index.siblings(i, needed);
      if (!siblings.empty()) edge.target = siblings.front();
      edge.pattern = deps::match_exclude(graph.patterns, needed, "");
      edge.answer = deps::is_libpython(needed) ? deps::Answer::libpython
                    : edge.target              ? deps::Answer::sibling
                    : edge.pattern             ? deps::Answer::excluded
                                               : deps::Answer::missing;
      if (edge.answer == deps::Answer::sibling) edge.pattern.reset();
      // The loader goes on without it.
      if (edge.answer == deps::Answer::missing && edge.tag == deps::Tag::auxiliary) continue;
      node.edges.push_back(std::move(edge));
    }
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace truewheel::check
