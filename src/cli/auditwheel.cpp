// SPDX-License-Identifier: Apache-2.0
#include "cli/auditwheel.hpp"

#include "cli/argparse.hpp"
#include "cli/options.hpp"
#include "cli/process.hpp"
#include "cli/usage.hpp"
#include "commands/commands.hpp"
#include "report/auditwheel_errors.hpp"
#include "report/log.hpp"
#include <CLI/CLI.hpp>
#include <truewheel/error.hpp>
#include <truewheel/version.hpp>

#include <exception>
#include <new>
#include <string>
#include <vector>

namespace truewheel::cli {
namespace {

// Whose command line this is; scripts compare the number.
constexpr const char* kAuditwheelVersion = "6.8.2";
constexpr int kFailure = 1;
constexpr int kUsage = 2;

struct AuditwheelLine {
  CLI::App app{"auditwheel's command line: cross-distribution Python wheels.", "auditwheel"};
  Loudness loudness;
  RepairArguments repair;
  ShowArguments show;
  TreeArguments tree;
  CLI::App* repair_app = nullptr;
  CLI::App* show_app = nullptr;
  CLI::App* tree_app = nullptr;

  AuditwheelLine() {
    app.set_version_flag(
        "-V,--version",
        std::string("auditwheel ") + kAuditwheelVersion + " by truewheel " + kVersion,
        "Print the version");
    app.get_formatter()->column_width(36);
    app.get_formatter()->label("OPTIONS", "options");
    add_loudness(app, loudness);
    show_app = add_command(app, "show", "Say what a wheel is and could be", add_show_options, show,
                           loudness);
    repair_app = add_command(app, "repair", "Make a wheel installable", add_repair_options, repair,
                             loudness);
    tree_app = add_command(app, "lddtree", "Dependency tree of one ELF file, as JSON",
                           add_tree_options, tree, loudness);
    for (auto* command : {show_app, repair_app, tree_app}) take_last_values(*command);
  }

  void dispatch() const {
    report::start_log(loudness.verbosity());
    if (repair_app->parsed()) {
      const auto origins = apply_auditwheels_environment(*repair_app);
      auto command = repair_command(repair, loudness, *repair_app);
      command.as_auditwheel = true;
      with_origin(origins, [&] { commands::run(command); });
    } else if (show_app->parsed()) {
      auto command = show_command(show, loudness, *show_app);
      command.as_auditwheel = true;
      commands::run(command);
    } else if (tree_app->parsed()) {
      commands::run(tree_command(tree, *tree_app));
    } else {
      // Without a command auditwheel prints its help and succeeds.
      commands::write_stdout(app.help());
    }
  }
};

/// In auditwheel's words first, since scripts look for them, then in ours, which say more.
void tell(const Error& error) {
  const auto words = report::auditwheels_words(error);
  if (error.id() == "pure-wheel") {
    report::log_info(words);
  } else if (!words.empty()) {
    report::log_error(words);
  }
  report::log_error(error);
}

int exit_code_of(const Error& error) {
  const bool is_usage = error.kind() == ErrorKind::usage || error.id() == "platform-not-met";
  return is_usage ? kUsage : kFailure;
}

}  // namespace

int run_auditwheel(int argc, const char* const* argv) {
  report::name_program("auditwheel");
  name_process("auditwheel");
  AuditwheelLine line;
  try {
    const auto words = with_whole_options({argv, argv + argc}, line.app);
    std::vector<const char*> pointers;
    for (const auto& word : words) pointers.push_back(word.c_str());
    if (parse_or_tell(line.app, argc, pointers.data())) line.dispatch();
    return 0;
  } catch (const CLI::ParseError& error) {
    report::log_error(usage_error(line.app, error));
    return kUsage;
  } catch (const Error& error) {
    tell(error);
    return exit_code_of(error);
  } catch (const std::bad_alloc&) {
    end_without_memory(kFailure);
  } catch (const std::exception& error) {
    report::log_error(error.what());
    return kFailure;
  }
}

}  // namespace truewheel::cli
