// SPDX-License-Identifier: Apache-2.0
#include "commands/commands.hpp"
#include "report/auditwheel_text.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

#include <optional>

namespace truewheel::commands {
namespace {

std::string told(const repair::Inspection& inspection, const ShowCommand& command) {
  if (command.json) return report::show_json(inspection);
  const auto detail = command.verbosity == report::Verbosity::verbose ? report::Detail::full
                                                                      : report::Detail::normal;
  if (command.as_auditwheel) return report::auditwheel_text(inspection, detail);
  return report::show_text(inspection, detail);
}

/// What is printed of one wheel; its failure, if it has one, goes to `failure`.
std::string show(const std::filesystem::path& wheel, const ShowCommand& command,
                 std::optional<Error>& failure) {
  try {
    return with_context(wheel.string(), [&] {
      const auto inspection = repair::inspect(wheel, command.options);
      for (const auto& finding : inspection.findings) report::log_finding(finding);
      if (inspection.pure && !command.allow_pure) {
        failure.emplace(ErrorKind::unfit, "pure-wheel", "the wheel holds no ELF file",
                        "--allow-pure-python-wheel accepts it");
        failure->add_context(wheel.string());
      }
      if (failure && command.json)
        return report::show_error_json(inspection.input.filename().string(), *failure);
      return told(inspection, command);
    });
  } catch (const Error& error) {
    failure = error;
    if (!command.json || error.kind() == ErrorKind::usage) return {};
    return report::show_error_json(wheel.filename().string(), error);
  }
}

}  // namespace

void run(const ShowCommand& command) {
  const bool several = command.wheels.size() > 1;
  std::optional<Error> first_failure;
  std::string text;
  for (const auto& wheel : command.wheels) {
    std::optional<Error> failure;
    const auto one = show(wheel, command, failure);
    if (several && !one.empty() && !text.empty()) text += command.json ? ",\n" : "\n";
    text += one;
    if (failure && first_failure) report::log_error(*failure);
    if (failure && !first_failure) first_failure = std::move(failure);
  }
  // One wheel is one JSON object, as auditwheel prints it; several are a list.
  if (several && command.json) text = "[\n" + text + "]\n";
  if (!text.empty()) write_stdout(text);
  if (first_failure) throw Error(*first_failure);
}

}  // namespace truewheel::commands
