// SPDX-License-Identifier: Apache-2.0
#include "wheel/dos_time.hpp"

#include <algorithm>
#include <chrono>

namespace truewheel::wheel {

DosTime to_dos_time(const ArchiveTime& time) {
  using std::chrono::floor;
  constexpr std::int64_t kEarliest = 315532800;  // 1980-01-01 00:00:00
  constexpr std::int64_t kLatest = 4354819198;   // 2107-12-31 23:59:58
  const std::chrono::sys_seconds moment(
      std::chrono::seconds(std::clamp(time.seconds, kEarliest, kLatest)));
  const auto midnight = floor<std::chrono::days>(moment);
  const std::chrono::year_month_day day(midnight);
  const std::chrono::hh_mm_ss clock(moment - midnight);
  const auto years = static_cast<unsigned>(static_cast<int>(day.year()) - 1980);
  const auto hours = static_cast<unsigned>(clock.hours().count());
  const auto minutes = static_cast<unsigned>(clock.minutes().count());
  const auto seconds = static_cast<unsigned>(clock.seconds().count());
  return {static_cast<std::uint16_t>(hours << 11 | minutes << 5 | seconds / 2),
          static_cast<std::uint16_t>(years << 9 | static_cast<unsigned>(day.month()) << 5 |
                                     static_cast<unsigned>(day.day()))};
}

}  // namespace truewheel::wheel
