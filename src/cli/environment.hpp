// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/wheel.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::cli {

/// The only place that reads the environment.
[[nodiscard]] std::optional<std::string> environment(const char* name);

/// The rest of the names of variables that begin so.
[[nodiscard]] std::vector<std::string> environment_names(std::string_view beginning);

/// A colon-separated list of folders; empty pieces say nothing and are dropped.
[[nodiscard]] std::vector<std::filesystem::path> folder_list(std::string_view text);

/// LD_LIBRARY_PATH as glibc splits it, at semicolons as well (elf/dl-load.c, _dl_init_paths); empty
/// where it is not set.
[[nodiscard]] std::vector<std::filesystem::path> ld_library_path();

/// SOURCE_DATE_EPOCH, or 1980-01-01. Throws Error(usage, "source-date-epoch") when it is no number.
[[nodiscard]] wheel::ArchiveTime archive_time();

}  // namespace truewheel::cli
