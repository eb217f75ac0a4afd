// SPDX-License-Identifier: Apache-2.0
#include "repair/graft_plan.hpp"

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "base/pieces.hpp"
#include "base/text.hpp"
#include "elf/payload.hpp"
#include "repair/graft_name.hpp"
#include "repair/host_library.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace truewheel::repair {
namespace {

using deps::Answer;
using deps::NodeId;

/// The edit that would make the source into what the member is, as far as names and run path go.
elf::ElfEdit edit_towards(const elf::ElfFacts& source, const elf::ElfFacts& member) {
  elf::ElfEdit edit;
  if (member.soname && source.soname != member.soname) edit.soname = member.soname;
  for (std::size_t i = 0; i < source.needed.size() && i < member.needed.size(); ++i) {
    if (source.needed[i] != member.needed[i]) {
      edit.replace_needed[source.needed[i]] = member.needed[i];
    }
  }
  for (std::size_t i = 0; i < source.filtees.size() && i < member.filtees.size(); ++i) {
    if (source.filtees[i].name != member.filtees[i].name) {
      edit.replace_filtees[source.filtees[i].name] = member.filtees[i].name;
    }
  }
  if (source.run_path() != member.run_path()) edit.run_path = member.run_path();
  return edit;
}

/// A name that the archive's own rules would refuse (Z33, Z35, Z37, Z53 of tests/archives).
void refuse_unfit_name(const Graft& graft) {
  constexpr std::size_t kLongestName = 255;
  const auto& name = graft.new_name;
  if (name.size() <= kLongestName && printable(name) == name &&
      name.find('\\') == std::string::npos && name.find('$') == std::string::npos) {
    return;
  }
  throw Error(ErrorKind::unfit, "graft-name",
              printable(graft.source) + " cannot be bundled: no member of a wheel may be called " +
                  printable(name),
              "give the library another file name");
}

class Selector {
 public:
  Selector(const Examined& examined, const std::vector<NodeId>& wanted, std::string libs_folder,
           unsigned jobs)
      : examined_(examined),
        wanted_(wanted.begin(), wanted.end()),
        libs_folder_(std::move(libs_folder)),
        jobs_(jobs) {}

  GraftSelection run() && {
    if (!wanted_.empty() && is_taken(libs_folder_)) {
      throw Error(ErrorKind::unfit, "libs-folder-taken",
                  "a file of the wheel is called " + libs_folder_,
                  "--lib-sdir names another folder");
    }
    hash({wanted_.begin(), wanted_.end()});
    // From the wheel's files along everything that is to be bundled, one step at a time.
    std::vector<NodeId> level;
    for (NodeId id = 0; id < examined_.layout.size(); ++id) visit(id, level);
    while (!level.empty()) {
      std::vector<NodeId> next;
      for (const auto id : level) {
        if (const auto member = find_earlier_graft(id)) {
          selection_.already_bundled[id] = *member;
        } else {
          new_.insert(id);
          visit(id, next);
        }
      }
      level = std::move(next);
    }
    name_new_grafts();
    return std::move(selection_);
  }

 private:
  /// A file of the wheel is installed where the folder has to be.
  [[nodiscard]] bool is_taken(const std::string& folder) const {
    const auto& members = examined_.wheel.members;
    return std::any_of(members.begin(), members.end(), [&](const LoadedMember& member) {
      using Scheme = wheel::InstalledPath::Scheme;
      const auto scheme = member.installed.scheme;
      return (scheme == Scheme::root || scheme == Scheme::purelib) &&
             member.installed.path == folder;
    });
  }

  void visit(NodeId from, std::vector<NodeId>& queue) {
    for (const auto& edge : examined_.graph.nodes[from].edges) {
      if (edge.answer != Answer::host || !wanted_.contains(*edge.target)) continue;
      if (seen_.insert(*edge.target).second) queue.push_back(*edge.target);
    }
  }

