// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/log.hpp"
#include <truewheel/check.hpp>
#include <truewheel/repair.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::commands {

/// `truewheel repair`: all wheels of one call are one transaction: all are written or none.
struct RepairCommand {
  std::vector<std::filesystem::path> wheels;
  repair::Options options;
  bool dry_run = false;
  /// Say what auditwheel says where it says it: stderr, one line a wheel.
  bool as_auditwheel = false;
  report::Verbosity verbosity = report::Verbosity::normal;
};
void run(const RepairCommand& command);

/// `truewheel show`.
struct ShowCommand {
  std::vector<std::filesystem::path> wheels;  ///< all are shown, then the first failure ends it
  repair::InspectOptions options;
  bool json = false;
  bool allow_pure = false;
  report::Verbosity verbosity = report::Verbosity::normal;
  bool as_auditwheel = false;  ///< in auditwheel's sentences, which scripts look for
};
void run(const ShowCommand& command);

/// `truewheel lddtree`.
struct TreeCommand {
  std::filesystem::path file;
  deps::SearchOptions search;  ///< its libc is told by the file itself
};
void run(const TreeCommand& command);

/// A distribution that is installed below a root folder.
struct InstalledName {
  std::string distribution;
  std::filesystem::path root;
  std::vector<std::filesystem::path> ld_library_path;
};

enum class ReportFormat { json, sarif, junit, markdown, html, github };
struct ReportFile {
  ReportFormat format = ReportFormat::json;
  std::filesystem::path path;  ///< empty: stdout
};

/// `truewheel check`.
struct CheckCommand {
  std::vector<std::filesystem::path> paths;
  std::optional<InstalledName> installed;
  check::Options options;
  std::optional<Severity> fail_on = Severity::error;  ///< unset: never
  bool json = false;
  std::vector<ReportFile> reports;  ///< besides what is said on stdout
  bool list_rules = false;
  std::optional<std::string> explain;  ///< a rule's id
  report::Verbosity verbosity = report::Verbosity::normal;
};
/// Throws Error(unfit) for findings at or above `fail_on`, Error(refused) for what is no wheel.
void run(const CheckCommand& command);

/// `truewheel explain`.
struct ExplainCommand {
  std::string library;
  std::filesystem::path subject;
  std::optional<InstalledName> installed;
  check::Options options;
};
void run(const ExplainCommand& command);

/// `truewheel show … | head -1`: nobody reads what is printed any more. That ends a program without
/// a word, as SIGPIPE ends others, and with the exit code that a shell gives it then.
struct OutputUnread {
  static constexpr int kExitCode = 128 + 13;
};

/// Writes data or a report to stdout. Throws Error(io) when that fails (a full disk), OutputUnread
/// for a pipe without a reader.
void write_stdout(const std::string& text);

}  // namespace truewheel::commands
