// SPDX-License-Identifier: Apache-2.0
#include "report/log.hpp"

#include "base/text.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

namespace truewheel::report {
namespace {

/// What messages begin with.
std::string& program() {
  static std::string name = "truewheel";
  return name;
}

std::string pattern() { return program() + ": %^%l%$: %v"; }

// spdlog's registry is the one global of the program; this pointer is only set by start_log().
std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::never);
    auto created = std::make_shared<spdlog::logger>("truewheel", std::move(sink));
    created->set_pattern(pattern());
    return created;
  }();
  return instance;
}

bool is_quiet() { return logger()->level() > spdlog::level::info; }

bool has_terminal() { return isatty(STDERR_FILENO) == 1; }

/// Text that may hold file names: line breaks we put in stay, everything else that could drive a
/// terminal does not.
std::string safe(std::string_view text) {
  std::string result;
  for (const auto& line : split(text, '\n')) {
    if (!result.empty()) result += '\n';
    result += printable(line);
  }
  return result;
}

std::string with_where(std::string_view where, std::string_view what) {
  return printable(where) + (where.empty() ? "" : ": ") + safe(what);
}

void write_hint(std::string_view hint) {
  if (hint.empty() || is_quiet()) return;
  std::fputs(("hint: " + safe(hint) + "\n").c_str(), stderr);
}

}  // namespace

void name_program(std::string_view name) {
  program() = name;
  logger()->set_pattern(pattern());
}

const std::string& program_name() { return program(); }

void start_log(Verbosity verbosity) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool colour = has_terminal() && (no_color == nullptr || *no_color == '\0');
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      colour ? spdlog::color_mode::always : spdlog::color_mode::never);
  auto created = std::make_shared<spdlog::logger>("truewheel", std::move(sink));
  created->set_pattern(pattern());
  created->set_level(verbosity == Verbosity::quiet     ? spdlog::level::err
                     : verbosity == Verbosity::verbose ? spdlog::level::debug
                                                       : spdlog::level::info);
  logger() = std::move(created);
}

void log_error(const Error& error) {
  show_progress({});
  logger()->error("{}", with_where(error.where(), error.what()));
  write_hint(error.hint());
}

void log_error(std::string_view what) {
  show_progress({});
  logger()->error("{}", safe(what));
}

void log_warning(std::string_view what) {
  show_progress({});
  logger()->warn("{}", safe(what));
}

void log_finding(const Finding& finding) {
  show_progress({});
  const auto text = with_where(finding.where, finding.what);
  switch (finding.severity) {
    case Severity::note:
      logger()->debug("{}", text);
      return;
    case Severity::warning:
      logger()->warn("{}", text);
      break;
    case Severity::error:
      logger()->error("{}", text);
      break;
  }
  write_hint(finding.hint);
}

void log_info(std::string_view what) {
  show_progress({});
  logger()->info("{}", safe(what));
}

void log_detail(std::string_view what) {
  show_progress({});
  logger()->debug("{}", safe(what));
}

void show_progress(std::string_view what) {
  static bool line_is_open = false;
  if (!has_terminal() || is_quiet()) return;
  if (what.empty() && !line_is_open) return;
  line_is_open = !what.empty();
  std::fputs(("\r\033[K" + printable(what)).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace truewheel::report
