// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"

namespace truewheel::repair {

/// Warns about files of a musl wheel that insist on functions which only glibc has: built on
/// Alpine they would not ask for them, so another libc's headers or objects slipped in
/// (microsoft/rego-cpp#226). musl's loader refuses such a file.
void note_glibc_symbols(Plan& plan);

}  // namespace truewheel::repair
