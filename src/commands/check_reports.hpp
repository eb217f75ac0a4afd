// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/commands.hpp"

#include <vector>

namespace truewheel::commands {

/// Writes every report of --report. All texts are made before the first file appears. Throws
/// Error(io) naming the file that cannot be written.
void write_reports(const std::vector<ReportFile>& reports,
                   const std::vector<check::Outcome>& outcomes, std::optional<Severity> fail_on);

}  // namespace truewheel::commands
