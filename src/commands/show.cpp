// SPDX-License-Identifier: Apache-2.0
#include "commands/commands.hpp"
#include "report/auditwheel_text.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace truewheel::commands {

void run(const ShowCommand& command) {
  with_context(command.wheel.string(), [&] {
    repair::Inspection inspection;
    try {
      inspection = repair::inspect(command.wheel, command.options);
    } catch (const Error& error) {
      if (command.json && error.kind() != ErrorKind::usage) {
        write_stdout(report::show_error_json(command.wheel.filename().string(), error));
      }
      throw;
    }
    for (const auto& finding : inspection.findings) report::log_finding(finding);
    write_stdout(command.json            ? report::show_json(inspection)
                 : command.as_auditwheel ? report::auditwheel_text(inspection)
                                         : report::show_text(inspection));
    if (inspection.pure && !command.allow_pure) {
      throw Error(ErrorKind::unfit, "pure-wheel", "the wheel holds no ELF file",
                  "--allow-pure-python-wheel accepts it");
    }
  });
}

}  // namespace truewheel::commands
