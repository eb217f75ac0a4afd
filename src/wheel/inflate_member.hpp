// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_blocks.hpp"
#include <truewheel/wheel.hpp>

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace truewheel::wheel {

/// Inflates a deflated member into `room`, of its size, with read_member's checks and its `sink`;
/// tells where the stream's blocks lie. Throws Error(refused, "zip-content").
[[nodiscard]] std::vector<DeflateBlock> inflate_member(Bytes archive, const Member& member,
                                                       std::span<std::uint8_t> room,
                                                       const std::function<void(Bytes)>& sink);

/// The first bytes of the content, zeros behind its end; of a damaged stream whatever comes.
[[nodiscard]] std::array<std::uint8_t, 16> first_bytes(Bytes archive, const Member& member);

}  // namespace truewheel::wheel
