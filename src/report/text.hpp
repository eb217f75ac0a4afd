// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/repair.hpp>

#include <string>

namespace truewheel::report {

enum class Detail { normal, full };

/// The repair report for people: every graft, exclusion, edit and tag with its reason.
[[nodiscard]] std::string repair_text(const repair::Report& report, Detail detail);

/// What `show` prints for people.
[[nodiscard]] std::string show_text(const repair::Inspection& inspection, Detail detail);

}  // namespace truewheel::report
