// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/text.hpp"
#include <truewheel/repair.hpp>

#include <string>

namespace truewheel::report {

/// `auditwheel show` in auditwheel's form: its sentences, wrapped as it wraps them, since scripts
/// look for them (auditwheel#685), and in its order. Unless full, it ends with the first obstacle
/// that only a new build removes.
[[nodiscard]] std::string auditwheel_text(const repair::Inspection& inspection, Detail detail);

}  // namespace truewheel::report
