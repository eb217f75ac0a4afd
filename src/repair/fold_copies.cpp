// SPDX-License-Identifier: Apache-2.0
#include "repair/fold_copies.hpp"

#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "check/rules.hpp"
#include "deps/machine.hpp"
#include "deps/sibling.hpp"
#include "elf/payload.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace truewheel::repair {
namespace {

/// Without the hashes of all repairs: "libgcc_s-2d945d6c-767fb991.so.1" is libgcc_s.so.1 twice
/// over.
std::string plain_name(std::string name) {
  for (;;) {
    auto shorter = check::name_without_hash(name);
    if (shorter == name) return name;
    name = std::move(shorter);
  }
}

/// What two names of one library have in common: "libfoo" of "libfoo.so.1" and of
/// "libfoo-0a1b2c3d.so.1.2".
std::string library_stem(std::string_view name) {
  const auto plain = plain_name(std::string(base_name(name)));
  return plain.substr(0, plain.find(".so"));
}

/// The hash of "libfoo-0a1b2c3d.so.1"; empty for other names.
std::string hash_of(const std::string& name) {
  const auto plain = check::name_without_hash(name);
  if (plain == name) return {};
  const auto begin = plain.find('.') == std::string::npos ? plain.size() : plain.find('.');
  return name.substr(begin + 1, name.size() - plain.size() - 1);
}

/// "pkg.libs" of "pkg.libs/sub/libfoo.so.1"; empty where no folder is one of libraries. Others hold
/// copies, too, but a text that says "lib" or the package's name does not mean them.
std::string_view libs_folder(std::string_view path) {
  for (auto folder = folder_name(path); !folder.empty(); folder = folder_name(folder)) {
    if (folder.ends_with(".libs")) return base_name(folder);
  }
  return {};
}

bool is_extension(const elf::ElfFacts& facts) {
  return std::any_of(facts.python_exports.begin(), facts.python_exports.end(),
                     [](const auto& name) { return name.starts_with("PyInit_"); });
}

class Finder {
 public:
  Finder(const LoadedWheel& wheel, const std::vector<deps::WheelFile>& layout,
         const std::vector<std::size_t>& member_of)
      : wheel_(wheel), layout_(layout), member_of_(member_of), index_(layout) {}

  /// Layout index of each copy -> layout index of what takes its place, and whether it leaves.
  struct Copy {
    std::size_t file = 0;
    std::size_t kept = 0;
    bool is_gone = false;
  };

