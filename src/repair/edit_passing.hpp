// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/rewrite_elf.hpp"

#include <memory>
#include <optional>
#include <string>

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

}  // namespace truewheel::repair
