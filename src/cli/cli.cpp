// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.hpp"

#include "cli/auditwheel.hpp"
#include "cli/config.hpp"
#include "cli/options.hpp"
#include "cli/patchelf_options.hpp"
#include "cli/process.hpp"
#include "cli/program_name.hpp"
#include "cli/usage.hpp"
#include "commands/commands.hpp"
#include "report/log.hpp"
#include <CLI/CLI.hpp>
#include <truewheel/error.hpp>
#include <truewheel/version.hpp>

#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace truewheel::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  truewheel repair dist/*.whl -w out
  truewheel repair dist/*.whl -w out --profile rocm,rdma --plat manylinux_2_35
  truewheel show out/NAME.whl
  truewheel check out/*.whl --profile rocm,rdma

Exit codes: 0 done, 1 the wheel does not pass, 2 usage, 3 input refused,
  4 reading or writing failed, 5 own verification failed, 70 a bug, 130 interrupted.)";

constexpr const char* kExplainExamples = R"(Examples:
  truewheel explain libamdhip64 dist/NAME.whl
  truewheel explain 'libcudart.so*' dist/NAME.whl --profile cuda
  truewheel explain libssl --installed NAME --root /)";

constexpr const char* kTreeExamples = R"(Examples:
  truewheel lddtree /usr/bin/python3
  truewheel lddtree build/_x.so --ldpaths build/lib:/opt/vendor/lib
  truewheel lddtree image/usr/bin/app --sysroot image)";

/// The command line as CLI11 sees it, and where its words go.
struct CommandLine {
  CLI::App app{"Turns the Python wheel a build produced into the wheel a user can install.",
               "truewheel"};
  Loudness loudness;
  RepairArguments repair;
  ShowArguments show;
  TreeArguments tree;
  CheckArguments check;
  CheckArguments explain;
  std::string config;
  CLI::App* repair_app = nullptr;
  CLI::App* show_app = nullptr;
  CLI::App* tree_app = nullptr;
  CLI::App* check_app = nullptr;
  CLI::App* explain_app = nullptr;
  Origins origins;

  CommandLine() {
    app.set_version_flag("-V,--version", std::string("truewheel ") + kVersion, "Print the version");
    app.require_subcommand(1);
    app.footer(kExamples);
    app.get_formatter()->column_width(38);
    app.get_formatter()->label("OPTIONS", "options");
    add_loudness(app, loudness);

    repair_app = add_command(app, "repair", "Make a wheel installable", add_repair_options, repair,
                             loudness);
    show_app = add_command(app, "show", "Say what a wheel is and could be", add_show_options, show,
                           loudness);
    check_app = add_command(app, "check", "Refuse a wheel with broken run paths and the like",
                            add_check_options, check, loudness);
    explain_app = add_command(app, "explain", "The whole story of one library", add_explain_options,
                              explain, loudness);
    for (auto* command : {repair_app, show_app, check_app, explain_app}) {
      add_config_option(*command, config);
    }
    tree_app = add_command(app, "lddtree", "Dependency tree of one ELF file, as JSON",
                           add_tree_options, tree, loudness);
    explain_app->footer(kExplainExamples);
    tree_app->footer(kTreeExamples);
    // Only for --help: run() hands these words on before anything is parsed.
    app.add_subcommand("auditwheel", "auditwheel's command line; also under that name");
    app.add_subcommand("patchelf", "patchelf's command line; also under that name");
  }

  /// What the command line left open comes from the environment and the configuration file.
  void complete() {
    for (auto* command : {repair_app, show_app, check_app, explain_app}) {
      if (!command->parsed()) continue;
      std::optional<std::filesystem::path> file;
      if (command->count("--config") != 0) file = config;
      origins = apply_configuration(app, *command, file);
    }
  }

  void dispatch() const {
    report::start_log(loudness.verbosity());
    if (repair_app->parsed()) {
      commands::run(repair_command(repair, loudness, *repair_app));
    } else if (show_app->parsed()) {
      commands::run(show_command(show, loudness, *show_app));
    } else if (check_app->parsed()) {
      commands::run(check_command(check, loudness, *check_app));
    } else if (explain_app->parsed()) {
      commands::run(explain_command(explain, *explain_app));
    } else if (tree_app->parsed()) {
      commands::run(tree_command(tree, *tree_app));
    } else {
      throw Error(ErrorKind::usage, "usage", "another program's command line starts with its name",
                  "truewheel auditwheel [options], truewheel patchelf [options]");
    }
  }
};

int parse_and_run(int argc, const char* const* argv) {
  CommandLine line;
  try {
    if (!parse_or_tell(line.app, argc, argv)) return 0;
  } catch (const CLI::ParseError& error) {
    report::log_error(usage_error(line.app, error));
    return exit_code(ErrorKind::usage);
  }
  line.complete();
  with_origin(line.origins, [&] { line.dispatch(); });
  return 0;
}

}  // namespace

int run(int argc, const char* const* argv) {
  prepare_process();
  try {
    const auto name = argc > 0 ? program_name(argv[0]) : "";
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (name == "auditwheel") return run_auditwheel(argc, argv);
    if (first == "auditwheel") return run_auditwheel(argc - 1, argv + 1);
    if (name == "patchelf") {
      report::name_program("patchelf");
      name_process("patchelf");
      return run_patchelf(argc, argv);
    }
    if (first == "patchelf") return run_patchelf(argc - 1, argv + 1);
    return parse_and_run(argc, argv);
  } catch (const Error& error) {
    report::log_error(error);
    return exit_code(error.kind());
  } catch (const commands::OutputUnread&) {
    return commands::OutputUnread::kExitCode;
  } catch (const std::bad_alloc&) {
    end_without_memory(exit_code(ErrorKind::io));
  } catch (const std::filesystem::filesystem_error& error) {
    report::log_error(error.what());
    return exit_code(ErrorKind::io);
  } catch (const std::exception& error) {
    report::log_error(std::string("this is a bug in truewheel: ") + error.what());
    return exit_code(ErrorKind::internal);
  }
}

}  // namespace truewheel::cli
