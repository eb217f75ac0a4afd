// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "check/subject.hpp"
#include "elf/payload.hpp"

#include <algorithm>
#include <utility>

namespace truewheel::check {
namespace {

/// Files below a folder that are worth a look, as paths relative to it, sorted. Symbolic links to
/// files count once for each name (an installer of the folder sees each), links to folders are not
/// followed.
std::vector<std::string> files_below(const std::filesystem::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk at(folder, std::filesystem::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    paths.push_back(at->path().lexically_relative(folder).generic_string());
  }
  if (error) throw Error(ErrorKind::io, "unreadable", error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// One file of a folder: only ELF files are read further than their first bytes.
Inspected look_at_file(const std::filesystem::path& path, const std::string& name,
                       const Options& options) {
  Inspected inspected;
  inspected.member.path = name;
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  constexpr auto kExecute = std::filesystem::perms::owner_exec |
                            std::filesystem::perms::group_exec |
                            std::filesystem::perms::others_exec;
  inspected.member.executable = (status.permissions() & kExecute) != std::filesystem::perms::none;
  inspected.member.size = std::filesystem::file_size(path, ignored);
  if (inspected.member.size < 4) return inspected;
  const MappedFile file(path);
  if (!elf::has_elf_magic(file.bytes())) return inspected;
  inspect_content(file.bytes(), options, inspected);
  file.drop(file.bytes());
  return inspected;
}

Subject open_folder(const std::filesystem::path& path, const Options& options) {
  Subject subject;
  subject.kind = Subject::Kind::folder;
  const auto names = files_below(path);
  auto inspected = inspect_all(
      names.size(), options.jobs, [](std::size_t) { return std::uint64_t{0}; },
      [&](std::size_t i) {
        return with_context(printable(names[i]),
                            [&] { return look_at_file(path / names[i], names[i], options); });
      });
  for (auto& file : inspected) subject.size += file.member.size;
  settle(subject, std::move(inspected));
  tell_copies_apart(subject, [&](std::size_t i) {
    return elf::payload_digest(MappedFile(path / names[i]).bytes());
  });
  // Who means the wheels of a folder must not hear that nothing is wrong with the folder.
  const auto is_wheel = [](const std::string& name) { return name.ends_with(".whl"); };
  if (subject.files.empty() && std::ranges::any_of(names, is_wheel)) {
    throw Error(ErrorKind::usage, "folder-of-wheels",
                "the folder holds wheels and no ELF file; wheels are named one by one",
                "truewheel check " + printable(path.native()) + "/*.whl");
  }
  return subject;
}

Subject open_file(const std::filesystem::path& path, Bytes content, const Options& options) {
  Subject subject;
  subject.kind = Subject::Kind::file;
  subject.size = content.size();
  std::vector<Inspected> inspected(1);
  inspected[0].member.path = path.filename().string();
  inspected[0].member.size = content.size();
  inspected[0].member.executable = true;  // its mode is its owner's business
  inspect_content(content, options, inspected[0]);
  settle(subject, std::move(inspected));
  return subject;
}

}  // namespace

Subject open_subject(const std::filesystem::path& path, const Options& options) {
  Subject subject;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    subject = open_folder(path, options);
  } else {
    const MappedFile file(path);
    const auto name = path.filename().string();
    // What is called a wheel is one to an installer, whatever its first bytes make it.
    const bool is_wheel = name.ends_with(".whl");
    if (!is_wheel && !elf::has_elf_magic(file.bytes())) {
      throw Error(ErrorKind::refused, "no-subject",
                  "it is neither a wheel (.whl) nor a folder nor an ELF file");
    }
    subject =
        is_wheel ? read_wheel(file.bytes(), name, options) : open_file(path, file.bytes(), options);
    if (!file.unchanged()) {
      throw Error(ErrorKind::io, "input-changed", "the file changed while it was read");
    }
  }
  subject.path = path;
  if (subject.kind != Subject::Kind::wheel) subject.name = path.string();
  examine(subject, options);
  return subject;
}

Subject open_wheel(Bytes archive, const std::string& file_name, const Options& options) {
  Subject subject = read_wheel(archive, file_name, options);
  examine(subject, options);
  return subject;
}

}  // namespace truewheel::check
