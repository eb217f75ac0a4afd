// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>

namespace truewheel {

/// The first `size` bytes of one open file into another, empty one, through the kernel: nothing of
/// it is held in memory, holes stay holes, and file systems that can share the blocks do. Throws
/// Error(io, "input-changed") when the source is shorter, Error(io, "write") when the target fails.
void copy_file(int source, int target, std::uint64_t size);

/// Writes all of it at an offset; goes on after short writes and EINTR. Throws Error(io, "write").
void write_at(int descriptor, std::uint64_t offset, Bytes bytes);

}  // namespace truewheel
