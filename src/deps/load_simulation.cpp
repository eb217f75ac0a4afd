// SPDX-License-Identifier: Apache-2.0
// What the dynamic linker does after installation. Sources: glibc elf/dl-load.c (_dl_map_object,
// open_path, open_verify) and elf/dl-deps.c (_dl_map_object_deps); musl ldso/dynlink.c
// (load_library, fixup_rpath, path_open); bionic linker/linker.cpp (load_library, set_dt_runpath).
#include "base/text.hpp"
#include "deps/load_queue.hpp"
#include "deps/machine.hpp"
#include "deps/run_path.hpp"
#include "deps/sibling.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace truewheel::deps {
namespace {

constexpr std::uint32_t kDf1NoOpen = 0x40;

/// One run-path entry of a file, with the folder of the layout that it leads to, if it leads there.
struct Entry {
  std::string text;
  std::optional<std::string> folder;
};

struct Hit {
  enum class Kind {
    none,
    file,
    unfit
  } kind = Kind::none;  ///< unfit: the loader stops with an error
  std::size_t file = 0;
};

class Simulation {
 public:
  Simulation(const std::vector<WheelFile>& layout, const LayoutIndex& index, std::size_t root,
             Libc libc, const std::function<bool(const std::string&)>& provided,
             const LoaderMachine& machine, const OutsideFiles& outside)
      : layout_(layout),
        index_(index),
        root_(root),
        libc_(libc),
        provided_(provided),
        machine_(machine),
        outside_(outside) {}

  std::vector<LoadStep> run() {
    // The root was opened by path, so that only its SONAME can be asked for by name.
    load(root_, std::nullopt, "");
    queue_.push(0);
    std::vector<LoadStep> steps;
    while (const auto at = queue_.next()) {
      for (const auto& dependency : dependencies(facts_of(loaded_[*at].file), libc_)) {
        const auto known = loaded_.size();
        steps.push_back(step(*at, dependency));
        if (dependency.tag == Tag::needed) {
          if (loaded_.size() != known) queue_.push(known);
        } else if (const auto file = steps.back().found) {
          queue_.push_filtee(position_of(*file));
        }
      }
    }
    return steps;
  }

 private:
  struct Loaded {
    std::size_t file = 0;
    std::optional<std::size_t> loader;  ///< index into loaded_: l_loader, needed_by
  };

  LoadStep step(std::size_t needing, const Dependency& dependency) {
    const std::string& needed = dependency.name;
    LoadStep result;
    result.needing = loaded_[needing].file;
    result.needed = needed;
    result.tag = dependency.tag;
    if (libc_ == Libc::musl && is_part_of_musl(needed)) {
      result.via = Via::provided;
      return result;
    }
    const auto name = name_of(needing, needed);
    if (!name) return result;
    if (const auto known = names_.find(*name); known != names_.end()) {
      result.via = Via::already_loaded;
      result.found = loaded_[known->second].file;
      return result;
    }
    if (provided_names_.contains(*name)) {
      result.via = Via::provided;
      return result;
    }
    const bool is_path = name->find('/') != std::string::npos;
    const Hit hit = is_path ? open_path(*name, result) : search(needing, *name, result);
    if (hit.kind == Hit::Kind::file) {
      result.found = hit.file;
      take(hit.file, needing, *name, is_path, result);
    } else if (hit.kind == Hit::Kind::none && provided_ && provided_(needed)) {
      result.via = Via::provided;
      const auto outside = outside_.by_name.find(*name);
      if (outside == outside_.by_name.end()) {
        provided_names_.insert(*name);
      } else {
        take(layout_.size() + outside->second, needing, *name, is_path, result);
      }
    } else {
      result.via = Via::not_found;
    }
    return result;
  }

  /// glibc expands tokens in NEEDED itself (dl-deps.c, expand_dst); the others take it as it is.
  [[nodiscard]] std::optional<std::string> name_of(std::size_t needing,
                                                   const std::string& needed) const {
    if (libc_ != Libc::glibc) return needed;
    return expand_tokens(needed, tokens_of(loaded_[needing].file));
  }

