// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_splice.hpp"
#include "base/mapped_pages.hpp"
#include <truewheel/bytes.hpp>

#include <functional>
#include <vector>

namespace truewheel::repair {

/// For a version of a mapped file (MappedFile::version) that differs from it in `changed` only:
/// gives the pages of a piece of it back to the system, but for those that hold a change. They come
/// from the file again when they are asked for. `version` must outlive the function.
[[nodiscard]] std::function<void(Bytes)> drop_untouched(const MappedPages& version,
                                                        std::vector<ContentRange> changed);

}  // namespace truewheel::repair