  std::vector<Copy> run() {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      const auto& facts = *layout_[i].facts;
      if (!deps::can_be_needed(facts) || is_extension(facts)) continue;
      const auto name = library_stem(layout_[i].path);
      groups[{layout_[i].tree, name}].push_back(i);
    }
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      for (const auto& dependency : deps::dependencies(*layout_[i].facts, deps::Libc::glibc)) {
        const auto target = answer(i, dependency.name);
        if (target && *target != i) needed_.insert(*target);
      }
    }
    std::vector<Copy> copies;
    for (auto& [key, files] : groups) fold_bundled(files, copies);
    fold_names_of_one_file(copies);
    return copies;
  }

  [[nodiscard]] std::optional<std::size_t> answer(std::size_t file,
                                                  const std::string& needed) const {
    const auto candidates = index_.siblings(file, needed);
    if (candidates.empty()) return std::nullopt;
    return candidates.front();
  }

 private:
  /// Of one name: the build's own file stays rather than a bundled one, a plain name rather than
  /// one with a hash.
  void fold_bundled(std::vector<std::size_t>& files, std::vector<Copy>& copies) {
    const auto rank = [&](std::size_t file) {
      const auto& path = layout_[file].path;
      return std::tuple(check::is_bundled(path), !hash_of(std::string(base_name(path))).empty(),
                        std::string_view(path));
    };
    std::sort(files.begin(), files.end(),
              [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    std::vector<std::size_t> stay;
    for (const auto file : files) {
      const auto twin = std::find_if(stay.begin(), stay.end(), [&](std::size_t other) {
        return check::is_bundled(layout_[file].path) && can_stand_in(other, file) &&
               !is_opened_by_name(file);
      });
      if (twin == stay.end()) {
        stay.push_back(file);
      } else {
        copies.push_back({file, *twin, true});
      }
    }
  }

  /// What symbolic links become in a wheel: a folder has one file under several names, and the
  /// loader maps each that is asked for. The SONAME is the name that all of them can be asked by.
  void fold_names_of_one_file(std::vector<Copy>& copies) const {
    auto needed = needed_;
    for (const auto& copy : copies) needed.erase(copy.file);
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::size_t>> equal;
    for (const auto file : needed) {
      const auto& path = layout_[file].path;
      equal[{layout_[file].tree, std::string(folder_name(path)),
             wheel_.members[member_of_[file]].digest.sha256}]
          .push_back(file);
    }
    for (auto& [key, files] : equal) {
      if (files.size() < 2) continue;
      const auto rank = [&](std::size_t file) {
        const std::string name(base_name(layout_[file].path));
        return std::tuple(layout_[file].facts->soname != name, name);
      };
      std::sort(files.begin(), files.end(),
                [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
      for (std::size_t i = 1; i < files.size(); ++i) {
        copies.push_back({files[i], files.front(), false});
      }
    }
  }

  /// What no file of the wheel needs a program opens by itself, and what a text of the wheel names,
  /// too: that name must stay. So must all of a folder of libraries that a text names: a program
  /// may open what it finds there.
  [[nodiscard]] bool is_opened_by_name(std::size_t file) {
    if (!needed_.contains(file)) return true;
    if (!named_in_text_) named_in_text_ = find_names_in_texts();
    return named_in_text_->contains(file);
  }

  /// The bundled files whose names stand in the wheel's texts, each of which is read once.
  [[nodiscard]] std::set<std::size_t> find_names_in_texts() const {
    constexpr std::uint64_t kLargestText = 4ULL << 20;
    std::set<std::size_t> named;
    for (const auto& member : wheel_.members) {
      if (member.is_elf || member.archive.size > kLargestText ||
          member.archive.name.starts_with(wheel_.dist_info + "/")) {
        continue;
      }
      const auto content = wheel::read_member(wheel_.file.bytes(), member.archive);
      const auto text = as_text(content.bytes());
      for (const auto file : needed_) {
        const auto& path = layout_[file].path;
        if (!check::is_bundled(path)) continue;
        const auto folder = libs_folder(path);
        if (text.find(base_name(path)) != std::string_view::npos ||
            (!folder.empty() && text.find(folder) != std::string_view::npos)) {
          named.insert(file);
        }
      }
    }
    return named;
  }

  /// Nothing that the kept file needs is missing where the copy had it, or did without.
  [[nodiscard]] bool has_what_it_needs(std::size_t kept, std::size_t copy) const {
    std::set<std::string> known;
    for (const auto& name : layout_[copy].facts->needed) known.insert(library_stem(name));
    const auto& needed = layout_[kept].facts->needed;
    return std::all_of(needed.begin(), needed.end(), [&](const std::string& name) {
      return answer(kept, name) || known.contains(library_stem(name));
    });
  }

  [[nodiscard]] bool have_same_payload(const wheel::Member& one, const wheel::Member& other) const {
    const auto first = wheel::read_member(wheel_.file.bytes(), one);
    const auto second = wheel::read_member(wheel_.file.bytes(), other);
    return elf::same_payload(first.bytes(), second.bytes());
  }

  /// One library, and nothing that the copy offers is missing in the other.
  [[nodiscard]] bool can_stand_in(std::size_t kept, std::size_t copy) const {
    const auto& mine = *layout_[kept].facts;
    const auto& theirs = *layout_[copy].facts;
    if (!deps::same_machine(mine, theirs)) return false;
    const std::set<std::string> offered(mine.version_definitions.begin(),
                                        mine.version_definitions.end());
    const auto is_offered = [&](const std::string& version) { return offered.contains(version); };
    if (!std::all_of(theirs.version_definitions.begin(), theirs.version_definitions.end(),
                     is_offered)) {
      return false;
    }
    const auto& one = wheel_.members[member_of_[kept]];
    const auto& other = wheel_.members[member_of_[copy]];
    if (!has_what_it_needs(kept, copy)) return false;
    if (one.digest.sha256 == other.digest.sha256) return true;
    if (mine.build_id && !mine.build_id->empty() && mine.build_id == theirs.build_id &&
        have_same_payload(one.archive, other.archive)) {
      return true;
    }
    // auditwheel names a copy by the bytes that it was made from.
    const auto hash = hash_of(std::string(base_name(layout_[copy].path)));
    if (hash.empty()) return false;
    const auto content = wheel::read_member(wheel_.file.bytes(), one.archive);
    return hex(sha256(content.bytes())).starts_with(hash);
  }

  const LoadedWheel& wheel_;
  const std::vector<deps::WheelFile>& layout_;
  const std::vector<std::size_t>& member_of_;
  deps::LayoutIndex index_;
  std::set<std::size_t> needed_;                        ///< by another file of the wheel
  std::optional<std::set<std::size_t>> named_in_text_;  ///< looked for when it is asked for
};

}  // namespace

FoldedCopies::FoldedCopies(const LoadedWheel& wheel, const std::vector<deps::WheelFile>& layout,
                           const std::vector<std::size_t>& member_of) {
  Finder finder(wheel, layout, member_of);
  const auto copies = finder.run();
  is_gone_.resize(layout.size(), false);
  std::map<std::size_t, std::size_t> kept_of;
  for (const auto& copy : copies) {
    is_gone_[copy.file] = copy.is_gone;
    kept_of[copy.file] = copy.kept;
    folds_.push_back({member_of[copy.file], member_of[copy.kept], copy.is_gone});
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < layout.size(); ++i) new_index_.push_back(is_gone_[i] ? next : next++);

  // A copy that stays for one name may be the copy of another one.
  const auto final_target = [&](std::size_t file) {
    for (auto at = kept_of.find(file); at != kept_of.end(); at = kept_of.find(file)) {
      file = at->second;
    }
    return file;
  };
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (is_gone_[i]) continue;
    for (const auto& dependency : deps::dependencies(*layout[i].facts, deps::Libc::glibc)) {
      const auto& needed = dependency.name;
      const auto target = finder.answer(i, needed);
      if (!target || !kept_of.contains(*target)) continue;
      const auto kept = final_target(*target);
      if (kept != i) answers_[{new_index_[i], needed}] = new_index_[kept];
    }
  }
  // The copy that goes may have been bundled with libraries that the other one only hoped for.
  for (const auto& copy : copies) {
    const auto& mine = layout[copy.kept].facts->needed;
    const auto& theirs = layout[copy.file].facts->needed;
    if (!copy.is_gone) continue;
    for (const auto& name : mine) {
      if (finder.answer(copy.kept, name)) continue;
      const auto same = std::find_if(theirs.begin(), theirs.end(), [&](const std::string& other) {
        return library_stem(other) == library_stem(name);
      });
      if (same == theirs.end()) continue;
      const auto target = finder.answer(copy.file, *same);
      if (!target || final_target(*target) == copy.kept) continue;
      answers_.emplace(std::pair(new_index_[copy.kept], name), new_index_[final_target(*target)]);
    }
  }
}

void FoldedCopies::shrink(std::vector<deps::WheelFile>& layout,
                          std::vector<std::size_t>& member_of) const {
  std::vector<deps::WheelFile> files;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (is_gone_[i]) continue;
    files.push_back(std::move(layout[i]));
    members.push_back(member_of[i]);
  }
  layout = std::move(files);
  member_of = std::move(members);
}

void FoldedCopies::redirect(deps::Graph& graph) const {
  for (const auto& [from, target] : answers_) {
    for (auto& edge : graph.nodes[from.first].edges) {
      if (edge.needed != from.second) continue;
      edge.answer = deps::Answer::sibling;
      edge.target = target;
      edge.pattern.reset();
      edge.how = "the other copy";
    }
  }
}

}  // namespace truewheel::repair
