// SPDX-License-Identifier: Apache-2.0
#include "deps/search_list.hpp"

#include "base/text.hpp"
#include "deps/ld_so_conf.hpp"
#include "deps/machine.hpp"
#include "deps/run_path.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <utility>

namespace truewheel::deps {
namespace {

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

/// `text` with every value its tokens may have: what is being repaired may have been built on any
/// distribution.
std::vector<std::string> expansions(std::string_view text, const elf::ElfFacts& facts,
                                    const HostOrigins& origins) {
  const MachineNames names = machine_names(facts);
  TokenValues values;
  if (!names.platform.empty()) values.platform = names.platform;
  // A file of the wheel has no origin here, so that its entries with $ORIGIN lead nowhere.
  const std::vector<std::string> any = {""};
  std::vector<std::string> texts;
  for (const auto& origin : uses_origin(text) ? origins.folders : any) {
    values.origin = origin;
    for (const auto& lib : lib_values(names)) {
      values.lib = lib;
      if (auto expanded = expand_tokens(text, values)) add_once(texts, std::move(*expanded));
    }
  }
  return texts;
}

/// Debian's and the classic folders that glibc is built with.
bool is_default_folder(std::string_view folder) {
  if (folder.starts_with("/usr/")) folder.remove_prefix(4);
  return folder == "/lib" || folder == "/lib64" || folder.starts_with("/lib/");
}

std::string trim_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

bool has_no_default_folders(const elf::ElfFacts& facts) {
  return (facts.dt_flags_1 & kNoDefaultLib) != 0;
}

SearchList::SearchList(const SearchOptions& options, const Sysroot& sysroot, HostFiles& host_files)
    : options_(options), sysroot_(sysroot), host_files_(host_files) {
  for (const auto& folder : options.search) {
    add(asked_, folder.string(), "--search " + folder.string());
  }
}

void SearchList::add(std::vector<Place>& places, const std::string& path, std::string how) {
  // An unset variable splits into one empty text: that is no wish to search the current folder.
  if (path.empty()) return;
  places.push_back({host_files_.folder(trim_slashes(absolute_path(path))), std::move(how)});
}

std::vector<std::string> SearchList::host_paths(std::string_view text, const elf::ElfFacts& facts,
                                                const HostOrigins& origins) const {
  const bool lies_in_sysroot =
      !sysroot_.is_slash() && std::any_of(origins.folders.begin(), origins.folders.end(),
                                          [&](const auto& at) { return sysroot_.is_below(at); });
  std::vector<std::string> paths;
  for (const auto& expanded : expansions(text, facts, origins)) {
    if (!expanded.starts_with('/')) {
      add_once(paths, absolute_path(expanded));  // the loader: relative to the process's folder
      continue;
    }
    // A path in a build's output is one of this machine; in a library of the sysroot it is one of
    // that system.
    if (!lies_in_sysroot) add_once(paths, expanded);
    add_once(paths, sysroot_.inside(expanded));
  }
  return paths;
}

std::vector<Place> SearchList::run_path(const elf::ElfFacts& facts, const HostOrigins& origins) {
  const auto& value = facts.runpath ? facts.runpath : facts.rpath;
  if (!value) return {};
  const std::string kind = facts.runpath ? "RUNPATH " : "RPATH ";
  std::vector<Place> places;
  for (const auto& entry : run_path_entries(*value)) {
    for (const auto& path : host_paths(entry, facts, origins)) {
      add(places, path, kind + (entry.empty() ? "(empty entry)" : entry));
    }
  }
  return places;
}

const std::vector<Place>& SearchList::system(const elf::ElfFacts& facts) {
  const MachineKey key{facts.bits, facts.little_endian, facts.machine, facts.flags};
  const auto [place, is_new] = system_.try_emplace(key);
  std::vector<Place>& places = place->second;
  if (!is_new) return places;

  places = environment();
  for (auto& entry : machine(facts)) places.push_back(std::move(entry));
  return places;
}

std::vector<Place> SearchList::environment() {
  std::vector<Place> places;
  for (const auto& folder : options_.auditwheel_ld_library_path) {
    add(places, sysroot_.inside(folder.string()), "AUDITWHEEL_LD_LIBRARY_PATH " + folder.string());
  }
  if (options_.ldpaths) return places;
  for (const auto& folder : options_.ld_library_path) {
    add(places, sysroot_.inside(folder.string()), "LD_LIBRARY_PATH " + folder.string());
  }
  return places;
}

std::vector<Place> SearchList::machine(const elf::ElfFacts& facts) {
  std::vector<Place> places;
  if (options_.ldpaths) {
    for (const auto& folder : *options_.ldpaths) {
      add(places, folder.string(), "--ldpaths " + folder.string());
    }
  } else {
    add_defaults(places, facts);
  }
  return places;
}

void SearchList::add_defaults(std::vector<Place>& places, const elf::ElfFacts& facts) {
  const MachineNames names = machine_names(facts);
  std::vector<std::string> folders;
  switch (options_.libc) {
    case Libc::glibc:
      // The loader looks into the cache and not at ld.so.conf, whose folders are in the cache.
      // Where nobody ran ldconfig (a sysroot that was unpacked) they stand for it.
      add_cache(places);
      if (places.empty()) add_conf(places);
      if (!names.multiarch.empty()) {
        folders = {"/lib/" + names.multiarch, "/usr/lib/" + names.multiarch};
      }
      if (names.lib_folder != "lib") {
        folders.push_back("/" + names.lib_folder);
        folders.push_back("/usr/" + names.lib_folder);
      }
      folders.emplace_back("/lib");
      folders.emplace_back("/usr/lib");
      break;
    case Libc::musl:
      folders = musl_folders(sysroot_, names.musl);
      break;
    case Libc::bionic: {
      // kDefaultLdPaths of bionic's linker.cpp; a glibc system's folders have nothing for Android.
      const std::string lib = facts.bits == 64 ? "/lib64" : "/lib";
      folders = {"/system" + lib, "/odm" + lib, "/vendor" + lib};
      break;
    }
  }
  for (const auto& folder : folders) {
    add(places, sysroot_.inside(folder), "default folder " + folder);
    places.back().is_default = true;
  }
  // A folder that the cache does not know yet: the loader would not find it, a build meant it.
  if (cache_ && !cache_->empty()) add_conf(places);
}

void SearchList::add_conf(std::vector<Place>& places) {
  for (const auto& folder : ld_so_conf_folders(sysroot_)) {
    add(places, sysroot_.inside(folder), "/etc/ld.so.conf " + folder);
  }
}

void SearchList::add_cache(std::vector<Place>& places) {
  if (!cache_) {
    try {
      cache_ = LdSoCache::read(sysroot_).value_or(LdSoCache());
    } catch (const Error&) {
      cache_.emplace();  // glibc, too, goes on without a cache that it cannot read
    }
  }
  if (!cache_->empty()) places.push_back({nullptr, "/etc/ld.so.cache"});
}

HostHit SearchList::find(const Place& place, const std::string& name, const elf::ElfFacts& wanted,
                         Skipped& skipped) {
  if (place.folder != nullptr) {
    return {host_files_.find(*place.folder, name, wanted, skipped),
            place.folder->path + "/" + name};
  }
  for (const auto& path : cache_->find(name)) {
    if (has_no_default_folders(wanted) && is_default_folder(folder_name(path))) continue;
    const auto host_path = sysroot_.inside(path);
    if (const auto* file = host_files_.open(host_path, wanted, skipped)) return {file, host_path};
  }
  return {};
}

}  // namespace truewheel::deps
