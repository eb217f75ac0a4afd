// SPDX-License-Identifier: Apache-2.0
#include "deps/host_files.hpp"

#include "base/byte_reader.hpp"
#include "base/folder_names.hpp"
#include "base/hash.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "deps/machine.hpp"
#include "deps/sibling.hpp"
#include <truewheel/error.hpp>

#include <filesystem>
#include <iterator>
#include <sys/stat.h>
#include <system_error>

namespace truewheel::deps {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kTriesBeforeReading = 16;

/// A library below glibc-hwcaps runs on some processors only, so that it must not go into a wheel
/// (ld.so(8), glibc-hwcaps).
bool is_in_hwcaps(std::string_view path) {
  return path.find("/glibc-hwcaps/") != std::string_view::npos;
}

}  // namespace

HostFolder* HostFiles::folder(const std::string& path) {
  auto& known = folders_[path];
  if (!known) {
    known = std::make_unique<HostFolder>();
    known->path = path;
  }
  return known.get();
}

void HostFiles::read_names(HostFolder& folder) const {
  folder.is_read = true;
  const auto real = sysroot_.real_path(folder.path);
  std::error_code error;
  if (!real || !fs::is_directory(*real, error)) {
    folder.is_listed = true;  // nothing is in a folder that is not there
  } else if (auto names = folder_names(*real)) {
    folder.names.insert(std::make_move_iterator(names->begin()),
                        std::make_move_iterator(names->end()));
    folder.is_listed = true;
  }
}

const HostFile* HostFiles::find(HostFolder& folder, const std::string& name,
                                const elf::ElfFacts& wanted, Skipped& skipped) {
  if (!folder.is_read && ++folder.asked > kTriesBeforeReading) read_names(folder);
  if (folder.is_listed && !folder.names.contains(name)) return nullptr;
  return open(folder.path + '/' + name, wanted, skipped);
}

const HostFile* HostFiles::open(const std::string& path, const elf::ElfFacts& wanted,
                                Skipped& skipped) {
  Candidate& candidate = look_at(path);
  if (candidate.problem.empty() && candidate.identity) {
    const elf::Identity& is = *candidate.identity;
    if (is.bits != wanted.bits || is.little_endian != wanted.little_endian ||
        is.machine != wanted.machine) {
      skipped.push_back(path + ": it is " +
                        describe_machine(is.bits, is.little_endian, is.machine) + ", not " +
                        describe_machine(wanted.bits, wanted.little_endian, wanted.machine));
      return nullptr;
    }
    if (!candidate.is_inspected) inspect(path, candidate);
  }
  if (!candidate.problem.empty()) skipped.push_back(path + ": " + candidate.problem);
  return candidate.file;
}

HostFiles::Candidate& HostFiles::look_at(const std::string& path) {
  const auto [place, is_new] = candidates_.try_emplace(path);
  Candidate& candidate = place->second;
  if (!is_new) return candidate;

  const auto real = sysroot_.real_path(path);
  if (!real) return candidate;  // a dangling link is no file
  struct stat status = {};
  if (::stat(real->c_str(), &status) != 0) return candidate;
  if (!S_ISREG(status.st_mode)) {
    candidate.problem = "it is not a regular file";
    return candidate;
  }
  if (is_in_hwcaps(*real) || is_in_hwcaps(path)) {
    candidate.problem = "libraries below glibc-hwcaps run on some processors only";
    return candidate;
  }
  try {
    candidate.identity = elf::identify(MappedFile(*real).bytes());
    if (!candidate.identity) candidate.problem = "it is not an ELF file";
  } catch (const Error& error) {
    candidate.problem = error.what();
  }
  return candidate;
}

void HostFiles::inspect(const std::string& path, Candidate& candidate) {
  candidate.is_inspected = true;
  const auto real = sysroot_.real_path(path);
  struct stat status = {};
  if (!real || ::stat(real->c_str(), &status) != 0) return;
  auto& known = by_inode_[{status.st_dev, status.st_ino}];
  if (known != nullptr) {
    candidate.file = known;
    return;
  }
  try {
    const MappedFile mapped(*real);
    auto facts = std::make_shared<const elf::ElfFacts>(elf::inspect(mapped.bytes()));
    if (!can_be_needed(*facts)) {
      candidate.problem = "it is not a shared library";
      return;
    }
    known = known_content(std::make_unique<HostFile>(HostFile{*real,
                                                              std::string(folder_name(path)),
                                                              mapped.bytes().size(),
                                                              facts,
                                                              mapped.stamp(),
                                                              {}}),
                          mapped.bytes());
    candidate.file = known;
  } catch (const Error& error) {
    candidate.problem = error.what();
  }
}

const HostFile* HostFiles::known_content(std::unique_ptr<HostFile> file, Bytes bytes) {
  // The loader tells files apart by name and inode. Without a SONAME, copies under other names are
  // libraries of their own, each with its own state.
  const auto name = file->facts->soname ? std::string() : std::string(base_name(file->real_path));
  auto& same = by_size_[{file->size, name}];
  if (same.first == nullptr) {
    same.first = file.get();
  } else {
    if (same.by_digest.empty()) {
      same.by_digest[sha256(MappedFile(same.first->real_path).bytes())] = same.first;
    }
    const auto [known, is_new] = same.by_digest.try_emplace(sha256(bytes), file.get());
    if (!is_new) {
      if (known->second->found_folder != file->found_folder) {
        known->second->other_folders.push_back(file->found_folder);
      }
      return known->second;
    }
  }
  files_.push_back(std::move(file));
  return files_.back().get();
}

}  // namespace truewheel::deps