  /// Where a file stands in loaded_; its end when it is not there.
  [[nodiscard]] std::size_t position_of(std::size_t file) const {
    const auto same = std::find_if(loaded_.begin(), loaded_.end(),
                                   [file](const Loaded& other) { return other.file == file; });
    return static_cast<std::size_t>(same - loaded_.begin());
  }

  void take(std::size_t file, std::size_t loader, const std::string& name, bool is_path,
            LoadStep& result) {
    const auto same = position_of(file);
    if (same == loaded_.size()) {
      load(file, loader, name);
      return;
    }
    // Found on disk, and the very file is loaded already: it gains a name (add_name_to_object;
    // musl: shortname, unless it was asked for by path again).
    if (is_path) result.via = Via::already_loaded;
    if (libc_ == Libc::glibc || !is_path) {
      names_.emplace(name, same);
    }
  }

  void load(std::size_t file, std::optional<std::size_t> loader, const std::string& name) {
    const std::size_t position = loaded_.size();
    loaded_.push_back({file, loader});
    const elf::ElfFacts& facts = facts_of(file);
    const bool is_path = name.find('/') != std::string::npos;
    switch (libc_) {
      case Libc::glibc:
        if (!name.empty()) names_.emplace(name, position);
        if (facts.soname) names_.emplace(*facts.soname, position);
        break;
      case Libc::musl:
        // Only a file that was searched for has a short name; DT_SONAME is never looked at.
        if (!name.empty() && !is_path) names_.emplace(name, position);
        break;
      case Libc::bionic:
        names_.emplace(facts.soname ? *facts.soname : std::string(base_name(file_at(file).path)),
                       position);
        break;
    }
  }

  Hit open_path(const std::string& path, LoadStep& result) const {
    const auto folder = walk(folder_name(path));
    if (!folder) return {};
    result.via = Via::path;
    return look(*folder, base_name(path), Mismatch::stop);
  }

  Hit search(std::size_t needing, const std::string& name, LoadStep& result) {
    switch (libc_) {
      case Libc::glibc:
        return search_glibc(needing, name, result);
      case Libc::musl:
        for (std::optional<std::size_t> at = needing; at; at = loaded_[*at].loader) {
          const elf::ElfFacts& facts = facts_of(loaded_[*at].file);
          const Via own = facts.runpath ? Via::runpath : Via::rpath;
          const Hit hit =
              search_run_path(*at, name, at == needing ? own : Via::inherited_rpath, result);
          if (hit.kind != Hit::Kind::none) return hit;
        }
        return {};
      case Libc::bionic:
        return search_run_path(needing, name, Via::runpath, result);
    }
    return {};
  }

  /// DT_RPATH of the needing file, of the files it was loaded through and so of the program at
  /// their head, unless the needing file has a DT_RUNPATH; an ancestor with DT_RUNPATH has no
  /// DT_RPATH to give. Then the own DT_RUNPATH.
  Hit search_glibc(std::size_t needing, const std::string& name, LoadStep& result) {
    if (facts_of(loaded_[needing].file).runpath) {
      return search_run_path(needing, name, Via::runpath, result);
    }
    // Its own DT_RPATH, which comes first, leads to folders of the machine.
    if (is_outside(loaded_[needing].file) && facts_of(loaded_[needing].file).rpath) return {};
    for (std::optional<std::size_t> at = needing; at; at = loaded_[*at].loader) {
      if (facts_of(loaded_[*at].file).runpath) continue;
      const Via via = at == needing ? Via::rpath : Via::inherited_rpath;
      const Hit hit = search_run_path(*at, name, via, result);
      if (hit.kind != Hit::Kind::none) return hit;
    }
    return {};
  }

