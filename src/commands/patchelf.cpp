// SPDX-License-Identifier: Apache-2.0
#include "commands/patchelf.hpp"

#include "base/copy_file.hpp"
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

/// The edited bytes, sharing all pages that the edit does not touch: a file of many GiB is checked
/// without a copy of it in memory.
MappedPages edited_version(const Planned& planned) {
  auto version = planned.file.version(planned.patches.keep, planned.patches.tail);
  elf::put_patches(version.bytes(), planned.patches);
  return version;
}

/// What scripts that call patchelf look for in its errors, where our own sentence does not have it.
[[noreturn]] void rethrow_with_patchelfs_words(const Error& error) {
  if (error.id() != "elf-dynamic-no-end" || !error.hint().empty()) throw error;
  throw Error(error.kind(), error.id(), error.what(),
              "patchelf's words: setSubstr: write extends past end of section");
}

Planned plan(const std::filesystem::path& path, const PatchelfCommand& command) {
  Planned planned{path, MappedFile(path), {}};
  const Bytes bytes = planned.file.bytes();
  if (!elf::has_elf_magic(bytes))
    throw Error(ErrorKind::refused, "elf-no-magic", "this is no ELF file");
  const elf::ElfFacts facts = elf::inspect_as_edited(bytes);
  for (const std::string& fault : elf::section_header_faults(bytes))
    report::log_finding({"elf-sections", Severity::warning, path.string(), fault, {}});
  write_stdout(patchelf_text(facts, command.print));

  elf::ElfEdit edit = command.edit;
  edit.run_path = wished_run_path(facts, command.run_path);
  planned.patches = elf::plan_edit(bytes, edit, command.options);
  for (const std::string& step : planned.patches.steps) report::log_detail(step);
  if (planned.patches.moves_headers) {
    report::log_finding(
        {"elf-headers-moved", Severity::warning, path.string(), elf::kHeadersMoved, {}});
  }
  if (planned.patches.breaks_strip)
    report::log_finding({"elf-strip", Severity::warning, path.string(), elf::kStripBreaks, {}});
  if (planned.patches.buries_payload)
    report::log_finding({"elf-payload", Severity::warning, path.string(), elf::kPayloadBuried, {}});
  if (!planned.patches.changes_nothing(bytes.size())) {
    const MappedPages version = edited_version(planned);
    elf::require_sound_edit(bytes, version.bytes(), edit, planned.patches, elf::Unpatched::shared);
  }
  return planned;
}

void write(const Planned& planned, const std::filesystem::path& target) {
  struct stat status {};
  if (::fstat(planned.file.descriptor(), &status) != 0)
    throw Error(ErrorKind::io, "unreadable", "the file cannot be looked at any more");
  auto mode = static_cast<mode_t>(status.st_mode & 07777);
  std::error_code ignored;
  if (!std::filesystem::exists(target, ignored)) mode &= ~file_mode_mask();
  const auto fill = [&](int descriptor, OutputKind kind) {
    if (kind == OutputKind::stream) {
      const MappedPages version = edited_version(planned);
      write_fully(descriptor, version.bytes().data(), version.bytes().size());
    } else {
      const elf::PatchList& patches = planned.patches;
      copy_file(planned.file.descriptor(), descriptor, patches.keep);
      for (const auto& patch : patches.patches) write_at(descriptor, patch.offset, patch.bytes);
      write_at(descriptor, patches.keep, patches.tail);
    }
    if (!planned.file.unchanged() || !planned.file.is_same_file(planned.path))
      throw Error(ErrorKind::io, "input-changed", "the file changed while it was being edited");
  };
  replace_file(target, mode, fill,
               planned.file.is_same_file(target) ? Capabilities::keep : Capabilities::drop);
}

}  // namespace

void run(const PatchelfCommand& command) {
  std::vector<Planned> all;
  for (const auto& path : command.files) {
    with_context(path.string(), [&] {
      // A file that is named twice is printed twice and has its edit once.
      const auto known = std::find_if(all.begin(), all.end(), [&](const Planned& other) {
        return other.file.is_same_file(path);
      });
      if (known != all.end()) {
        const elf::ElfFacts facts = elf::inspect_as_edited(known->file.bytes());
        return write_stdout(patchelf_text(facts, command.print));
      }
      try {
        all.push_back(plan(path, command));
      } catch (const Error& error) {
        rethrow_with_patchelfs_words(error);
      }
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
