// SPDX-License-Identifier: Apache-2.0
#include "deps/load_tree.hpp"

#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "deps/load_queue.hpp"
#include "deps/search_list.hpp"
#include <truewheel/error.hpp>

#include <map>
#include <optional>
#include <utility>

namespace truewheel::deps {
namespace {

/// A file that is loaded, and what a search on its behalf needs.
struct Loaded {
  std::shared_ptr<const elf::ElfFacts> facts;
  HostOrigins origins;
  std::optional<std::size_t> loader;  ///< whose NEEDED brought it
  std::string real_path;
};

class TreeWalk {
 public:
  explicit TreeWalk(const SearchOptions& options)
      : options_(options),
        sysroot_(options.sysroot),
        host_files_(sysroot_),
        search_list_(options, sysroot_, host_files_) {}

  LoadTree run(const std::filesystem::path& file) && {
    const MappedFile mapped(file);
    tree_.path = absolute_path(file.string());
    tree_.real_path = sysroot_.real_path(tree_.path).value_or(tree_.path);
    tree_.facts = std::make_shared<const elf::ElfFacts>(elf::inspect(mapped.bytes()));
    if (!tree_.facts->is_dynamic()) {
      throw Error(ErrorKind::refused, "elf-not-dynamic", "no dynamic linker works on this file");
    }
    add_loaded(tree_.facts, tree_.path, tree_.real_path, std::nullopt);
    if (tree_.facts->soname) names_.emplace(*tree_.facts->soname, 0);
    add_interpreter();
    LoadQueue queue;
    queue.push(0);
    while (const auto at = queue.next()) {
      const auto facts = loaded_[*at].facts;
      for (const auto& dependency : dependencies(*facts, options_.libc)) {
        const auto known = loaded_.size();
        if (!names_.contains(dependency.name)) load(*at, dependency);
        if (dependency.tag == Tag::needed) {
          if (loaded_.size() != known) queue.push(known);
        } else if (const auto filtee = names_.find(dependency.name); filtee != names_.end()) {
          if (filtee->second) queue.push_filtee(*filtee->second);
        }
      }
    }
    return std::move(tree_);
  }

 private:
  void add_loaded(std::shared_ptr<const elf::ElfFacts> facts, const std::string& path,
                  const std::string& real_path, std::optional<std::size_t> loader) {
    Loaded loaded{std::move(facts), {{std::string(folder_name(path))}}, loader, real_path};
    auto& folders = loaded.origins.folders;
    const std::string real_folder(folder_name(real_path));
    if (real_folder != folders.front()) folders.push_back(real_folder);
    loaded_.push_back(std::move(loaded));
  }

  /// The kernel has mapped it before anything is looked for, so its name is taken.
  void add_interpreter() {
    if (!tree_.facts->interpreter) return;
    Skipped ignored;
    const auto path = sysroot_.inside(*tree_.facts->interpreter);
    const auto* file = host_files_.open(path, *tree_.facts, ignored);
    if (file == nullptr) return;
    const std::string name(base_name(path));
    names_.emplace(name, std::nullopt);
    tree_.libraries.push_back(
        {name, path, file->real_path, "interpreter", file->facts, tree_.real_path});
  }

  void load(std::size_t needing, const Dependency& dependency) {
    const auto& needed = dependency.name;
    TreeLibrary library;
    library.name = needed;
    library.needed_by = loaded_[needing].real_path;
    const HostFile* file = nullptr;
    if (needed.find('/') != std::string::npos) {
      file = open(needing, needed, library);
    } else {
      file = search(needing, needed, library);
    }
    if (file == nullptr && dependency.tag == Tag::auxiliary) return;
    std::optional<std::size_t> position;
    if (file != nullptr) {
      library.real_path = file->real_path;
      library.facts = file->facts;
      // A name that another one leads to as well is one library to the loader (by inode).
      const auto [place, is_new] = files_.emplace(file, loaded_.size());
      position = place->second;
      if (is_new) add_loaded(file->facts, library.path, library.real_path, needing);
      if (file->facts->soname) names_.emplace(*file->facts->soname, position);
    }
    names_.emplace(needed, position);
    tree_.libraries.push_back(std::move(library));
  }

  const HostFile* open(std::size_t needing, const std::string& needed, TreeLibrary& library) {
    Skipped ignored;
    const auto& loaded = loaded_[needing];
    for (const auto& path : search_list_.host_paths(needed, *loaded.facts, loaded.origins)) {
      if (const auto* file = host_files_.open(path, *loaded.facts, ignored)) {
        library.path = path;
        library.how = "path";
        return file;
      }
    }
    return nullptr;
  }

  const HostFile* look_into(const std::vector<Place>& places, const elf::ElfFacts& wanted,
                            TreeLibrary& library) {
    Skipped ignored;
    const bool has_defaults = !has_no_default_folders(wanted);
    for (const auto& place : places) {
      if (place.is_default && !has_defaults) continue;
      const auto hit = search_list_.find(place, library.name, wanted, ignored);
      if (hit.file == nullptr) continue;
      library.path = hit.path;
      library.how = place.how;
      return hit.file;
    }
    return nullptr;
  }

  const HostFile* search(std::size_t needing, const std::string& needed, TreeLibrary& library) {
    library.name = needed;
    const auto& wanted = *loaded_[needing].facts;
    const HostFile* file = nullptr;
    const auto look = [&](const std::vector<Place>& places) {
      if (file == nullptr) file = look_into(places, wanted, library);
    };
    const auto look_at_run_path = [&](std::size_t of) {
      look(search_list_.run_path(*loaded_[of].facts, loaded_[of].origins));
    };
    look(search_list_.asked());
    if (options_.libc == Libc::musl) {
      // ldso/dynlink.c, load_library: LD_LIBRARY_PATH, then the run paths of the whole chain.
      look(search_list_.environment());
      for (std::optional<std::size_t> at = needing; at; at = loaded_[*at].loader) {
        look_at_run_path(*at);
      }
    } else {
      // elf/dl-load.c, _dl_map_object: DT_RPATH counts for nothing in a file that has DT_RUNPATH,
      // and a needing file's DT_RUNPATH turns off the DT_RPATH of those it was loaded through.
      if (!wanted.runpath) {
        for (std::optional<std::size_t> at = needing; at; at = loaded_[*at].loader) {
          if (!loaded_[*at].facts->runpath) look_at_run_path(*at);
        }
      }
      look(search_list_.environment());
      if (wanted.runpath) look_at_run_path(needing);
    }
    look(search_list_.machine(wanted));
    return file;
  }

  const SearchOptions& options_;
  Sysroot sysroot_;
  HostFiles host_files_;
  SearchList search_list_;
  LoadTree tree_;
  std::vector<Loaded> loaded_;
  /// Names that are answered already, with the index into loaded_ where there is one.
  std::map<std::string, std::optional<std::size_t>> names_;
  std::map<const HostFile*, std::size_t> files_;
};

}  // namespace

LoadTree load_tree(const std::filesystem::path& file, const SearchOptions& options) {
  return TreeWalk(options).run(file);
}

}  // namespace truewheel::deps
