// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/sysroot.hpp"
#include <truewheel/bytes.hpp>
#include <truewheel/elf.hpp>
#include <truewheel/file_stamp.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace truewheel::deps {

/// A library of this machine. One object a file: the same inode, or the same bytes in another
/// place, is the same one; without a SONAME only under the same name.
struct HostFile {
  std::string real_path;
  std::string found_folder;  ///< where the loader would have found it: its $ORIGIN
  std::uint64_t size = 0;
  std::shared_ptr<const elf::ElfFacts> facts;
  FileStamp stamp;
  std::vector<std::string> other_folders;  ///< where files of the same bytes were found since
};

/// A folder of this machine. Its names are read once many were asked for: a system's folder has
/// thousands, of which a small wheel wants three.
struct HostFolder {
  std::string path;
  unsigned asked = 0;
  bool is_read = false;
  bool is_listed = false;  ///< false: unread, or it cannot be read: each name has to be tried
  std::unordered_set<std::string> names;
};

/// Why a file of the wanted name was passed over.
using Skipped = std::vector<std::string>;

/// All looks at this machine's disk, remembered: hundreds of files ask for the same names in the
/// same folders.
class HostFiles {
 public:
  explicit HostFiles(const Sysroot& sysroot) : sysroot_(sysroot) {}

  [[nodiscard]] HostFolder* folder(const std::string& path);

  /// The library `name` of a folder if a process of `wanted`'s class and machine can load it, else
  /// nullptr.
  [[nodiscard]] const HostFile* find(HostFolder& folder, const std::string& name,
                                     const elf::ElfFacts& wanted, Skipped& skipped);
  /// The same for a path.
  [[nodiscard]] const HostFile* open(const std::string& path, const elf::ElfFacts& wanted,
                                     Skipped& skipped);

 private:
  struct Candidate {
    std::optional<elf::Identity> identity;
    const HostFile* file = nullptr;
    std::string problem;  ///< why it is none; empty for a file that is not there
    bool is_inspected = false;
  };

  void read_names(HostFolder& folder) const;
  Candidate& look_at(const std::string& path);
  void inspect(const std::string& path, Candidate& candidate);
  /// Files of one size, told apart by their digests. One alone needs none.
  struct SameSize {
    HostFile* first = nullptr;
    std::map<Buffer, HostFile*> by_digest;
  };
  /// The known file of the same bytes, or `file` itself, known from now on.
  const HostFile* known_content(std::unique_ptr<HostFile> file, Bytes bytes);

  const Sysroot& sysroot_;
  std::unordered_map<std::string, std::unique_ptr<HostFolder>> folders_;
  std::unordered_map<std::string, Candidate> candidates_;  ///< by the path that was asked for
  std::map<std::pair<std::uint64_t, std::uint64_t>, const HostFile*> by_inode_;
  std::map<std::pair<std::uint64_t, std::string>, SameSize> by_size_;  ///< and name, if it counts
  std::vector<std::unique_ptr<HostFile>> files_;
};

}  // namespace truewheel::deps
