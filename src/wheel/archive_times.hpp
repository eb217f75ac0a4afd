// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wheel/dos_time.hpp"

#include <cstdint>

namespace truewheel::wheel {

/// Makes every member's time `time` in an archive that was just written to `descriptor`.
///
/// libzip 1.7.3 takes even a DOS time through mktime() and localtime(): an hour that the local zone
/// skips comes out as another one, and the bytes would depend on TZ. Elsewhere nothing has to be
/// written. A directory that does not read back is Error(withheld, "archive-reread").
void correct_times(int descriptor, std::uint64_t size, const DosTime& time);

}  // namespace truewheel::wheel
