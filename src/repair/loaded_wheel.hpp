// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.hpp"
#include "base/mapped_pages.hpp"
#include "base/sparse_content.hpp"
#include "wheel/inflate_member.hpp"
#include <truewheel/repair.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace truewheel::repair {

/// An ELF member's content and the map of its deflate stream, kept for the edit that may follow; of
/// a large one those pages alone that were looked at.
struct HeldContent {
  MappedPages content;
  std::optional<SparseContent> sparse;
  wheel::StreamMap map;
};

/// Id of the finding that `--verify=strict` refuses: members that one file system cannot hold
/// apart.
inline constexpr const char* kCollisionFinding = "name-collision";

/// A member with what one pass over its content told.
struct LoadedMember {
  wheel::Member archive;
  wheel::Digest digest;
  wheel::InstalledPath installed;
  std::optional<elf::Identity> identity;  ///< set when the content has an ELF header
  bool is_elf = false;                    ///< ELF magic, whatever follows
  bool is_ours = false;                   ///< ELF of the wheel's architecture that parsed
  /// Facts of ours that the dynamic linker works on; null for everything else.
  std::shared_ptr<const elf::ElfFacts> facts;
  /// Null when it was not asked for, or would have taken too much memory: inflate the member again.
  /// Whoever edits the file takes it away.
  std::shared_ptr<HeldContent> held = {};
};

/// A wheel whose archive, RECORD and metadata hold, with every member inflated, checked and hashed
/// once.
struct LoadedWheel {
  std::filesystem::path path;
  MappedFile file;
  wheel::WheelName name;
  std::string dist_info;                               ///< folder name, no slash
  std::vector<LoadedMember> members;                   ///< in archive order
  std::unordered_map<std::string, std::size_t> index;  ///< of members, by name
  wheel::WheelMetadata metadata;
  std::string architecture;  ///< "x86_64"; empty for a wheel without ELF files
  deps::Libc libc = deps::Libc::glibc;
  std::vector<Finding> findings;

  [[nodiscard]] const LoadedMember* find(const std::string& member_name) const;
  [[nodiscard]] std::string dist_info_file(const char* leaf) const {
    return dist_info + "/" + leaf;
  }
  /// No ELF file of the wheel's architecture for the dynamic linker, or none at all.
  [[nodiscard]] bool is_pure() const;
};

/// Opens a wheel and checks all of it (framing, RECORD, tags, ELF files). Throws Error;
/// on return every member's CRC held and RECORD agreed, or the disagreements are findings under
/// `accept_record_mismatch`.
enum class Hold { nothing, elf_files };
[[nodiscard]] LoadedWheel load_wheel(const std::filesystem::path& path,
                                     const InspectOptions& options, Hold hold = Hold::nothing);

/// Names of the members that a rewritten wheel never carries over: RECORD itself and its signatures
/// (PEP 815).
[[nodiscard]] bool is_record_file(const std::string& member_name, const std::string& dist_info);

}  // namespace truewheel::repair
