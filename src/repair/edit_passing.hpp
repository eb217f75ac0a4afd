// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_splice.hpp"
#include "repair/rewrite_elf.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::repair {

/// What became of a member that was edited while it passed by.
struct PassedEdit {
  elf::PatchList patches;
  wheel::EncodedMember encoded;  ///< name and executable bit are the caller's
  std::string sha256;
  std::shared_ptr<const elf::ElfFacts> facts;
};

/// Edits a deflated member that is too large to be held: by the pages of it that the first pass
/// kept, while it passes by once more. Memory: those pages and the new stream. nullopt where it
/// takes more of the file than was kept, or where something is wrong with it: all of it at hand
/// will tell.
[[nodiscard]] std::optional<PassedEdit> edit_passing(const ElfSource& source,
                                                     const elf::ElfEdit& edit,
                                                     const Options& options);

/// elf::require_sound_edit of versions that share what no patch touches; a broken edit is
/// Error(withheld).
void require_sound(Bytes before, Bytes after, const elf::ElfEdit& edit,
                   const elf::PatchList& patches);
/// What of a content is not what it was at the same offset.
[[nodiscard]] std::vector<ContentRange> changed_ranges(const elf::PatchList& patches,
                                                       std::uint64_t old_size);

}  // namespace truewheel::repair