  /// All in one go, so that every core has work while the largest is read.
  void hash(const std::vector<NodeId>& ids) {
    const auto& nodes = examined_.graph.nodes;
    std::vector<std::string> digests(ids.size());
    parallel_for(
        ids.size(), jobs_, std::numeric_limits<std::uint64_t>::max(),
        [&](std::size_t i) { return nodes[ids[i]].stamp.size; },
        [&](std::size_t i) {
          const auto file = open_library(nodes[ids[i]].path, nodes[ids[i]].stamp);
          Hasher hasher;
          for_each_piece(file.bytes(), [&](Bytes piece) {
            hasher.update(piece);
            file.drop(piece);
          });
          digests[i] = hex(hasher.finish());
        });
    for (std::size_t i = 0; i < ids.size(); ++i) {
      sources_[ids[i]] = {std::move(digests[i]), nodes[ids[i]].stamp.size};
    }
  }

  /// A file of the libs folder that has a graft name of this source and is what grafting the
  /// source gives: the same code under the digits of its digest, as auditwheel's and patchelf's is
  /// and a stripped one, or byte for byte. (One with another content is another library.)
  std::optional<std::size_t> find_earlier_graft(NodeId id) {
    const auto& node = examined_.graph.nodes[id];
    const auto names = graft_names_of(base_name(node.path), sources_.at(id).sha256);
    for (std::size_t i = 0; i < examined_.layout.size(); ++i) {
      const auto& file = examined_.layout[i];
      const std::string name(base_name(file.path));
      if (folder_name(file.path) != libs_folder_ || !names.contains(name)) continue;
      try {
        if (was_made_of(node, i)) return i;
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::io) throw;
        // A source that cannot become the member is another library.
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool was_made_of(const deps::Node& node, std::size_t file) const {
    const auto& path = examined_.layout[file].path;
    const auto& facts = *examined_.layout[file].facts;
    const auto source = open_library(node.path, node.stamp);
    const auto& member = examined_.wheel.members[examined_.member_of[file]].archive;
    const auto content = wheel::read_member(examined_.wheel.file.bytes(), member);
    // A name that the source had itself says nothing of its bytes.
    const bool has_own_digits = base_name(path) != base_name(node.path);
    if (has_own_digits && node.facts->build_id == facts.build_id &&
        node.facts->version_definitions == facts.version_definitions &&
        elf::same_payload(source.bytes(), content.bytes())) {
      return true;
    }
    const auto edited = elf::edit(source.bytes(), edit_towards(*node.facts, facts));
    return std::equal(edited.bytes.begin(), edited.bytes.end(), content.bytes().begin(),
                      content.bytes().end());
  }

  void name_new_grafts() {
    std::set<std::string> taken;
    for (const auto& member : examined_.wheel.members) {
      if (folder_name(member.installed.path) == libs_folder_) {
        taken.insert(std::string(base_name(member.installed.path)));
      }
    }
    GraftNames names(taken);
    for (const auto id : new_) {
      const auto& node = examined_.graph.nodes[id];
      Graft graft;
      graft.source = node.path;
      graft.sha256 = sources_.at(id).sha256;
      graft.size = sources_.at(id).size;
      graft.new_name = names.pick(base_name(node.path), graft.sha256);
      graft.member = libs_folder_ + "/" + graft.new_name;
      graft.known_as = node.known_as;
      refuse_unfit_name(graft);
      for (const auto& other : examined_.graph.nodes) {
        for (const auto& edge : other.edges) {
          if (edge.answer != Answer::host || edge.target != id) continue;
          graft.needed_by.push_back(other.path);
          if (graft.how.empty()) graft.how = edge.how;
        }
      }
      selection_.nodes.push_back(id);
      selection_.grafts.push_back(std::move(graft));
    }
  }

  const Examined& examined_;
  std::set<NodeId> wanted_;
  std::string libs_folder_;
  std::set<NodeId> seen_;
  std::set<NodeId> new_;
  struct Source {
    std::string sha256;
    std::uint64_t size = 0;
  };
  std::map<NodeId, Source> sources_;
  unsigned jobs_;
  GraftSelection selection_;
};

}  // namespace

GraftSelection select_grafts(const Examined& examined, const std::vector<NodeId>& wanted,
                             const std::string& libs_folder, unsigned jobs) {
  return Selector(examined, wanted, libs_folder, jobs).run();
}

}  // namespace truewheel::repair
