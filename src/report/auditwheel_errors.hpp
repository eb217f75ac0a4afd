// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/error.hpp>

#include <string>
#include <string_view>

namespace truewheel::report {

/// What auditwheel says of a wheel without ELF files.
inline constexpr std::string_view kNoPlatformWheel =
    "This does not look like a platform wheel, no ELF executable or shared library file (including "
    "compiled Python C extension) found in the wheel archive";

/// auditwheel's own sentence for a failure, since scripts look for it; empty where it has none.
[[nodiscard]] std::string auditwheels_words(const Error& error);

}  // namespace truewheel::report
