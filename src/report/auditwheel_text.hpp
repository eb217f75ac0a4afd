// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/text.hpp"
#include <truewheel/repair.hpp>

#include <string>
#include <vector>

namespace truewheel::report {

/// `auditwheel show` in auditwheel's form: its sentences, wrapped as it wraps them, since scripts
/// look for them (auditwheel#685), and in its order. Unless full, it ends with the first obstacle
/// that only a new build removes.
[[nodiscard]] std::string auditwheel_text(const repair::Inspection& inspection, Detail detail);

/// What `auditwheel repair` says of the tags of a wheel that is repaired: a better one than the
/// wish, and the file name's before and after.
[[nodiscard]] std::vector<std::string> auditwheel_tag_notes(const repair::Report& report,
                                                            const repair::Options& options);

}  // namespace truewheel::report
