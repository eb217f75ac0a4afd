// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/elf.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::commands {

/// What to print of each file, always in this order.
struct PatchelfPrints {
  bool interpreter = false;
  bool os_abi = false;
  bool soname = false;
  bool run_path = false;
  bool executable_stack = false;
  bool needed = false;
};

/// What to do with a run path. Which one results depends on the file's own.
struct RunPathWish {
  std::optional<std::string> set;
  std::vector<std::string> added;
  bool remove = false;  ///< wins over all others
  bool shrink = false;  ///< of what the others say
  std::vector<std::string> allowed_prefixes;
  bool force_rpath = false;

  [[nodiscard]] bool empty() const { return !set && added.empty() && !remove && !shrink; }
};

/// `truewheel patchelf`.
struct PatchelfCommand {
  std::vector<std::filesystem::path> files;
  std::optional<std::filesystem::path> output;
  PatchelfPrints print;
  elf::ElfEdit edit;  ///< all but the run path
  RunPathWish run_path;
  elf::EditOptions options;
  bool debug = false;
};
/// Prints what the files say, plans and checks all edits, and only then writes the first file. A
/// file that is as wished already is not written.
void run(const PatchelfCommand& command);

/// Its parts: the text that is printed for one file. Throws Error(unfit) if there is no such thing.
[[nodiscard]] std::string patchelf_text(const elf::ElfFacts& facts, const PatchelfPrints& print);

/// The run path that a file shall have: unset if it stays, an inner nullopt if it goes.
[[nodiscard]] std::optional<std::optional<elf::RunPath>> wished_run_path(const elf::ElfFacts& facts,
                                                                         const RunPathWish& wish);

/// EI_OSABI by its name, in any case. Throws Error(usage, "os-abi").
[[nodiscard]] std::uint8_t os_abi_of(const std::string& name);

}  // namespace truewheel::commands
