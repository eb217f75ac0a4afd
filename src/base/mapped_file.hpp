// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_pages.hpp"
#include <truewheel/bytes.hpp>
#include <truewheel/file_stamp.hpp>

#include <filesystem>
#include <functional>

namespace truewheel {

/// A file mapped read-only. Opening never writes; the file is checked with fstat to be a regular
/// one. Throws Error(usage, "absent-input") when there is none, Error(io, "unreadable") for
/// everything else.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  explicit MappedFile(
      int descriptor);  ///< maps what is open already; does not take the descriptor over
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] Bytes bytes() const { return {data_, size_}; }
  /// Of the time of opening.
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  /// True when size and modification time are still those.
  [[nodiscard]] bool unchanged() const;
  /// Tells the kernel that `piece`, a part of bytes(), need not stay in memory; reading it again
  /// works and costs a read.
  void drop(Bytes piece) const noexcept;
  /// The first `keep` bytes with `tail` behind them, writable, without any effect on the file. Only
  /// the pages that are written to take memory of their own.
  [[nodiscard]] MappedPages version(std::uint64_t keep, Bytes tail) const;
  /// The open file, for copying it without reading it.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Device and inode, for telling whether a path names this very file.
  [[nodiscard]] bool is_same_file(const std::filesystem::path& path) const;

 private:
  void map(int descriptor);
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  FileStamp stamp_;
  int descriptor_ =
      -1;  ///< kept, so that unchanged() asks about this very file and not about its name
  std::filesystem::path path_;
};

/// Whether parts of two files have the same bytes; the pages of neither stay in memory.
[[nodiscard]] bool same_bytes(const MappedFile& file, Bytes part, const MappedFile& other_file,
                              Bytes other_part);
/// The same of one file and what it should have; `compared` is told which of that was looked at.
[[nodiscard]] bool same_bytes(const MappedFile& file, Bytes part, Bytes expected,
                              const std::function<void(Bytes)>& compared = {});

}  // namespace truewheel
