// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/repair.hpp>

#include <string>

namespace truewheel::report {

/// `auditwheel show` in auditwheel's form: its sentences, wrapped as it wraps them, since scripts
/// look for them (auditwheel#685).
[[nodiscard]] std::string auditwheel_text(const repair::Inspection& inspection);

}  // namespace truewheel::report
