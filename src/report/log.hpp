// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/error.hpp>
#include <truewheel/finding.hpp>

#include <string>
#include <string_view>

namespace truewheel::report {

enum class Verbosity { quiet, normal, verbose };

/// Sets up the log on stderr: colour only on a terminal and without NO_COLOR in the environment.
void start_log(Verbosity verbosity);

/// What messages begin with instead of "truewheel": the name that a user called the program by.
void name_program(std::string_view name);
[[nodiscard]] const std::string& program_name();

/// `truewheel: error: <where>: <what>`, and `hint: …` on a line of its own.
void log_error(const Error& error);
void log_error(std::string_view what);
void log_warning(std::string_view what);
/// Warnings and errors always (unless quiet), notes when verbose.
void log_finding(const Finding& finding);
/// A line for people, not under --quiet.
void log_info(std::string_view what);
/// A line only under --verbose.
void log_detail(std::string_view what);

/// One line on a terminal that is written over by the next; nothing elsewhere. An empty text clears
/// it.
void show_progress(std::string_view what);

}  // namespace truewheel::report
