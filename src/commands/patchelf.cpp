// SPDX-License-Identifier: Apache-2.0
#include "commands/patchelf.hpp"

#include "base/byte_reader.hpp"
#include "base/mapped_file.hpp"
#include "base/output_file.hpp"
#include "commands/commands.hpp"
#include "report/log.hpp"

#include <algorithm>
#include <sys/stat.h>

namespace truewheel::commands {
namespace {

/// A file whose edit is planned and checked, but not written.
struct Planned {
  std::filesystem::path path;
  MappedFile file;
  elf::PatchList patches;
};

Planned plan(const std::filesystem::path& path, const PatchelfCommand& command) {
  Planned planned{path, MappedFile(path), {}};
  const Bytes bytes = planned.file.bytes();
  if (!elf::has_elf_magic(bytes))
    throw Error(ErrorKind::refused, "elf-no-magic", "this is no ELF file");
  const elf::ElfFacts facts = elf::inspect_natively(bytes);
  write_stdout(patchelf_text(facts, command.print));

  elf::ElfEdit edit = command.edit;
  edit.run_path = wished_run_path(facts, command.run_path);
  planned.patches = elf::plan_edit(bytes, edit, command.options);
  for (const std::string& step : planned.patches.steps) report::log_detail(step);
  if (!planned.patches.changes_nothing(bytes.size())) {
    elf::require_sound_edit(bytes, elf::apply(bytes, planned.patches), edit, planned.patches);
  }
  return planned;
}

void write(const Planned& planned, const std::filesystem::path& target) {
  struct stat status {};
  if (::stat(planned.path.c_str(), &status) != 0 || !planned.file.unchanged())
    throw Error(ErrorKind::io, "input-changed", "the file changed while it was being edited");
  const Buffer edited = elf::apply(planned.file.bytes(), planned.patches);
  replace_file(target, std::string(as_text(edited)), status.st_mode & 07777);
}

}  // namespace

void run(const PatchelfCommand& command) {
  std::vector<Planned> all;
  for (const auto& path : command.files) {
    with_context(path.string(), [&] {
      // A file that is named twice has its edit once.
      const bool known = std::any_of(all.begin(), all.end(), [&](const Planned& other) {
        return other.file.is_same_file(path);
      });
      if (!known) all.push_back(plan(path, command));
    });
  }
  for (const Planned& planned : all) {
    with_context(planned.path.string(), [&] {
      if (command.output) return write(planned, *command.output);
      if (!planned.patches.changes_nothing(planned.file.bytes().size()))
        write(planned, planned.path);
    });
  }
}

}  // namespace truewheel::commands
