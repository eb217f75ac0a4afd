// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_splice.hpp"
#include "repair/execute.hpp"

#include <cstdint>
#include <vector>

namespace truewheel::repair {

/// An ELF file on its way into the new archive: where its bytes come from, and what it is to be
/// called there.
struct ElfSource {
  std::string name;
  bool executable = false;
  const wheel::Member* member = nullptr;  ///< of `archive`; null: a file of this machine
  const MappedFile* archive = nullptr;
  std::string host_path;
  FileStamp host_stamp;               ///< of the file that was resolved
  std::shared_ptr<HeldContent> held;  ///< of the member; null: it is inflated again
};

/// Strips (if asked to) and edits one ELF file, and makes its compressed form. The edit is checked
/// by the editor's invariants, and what was compressed is proven to be the content; only the
/// deflate blocks that the edit touches are encoded again. Memory: about the file
/// once, whatever its size. Throws Error(withheld, "elf-edit-broken") when an
/// invariant does not hold.
[[nodiscard]] OutputMember rewrite_elf(const ElfSource& source, const elf::ElfEdit& edit,
                                       const Options& options, EditedFile& record);

/// elf::require_sound_edit of versions that share what no patch touches; a broken edit is
/// Error(withheld).
void require_sound(Bytes before, Bytes after, const elf::ElfEdit& edit,
                   const elf::PatchList& patches);
/// What of a content is not what it was at the same offset.
[[nodiscard]] std::vector<ContentRange> changed_ranges(const elf::PatchList& patches,
                                                       std::uint64_t old_size);

}  // namespace truewheel::repair
