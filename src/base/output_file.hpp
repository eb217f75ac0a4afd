// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/interruption.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace truewheel {

enum class Existing { replace, refuse };

/// A file without a name until publish(): O_TMPFILE in the target folder, or a hidden temporary
/// file where the file system has none. The destructor discards; it deliberately does not publish
/// what nobody has verified.
class OutputFile {
 public:
  /// Makes the folder (and its parents) if it is not there. Throws Error(io, "output-…").
  explicit OutputFile(const std::filesystem::path& target);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }

  /// sync() if that was not called, then link under the final name (rename over an existing file; a
  /// symlink of that name is replaced, never followed; a folder is an error), then fsync of the
  /// folder. Mode 0644 less the umask.
  void publish(Existing existing);

  /// fsync alone, so that several files can be made durable before the first gets its name. Nothing
  /// may be written afterwards.
  void sync();

 private:
  void make_folders(const std::filesystem::path& folder);
  void undo() noexcept;
  [[nodiscard]] std::string own_link() const;
  [[nodiscard]] bool link_as(const std::string& name) const;  ///< false if the name is taken
  void replace_existing(const std::string& name);

  std::filesystem::path target_;
  int descriptor_ = -1;
  int folder_ = -1;
  bool synced_ = false;
  std::string hidden_name_;                            ///< set where the file has one
  std::vector<std::filesystem::path> made_folders_;    ///< outermost first
  std::vector<RemovedOnInterruption> removed_;         ///< those
  std::optional<RemovedOnInterruption> removed_file_;  ///< and the hidden file
};

/// Writes all of it; goes on after short writes and EINTR. Throws Error(io, "write").
void write_fully(int descriptor, const void* data, std::size_t size);

/// An empty file that can be written at any offset, or what takes bytes one behind the other.
enum class OutputKind { file, stream };
using FillOutput = std::function<void(int descriptor, OutputKind kind)>;

/// The permissions that a new file does not get (umask(2)).
[[nodiscard]] unsigned file_mode_mask();

/// What becomes of a program's capabilities (capabilities(7)), which the kernel takes away at each
/// write: they go, or are given again, where the process may (CAP_SETFCAP), to what is the same
/// program still.
enum class Capabilities { drop, keep };

/// Replaces a file's content through a temporary file and rename, keeping its owner, extended
/// attributes and access list where allowed, all but those that a change of content voids;
/// a symlink is followed. `mode` is the mode of the result. A character device or a pipe is written
/// to and stays; a folder, a block device and a socket are refused. `fill` writes the content; when
/// it throws, a file stays as it was.
void replace_file(const std::filesystem::path& path, unsigned mode, const FillOutput& fill,
                  Capabilities capabilities = Capabilities::drop);

}  // namespace truewheel
