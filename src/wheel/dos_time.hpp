// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/wheel.hpp>

#include <cstdint>

namespace truewheel::wheel {

/// A time as zip headers hold it: two-second steps from 1980 to 2107, in no time zone; ours is UTC.
struct DosTime {
  std::uint16_t time = 0;
  std::uint16_t date = 0;
};

/// Clamps to what can be said. Never asks the machine for its time zone, so the bytes are the same
/// everywhere.
[[nodiscard]] DosTime to_dos_time(const ArchiveTime& time);

}  // namespace truewheel::wheel
