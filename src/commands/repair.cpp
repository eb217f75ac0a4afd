// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "report/auditwheel_errors.hpp"
#include "report/auditwheel_text.hpp"
#include "report/counted.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <set>

namespace truewheel::commands {
namespace {

void tell(const repair::Report& report, const RepairCommand& command) {
  report::show_progress({});
  for (const auto& finding : report.findings) report::log_finding(finding);
  if (command.as_auditwheel && !command.dry_run) {
    if (report.pure) {
      report::log_info(report::kNoPlatformWheel);
    } else {
      for (const auto& note : report::auditwheel_tag_notes(report, command.options)) {
        report::log_info(note);
      }
    }
    report::log_detail(report::repair_text(report, report::Detail::full));
    return;
  }
  // The plan of a dry run is what was asked for.
  if (command.verbosity == report::Verbosity::quiet && !command.dry_run) return;
  write_stdout(report::repair_text(report, command.verbosity == report::Verbosity::verbose
                                               ? report::Detail::full
                                               : report::Detail::normal));
}

repair::Progress progress_of(const std::filesystem::path& wheel) {
  return [name = wheel.filename().string()](const std::string& what) {
    report::show_progress(what + " " + name);
  };
}

void announce(const repair::Finished& wheel, const RepairCommand& command) {
  if (command.as_auditwheel || command.verbosity == report::Verbosity::quiet) return;
  const auto& report = wheel.report();
  write_stdout(fmt::format("{} {} ({} -> {} bytes)\n", report.unchanged ? "unchanged:" : "writes",
                           printable(wheel.target().string()), report.input_size,
                           report.output_size));
  if (report.debug_files != 0) {
    write_stdout(fmt::format("writes {} ({})\n", printable(report.debug_folder.string()),
                             report::counted(report.debug_files, "debug file")));
  }
}

/// Inputs are never written, neither by their own repair nor by another one's.
void refuse_to_replace_inputs(const std::filesystem::path& target,
                              const std::vector<std::filesystem::path>& inputs) {
  for (const auto& input : inputs) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(target, input, ignored)) continue;
    throw Error(ErrorKind::usage, "output-is-input",
                fmt::format("{} is an input and would be replaced", printable(target.string())),
                "name another output folder with -w");
  }
}

void dry_run(const RepairCommand& command) {
  for (const auto& wheel : command.wheels) {
    with_context(wheel.string(), [&] {
      const auto report = repair::plan_only(wheel, command.options, progress_of(wheel));
      tell(report, command);
      write_stdout(
          fmt::format("would write {}\n",
                      printable((command.options.wheel_dir / report.output_name).string())));
    });
  }
}

}  // namespace

void run(const RepairCommand& command) {
  if (command.dry_run) return dry_run(command);

  // All wheels are repaired and verified before the first gets its name.
  std::vector<repair::Finished> finished;
  std::set<std::filesystem::path> targets;
  for (const auto& wheel : command.wheels) {
    if (command.as_auditwheel)
      report::log_info("Repairing " + printable(wheel.filename().native()));
    with_context(wheel.string(), [&] {
      finished.push_back(repair::repair(wheel, command.options, progress_of(wheel)));
      if (!targets.insert(finished.back().target()).second) {
        throw Error(ErrorKind::usage, "same-output",
                    fmt::format("two of the wheels would be written to {}",
                                finished.back().target().string()));
      }
    });
  }
  for (auto& wheel : finished) {
    if (!wheel.is_published_already()) refuse_to_replace_inputs(wheel.target(), command.wheels);
    with_context(wheel.target().string(), [&] { wheel.prepare(); });
  }
  // The reports come first: a report that cannot be written is a failure, and a failure publishes
  // nothing.
  for (const auto& wheel : finished) {
    tell(wheel.report(), command);
    announce(wheel, command);
  }
  for (auto& wheel : finished) {
    with_context(wheel.target().string(), [&] { wheel.publish(); });
    // auditwheel says nothing of a pure wheel that it copies.
    if (!command.as_auditwheel || wheel.report().pure) continue;
    report::log_info("Fixed-up wheel written to " +
                     printable(std::filesystem::absolute(wheel.target()).native()));
  }
}

}  // namespace truewheel::commands
