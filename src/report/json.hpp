// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/error.hpp>
#include <truewheel/repair.hpp>

#include <string>

namespace truewheel::report {

/// `show --json`: auditwheel's keys with auditwheel's meaning, and ours on top. Key order is fixed.
[[nodiscard]] std::string show_json(const repair::Inspection& inspection);
/// The same for a wheel that could not be shown.
[[nodiscard]] std::string show_error_json(const std::string& wheel, const Error& error);

}  // namespace truewheel::report
