// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/host_files.hpp"
#include "deps/ld_so_cache.hpp"
#include <truewheel/deps.hpp>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace truewheel::deps {

/// A folder of this machine to look into, and why: "RUNPATH /build/lib", "--search build/lib"; or
/// the system's ld.so.cache, which has no folder.
struct Place {
  HostFolder* folder = nullptr;
  std::string how;
  bool is_default = false;  ///< of the loader itself: DF_1_NODEFLIB turns it off
};

/// A library that a search brought, and the path that led to it.
struct HostHit {
  const HostFile* file = nullptr;
  std::string path;
};

inline constexpr std::uint32_t kNoDefaultLib = 0x800;  ///< DF_1_NODEFLIB of DT_FLAGS_1

/// DF_1_NODEFLIB: what the file needs is not looked for in default folders, nor what the cache has
/// of them (elf/dl-load.c, _dl_map_object).
[[nodiscard]] bool has_no_default_folders(const elf::ElfFacts& facts);

/// Where a file of the graph lies on this machine; a file of the wheel lies nowhere.
struct HostOrigins {
  std::vector<std::string> folders;
};

/// The folders that question 1 is asked of, in the order that README tells.
class SearchList {
 public:
  SearchList(const SearchOptions& options, const Sysroot& sysroot, HostFiles& host_files);

  /// --search.
  [[nodiscard]] const std::vector<Place>& asked() const { return asked_; }

  /// The run path of a file, DT_RUNPATH before DT_RPATH, as folders of this machine. Entries
  /// relative to a file of the wheel lead to none. `owner` is put behind each reason unless empty.
  [[nodiscard]] std::vector<Place> run_path(const elf::ElfFacts& facts, const HostOrigins& origins);

  /// The environment's folders, ld.so.cache, ld.so.conf and the default folders for the class and
  /// machine of `facts`.
  [[nodiscard]] const std::vector<Place>& system(const elf::ElfFacts& facts);
  /// The two halves of system(), between which a loader looks at DT_RUNPATH.
  [[nodiscard]] std::vector<Place> environment();
  [[nodiscard]] std::vector<Place> machine(const elf::ElfFacts& facts);

  /// The library of that name in a place, for the class and machine of `wanted`.
  [[nodiscard]] HostHit find(const Place& place, const std::string& name,
                             const elf::ElfFacts& wanted, Skipped& skipped);

  /// A text with slashes (a run-path entry, a NEEDED path) as paths of this machine, likeliest
  /// first.
  [[nodiscard]] std::vector<std::string> host_paths(std::string_view text,
                                                    const elf::ElfFacts& facts,
                                                    const HostOrigins& origins) const;

 private:
  using MachineKey = std::tuple<unsigned, bool, std::uint16_t, std::uint32_t>;

  void add(std::vector<Place>& places, const std::string& path, std::string how);
  void add_defaults(std::vector<Place>& places, const elf::ElfFacts& facts);
  void add_conf(std::vector<Place>& places);
  void add_cache(std::vector<Place>& places);

  const SearchOptions& options_;
  const Sysroot& sysroot_;
  HostFiles& host_files_;
  std::vector<Place> asked_;
  std::map<MachineKey, std::vector<Place>> system_;
  std::optional<LdSoCache> cache_;  ///< once asked for; no entries when there is none
};

}  // namespace truewheel::deps
