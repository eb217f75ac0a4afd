// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.hpp"
#include <truewheel/file_stamp.hpp>

#include <string>

namespace truewheel::repair {

/// A library of this machine, which must be the one that was resolved, as it was then: names, tags
/// and bills of materials were made of that. Throws Error(io, "input-changed").
[[nodiscard]] MappedFile open_library(const std::string& path, const FileStamp& stamp);

/// The error of a library that is not what it was.
[[noreturn]] void fail_changed_library(const std::string& path);

}  // namespace truewheel::repair
