// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_splice.hpp"

#include <cstdint>
#include <span>

namespace truewheel {

/// Whether `spliced` inflates to `content`, found out without inflating all of it: what `plan`
/// encodes is inflated and compared, what it copies must be the old stream's very bits. Those say
/// what they said there, since neither their content nor the 32 KiB before it changed, which is
/// what `plan` was made for.
///
/// `part_ends` holds for each part the bit of `spliced` at which it ends; `blocks` must index
/// `stream`.
[[nodiscard]] bool is_proven(Bytes spliced, std::span<const std::uint64_t> part_ends,
                             std::span<const SplicePart> plan, Bytes stream,
                             std::span<const DeflateBlock> blocks, Bytes content,
                             const StreamUsed& used = {});

}  // namespace truewheel