  Hit search_run_path(std::size_t owner, const std::string& name, Via via, LoadStep& result) {
    const std::size_t file = loaded_[owner].file;
    for (const Entry& entry : entries_of(file)) {
      if (!entry.folder) continue;
      const Hit hit = look_in_folder(*entry.folder, name);
      if (hit.kind == Hit::Kind::none) continue;
      result.via = via;
      result.entry = entry.text;
      result.entry_owner = file;
      return hit;
    }
    return {};
  }

  [[nodiscard]] Hit look_in_folder(const std::string& folder, const std::string& name) const {
    if (libc_ != Libc::glibc) return look(folder, name, Mismatch::stop);
    for (const auto& subfolder : machine_.subfolders) {
      const std::string below = folder.empty() ? subfolder : folder + '/' + subfolder;
      const Hit hit = look(below, name, Mismatch::skip);
      if (hit.kind != Hit::Kind::none) return hit;
    }
    return look(folder, name, Mismatch::skip);
  }

  /// glibc goes on behind a library of another class or machine (open_verify: ENOENT), but only
  /// while it searches.
  enum class Mismatch { skip, stop };

  [[nodiscard]] Hit look(const std::string& folder, std::string_view name,
                         Mismatch mismatch) const {
    const auto file =
        index_.at(folder.empty() ? std::string(name) : folder + '/' + std::string(name));
    if (!file) return {};
    const elf::ElfFacts& facts = *layout_[*file].facts;
    const elf::ElfFacts& wanted = *layout_[root_].facts;
    if (facts.bits != wanted.bits ||
        (facts.little_endian == wanted.little_endian && facts.machine != wanted.machine)) {
      return {mismatch == Mismatch::skip ? Hit::Kind::none : Hit::Kind::unfit, *file};
    }
    const bool is_fit = facts.little_endian == wanted.little_endian && may_load(facts);
    return {is_fit ? Hit::Kind::file : Hit::Kind::unfit, *file};
  }

  [[nodiscard]] bool may_load(const elf::ElfFacts& facts) const {
    if (libc_ == Libc::musl && facts.kind == elf::FileKind::pie) return true;
    if (!can_be_needed(facts)) return false;
    // "shared object cannot be dlopen()ed": holds for everything that a dlopen brings along.
    const auto root_kind = layout_[root_].facts->kind;
    const bool is_opened = root_kind == elf::FileKind::shared_object;
    return libc_ != Libc::glibc || !is_opened || (facts.dt_flags_1 & kDf1NoOpen) == 0;
  }

  const std::vector<Entry>& entries_of(std::size_t file) {
    const auto [place, is_new] = entries_.try_emplace(file);
    if (is_new) place->second = expand_entries(file);
    return place->second;
  }

  [[nodiscard]] std::vector<Entry> expand_entries(std::size_t file) const {
    if (is_outside(file)) return {};  // they lead to folders of the machine
    const elf::ElfFacts& facts = *layout_[file].facts;
    // bionic knows no DT_RPATH at all.
    const auto& value = facts.runpath || libc_ == Libc::bionic ? facts.runpath : facts.rpath;
    if (!value) return {};
    std::vector<Entry> entries;
    if (libc_ == Libc::musl && !musl_can_expand(*value)) return {};
    std::vector<std::string> texts = run_path_entries(*value);
    if (libc_ == Libc::musl) texts = split_at_newlines(texts);
    for (auto& text : texts) {
      auto folder = folder_of_entry(text, file);
      entries.push_back({std::move(text), std::move(folder)});
    }
    return entries;
  }

