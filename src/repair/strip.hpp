// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

namespace truewheel::repair {

/// The file without its symbol table and debug information, by the system's `strip -s`: the one
/// outside program that truewheel starts, and only on request. Stripping comes before editing,
/// since strip lays files out anew (auditwheel#716). Throws Error(io, "strip-…") when strip is
/// absent or fails.
[[nodiscard]] Buffer strip_symbols(Bytes file);

}  // namespace truewheel::repair
