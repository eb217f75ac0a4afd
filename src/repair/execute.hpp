// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace truewheel::repair {

/// A member of the finished archive, with what verification holds it to.
struct OutputMember {
  wheel::EncodedMember encoded;
  std::string sha256;  ///< of the content, as RECORD writes it
  /// Set for a member whose compressed bytes are the input's: index into LoadedWheel::members.
  std::optional<std::size_t> copied_from;
  std::optional<std::size_t> file;  ///< index into Plan::files when it is one of those
  /// Of an ELF file that was written anew: what its bytes say now.
  std::shared_ptr<const elf::ElfFacts> facts;
  /// What a split strip took out of it; null otherwise.
  std::shared_ptr<const MappedFile> debug = {};
};

struct Execution {
  std::vector<OutputMember> members;  ///< in archive order, RECORD last
  std::vector<EditedFile> edits;      ///< in the order of Plan::files
};

/// Edits, compresses and orders: all members of the finished wheel, unchanged ones as views of the
/// input, the others in memory or put aside in `folder` (EncodedStore). Decides
/// nothing; every edit is checked in process (elf::edit). Same plan, same bytes, whatever the
/// thread count.
[[nodiscard]] Execution execute(const LoadedWheel& wheel, const Plan& plan,
                                const deps::Graph& graph, const Options& options,
                                const std::filesystem::path& folder);

}  // namespace truewheel::repair
