// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/deflate_blocks.hpp"
#include "base/inflate.hpp"
#include <truewheel/wheel.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace truewheel::wheel {

/// Inflates a deflated member into `room`, of its size, with read_member's checks and its `sink`;
/// tells where the stream's blocks lie. Throws Error(refused, "zip-content").
[[nodiscard]] std::vector<DeflateBlock> inflate_member(Bytes archive, const Member& member,
                                                       std::span<std::uint8_t> room,
                                                       const std::function<void(Bytes)>& sink);

/// What it takes to splice a deflated member's stream and to inflate it again on several threads.
struct StreamMap {
  std::vector<DeflateBlock> blocks;
  std::vector<RestartPoint> restarts;
};

/// stream_member() that also fills `map` of a deflated member.
void stream_member(Bytes archive, const Member& member, const std::function<void(Bytes)>& sink,
                   const std::function<void(Bytes)>& used, StreamMap& map);
/// stream_member() of a deflated member on `jobs` threads (0: one a core), by the map that an
/// earlier pass made. `sink` gets the content in order and from one thread at a time, `used` from
/// any.
void stream_member(Bytes archive, const Member& member, const StreamMap& map, unsigned jobs,
                   const std::function<void(Bytes)>& sink, const std::function<void(Bytes)>& used);

/// The first bytes of the content, zeros behind its end; of a damaged stream whatever comes.
[[nodiscard]] std::array<std::uint8_t, 16> first_bytes(Bytes archive, const Member& member);

}  // namespace truewheel::wheel
