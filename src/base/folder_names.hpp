// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace truewheel {

/// The names in `folder` but `.` and `..`, sorted, so that no answer depends on the order in which
/// a file system lists them; nullopt if it cannot be read to its end. Not std::filesystem:
/// libstdc++'s directory_iterator allocates in functions that may not throw, and so ends the
/// program when memory is short.
[[nodiscard]] std::optional<std::vector<std::string>> folder_names(
    const std::filesystem::path& folder);

}  // namespace truewheel
