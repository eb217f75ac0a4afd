// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_pages.hpp"
#include <truewheel/bytes.hpp>

#include <cstddef>
#include <functional>
#include <optional>

namespace truewheel {

/// What a large content is cut into, in bytes. Smaller ones would cost more of their compression:
/// the first 32 KiB of each have nothing before them to refer to.
inline constexpr std::size_t kDeflatePart = std::size_t{8} << 20U;

/// deflate_smaller() for large contents: parts of kDeflatePart bytes, which `jobs` threads (0: one
/// a core) compress and a sync flush each joins to one stream. The bytes do not depend on `jobs`.
/// `used` is told, from any of the threads, of each part whose bytes are not needed for a while.
[[nodiscard]] std::optional<MappedPages> deflate_in_parts(
    Bytes content, int level, unsigned jobs, const std::function<void(Bytes)>& used = {});

}  // namespace truewheel
