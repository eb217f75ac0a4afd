// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

namespace truewheel::repair {

/// True if all sections with instructions, of which there are some, have equal bytes: no editor of
/// dynamic sections touches them, nor does strip. A build-id may be set by hand; the code tells.
[[nodiscard]] bool same_code(Bytes one, Bytes other);

}  // namespace truewheel::repair
