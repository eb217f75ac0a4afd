// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace truewheel::deps {

/// The root of the system that libraries come from: "/" or a folder that holds another system's
/// files, whose absolute links and paths then mean that folder.
class Sysroot {
 public:
  explicit Sysroot(const std::filesystem::path& root);

  /// Where an absolute path of that system lies on this machine. A path that is below the root
  /// already, or relative, stays as it is.
  [[nodiscard]] std::string inside(std::string_view path) const;
  [[nodiscard]] bool is_below(std::string_view host_path) const;
  [[nodiscard]] bool is_slash() const { return root_.empty(); }

  /// `host_path` with all symbolic links followed, those of files below the root within the root;
  /// nullopt when it does not lead to anything.
  [[nodiscard]] std::optional<std::string> real_path(std::string_view host_path) const;

 private:
  std::string root_;  ///< real and without a slash at its end: "" is the machine's own root
};

/// The absolute form of a path of this machine, lexically untouched apart from that.
[[nodiscard]] std::string absolute_path(std::string_view path);

}  // namespace truewheel::deps
