// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/deps.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace truewheel::oracle {

/// One search of glibc's loader, from its own account (LD_DEBUG=libs,files).
struct Search {
  std::string needing;     ///< path of the file that needs it, in the layout
  std::string needed;      ///< the name after its tokens were expanded
  std::string last_tried;  ///< absolute; the file if one was opened
  bool is_new = false;     ///< a link map was made for it
};

/// glibc as it runs here.
class GlibcLoader {
 public:
  explicit GlibcLoader(std::filesystem::path workshop);

  /// The values of its tokens and the subfolders it tries, as it tells them itself.
  [[nodiscard]] deps::LoaderMachine machine() const;

  /// Opens a library by dlopen; ends at the first library that is missing.
  [[nodiscard]] std::vector<Search> open(const std::filesystem::path& root,
                                         const std::string& file) const;
  /// Lists a program's or library's dependencies; goes on when one is missing.
  [[nodiscard]] std::vector<Search> list(const std::filesystem::path& root,
                                         const std::string& file) const;

 private:
  std::filesystem::path workshop_;
};

/// What musl's loader did with a layout: libraries in load order, and what it missed.
struct MuslTrace {
  std::vector<std::string> loaded;  ///< paths in the layout, the root left out
  std::vector<std::pair<std::string, std::string>> missing;  ///< needing path, needed name
};

class MuslLoader {
 public:
  /// nullopt where musl or its compiler is not installed.
  static std::optional<MuslLoader> find(const std::filesystem::path& workshop);

  [[nodiscard]] MuslTrace list(const std::filesystem::path& root, const std::string& file) const;
  /// Only for layouts in which nothing is missing.
  [[nodiscard]] MuslTrace open(const std::filesystem::path& root, const std::string& file) const;

 private:
  std::filesystem::path workshop_;
};

/// A path of this machine as one of the layout below `root`; nullopt outside of it.
[[nodiscard]] std::optional<std::string> in_layout(const std::filesystem::path& root,
                                                   const std::string& path);

}  // namespace truewheel::oracle