  [[nodiscard]] std::optional<std::string> folder_of_entry(const std::string& text,
                                                           std::size_t file) const {
    const TokenValues tokens = tokens_of(file);
    switch (libc_) {
      case Libc::glibc: {
        const auto expanded = expand_tokens(text, tokens);
        return expanded ? walk(*expanded) : std::nullopt;
      }
      case Libc::musl:
        return walk(replace_prefix_token(text, "ORIGIN", tokens.origin));
      case Libc::bionic: {
        const bool is_64 = layout_[file].facts->bits == 64;
        return walk(replace_prefix_token(replace_prefix_token(text, "ORIGIN", tokens.origin), "LIB",
                                         is_64 ? "lib64" : "lib"));
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] TokenValues tokens_of(std::size_t file) const {
    return {layout_origin(file_at(file).path), machine_.lib, machine_.platform};
  }

  /// The kernel's walk: each component must be there, also one that ".." leaves again.
  [[nodiscard]] std::optional<std::string> walk(std::string_view text) const {
    const auto components = components_below_root(text);
    if (!components) return std::nullopt;
    std::string folder;
    for (const auto& component : *components) {
      if (component == "..") {
        if (folder.empty()) return std::nullopt;  // above the installation root: not ours to know
        folder = folder_name(folder);
        continue;
      }
      folder = folder.empty() ? component : folder + '/' + component;
      if (!index_.has_folder(folder)) return std::nullopt;
    }
    return folder;
  }

  /// fixup_rpath: a dollar sign that is not $ORIGIN's turns the whole run path off.
  static bool musl_can_expand(std::string_view value) {
    for (auto at = value.find('$'); at != std::string_view::npos; at = value.find('$', at + 1)) {
      const auto rest = value.substr(at);
      if (!rest.starts_with("$ORIGIN") && !rest.starts_with("${ORIGIN}")) return false;
    }
    return true;
  }

  static std::vector<std::string> split_at_newlines(const std::vector<std::string>& texts) {
    std::vector<std::string> pieces;
    for (const auto& text : texts) {
      for (auto& piece : split(text, '\n')) pieces.push_back(std::move(piece));
    }
    return pieces;
  }

  /// The names that musl's load_library answers with itself.
  static bool is_part_of_musl(std::string_view needed) {
    static constexpr std::array<std::string_view, 7> kReserved = {
        "libc.", "libpthread.", "librt.", "libm.", "libdl.", "libutil.", "libxnet."};
    return std::any_of(kReserved.begin(), kReserved.end(), [needed](std::string_view reserved) {
      return needed.starts_with(reserved);
    });
  }

  [[nodiscard]] bool is_outside(std::size_t file) const { return file >= layout_.size(); }
  [[nodiscard]] const WheelFile& file_at(std::size_t file) const {
    return is_outside(file) ? outside_.files[file - layout_.size()] : layout_[file];
  }
  [[nodiscard]] const elf::ElfFacts& facts_of(std::size_t file) const {
    return *file_at(file).facts;
  }

  const std::vector<WheelFile>& layout_;
  const LayoutIndex& index_;
  std::size_t root_;
  Libc libc_;
  const std::function<bool(const std::string&)>& provided_;
  const LoaderMachine& machine_;
  const OutsideFiles& outside_;
  std::unordered_map<std::size_t, std::vector<Entry>> entries_;  ///< by layout index
  std::vector<Loaded> loaded_;                                   ///< in load order
  LoadQueue queue_;                                              ///< of indices into loaded_
  std::unordered_map<std::string, std::size_t> names_;  ///< first to own a name, into loaded_
  std::unordered_set<std::string> provided_names_;
};

}  // namespace

LoadSimulator::LoadSimulator(const std::vector<WheelFile>& layout)
    : layout_(layout), index_(std::make_unique<const LayoutIndex>(layout)) {}

LoadSimulator::~LoadSimulator() = default;

std::vector<LoadStep> LoadSimulator::load(std::size_t root, Libc libc,
                                          const std::function<bool(const std::string&)>& provided,
                                          const LoaderMachine& machine,
                                          const OutsideFiles& outside) const {
  return Simulation(layout_, *index_, root, libc, provided, machine, outside).run();
}

std::vector<LoadStep> simulate_load(const std::vector<WheelFile>& layout, std::size_t root,
                                    Libc libc,
                                    const std::function<bool(const std::string&)>& provided,
                                    const LoaderMachine& machine) {
  return LoadSimulator(layout).load(root, libc, provided, machine);
}

}  // namespace truewheel::deps
