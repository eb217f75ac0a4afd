// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>
#include <truewheel/policy.hpp>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace truewheel::testing {

/// One file of a hand-made graph; an x86-64 shared object unless said otherwise.
class FileBuilder {
 public:
  explicit FileBuilder(std::string path) : path_(std::move(path)) {
    facts_.kind = elf::FileKind::shared_object;
    facts_.bits = 64;
    facts_.type = 3;
    facts_.machine = 62;
  }

  /// A version needed from `library`, by `symbols`.
  FileBuilder& needs_version(const std::string& library, const std::string& version,
                             const std::vector<std::string>& symbols = {}, bool weak = false) {
    auto* need = &facts_.version_needs.emplace_back();
    need->file = library;
    need->versions.push_back({version, weak});
    for (const std::string& symbol : symbols) imports(symbol, weak, version, library);
    return *this;
  }
  FileBuilder& imports(const std::string& symbol, bool weak = false,
                       const std::string& version = {}, const std::string& library = {}) {
    facts_.imports.push_back({symbol, version, library, weak});
    return *this;
  }
  FileBuilder& needs(const std::string& library) {
    facts_.needed.push_back(library);
    deps::Edge edge;
    edge.needed = library;
    edges_.push_back({edge, {}});
    return *this;
  }
  /// A library that a host file, or another file of the wheel, of this path answers.
  FileBuilder& needs(const std::string& library, deps::Answer answer,
                     const std::string& path = {}) {
    needs(library);
    edges_.back().first.answer = answer;
    edges_.back().second = path;
    return *this;
  }
  FileBuilder& facts(const std::function<void(elf::ElfFacts&)>& change) {
    change(facts_);
    return *this;
  }

  std::string path_;
  elf::ElfFacts facts_;
  std::vector<std::pair<deps::Edge, std::string>> edges_;
};

/// The graph of these files; a host path that is not among `host` becomes a file that needs
/// nothing.
inline deps::Graph make_graph(const std::vector<FileBuilder>& wheel,
                              const std::vector<FileBuilder>& host = {}) {
  std::map<std::string, deps::NodeId> ids;
  for (const FileBuilder& file : wheel) ids.emplace(file.path_, ids.size());
  for (const FileBuilder& file : host) ids.emplace(file.path_, ids.size());
  std::vector<FileBuilder> files = wheel;
  files.insert(files.end(), host.begin(), host.end());
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < files[i].edges_.size(); ++j) {
      const std::string path = files[i].edges_[j].second;
      if (!path.empty() && ids.emplace(path, ids.size()).second) files.emplace_back(path);
    }
  }
  deps::Graph graph;
  for (const FileBuilder& file : files) {
    deps::Node& node = graph.nodes.emplace_back();
    node.path = file.path_;
    node.in_wheel = graph.nodes.size() <= wheel.size();
    node.facts = std::make_shared<const elf::ElfFacts>(file.facts_);
    for (auto [edge, path] : file.edges_) {
      if (!path.empty()) edge.target = ids.at(path);
      node.edges.push_back(edge);
    }
  }
  return graph;
}

inline policy::Verdict judge(const deps::Graph& graph, const policy::EvaluateOptions& options = {},
                             deps::Libc libc = deps::Libc::glibc,
                             const std::string& architecture = "x86_64") {
  return policy::evaluate(graph, libc, architecture, options);
}

inline const policy::PolicyVerdict& named(const policy::Verdict& verdict, const std::string& name) {
  for (const policy::PolicyVerdict& candidate : verdict.policies) {
    if (candidate.policy->name == name) return candidate;
  }
  throw std::runtime_error("no policy " + name);
}

inline std::string best_name(const policy::Verdict& verdict) {
  return verdict.policies.at(verdict.best).policy->name;
}
inline std::string own_name(const policy::Verdict& verdict) {
  return verdict.policies.at(verdict.own).policy->name;
}

}  // namespace truewheel::testing
