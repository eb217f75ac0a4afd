// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/inflate.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace truewheel {

/// Inflates a stream of `size` bytes of content on `jobs` threads (0: one a core), each at work
/// between two of the restart points that an earlier pass left. `sink` gets the content in order
/// and from one thread at a time; `used` gets the parts of the stream that are done with, from any
/// thread. What is wrong with the stream, or nullopt. Memory: 16 MiB a thread.
[[nodiscard]] std::optional<std::string_view> inflate_in_order(
    Bytes stream, std::uint64_t size, std::span<const RestartPoint> restarts, unsigned jobs,
    const std::function<void(Bytes)>& sink, const std::function<void(Bytes)>& used);

}  // namespace truewheel
