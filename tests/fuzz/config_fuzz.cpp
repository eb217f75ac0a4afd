// SPDX-License-Identifier: Apache-2.0
//
// A configuration file. The first byte picks the command that reads it and the file's name. Any
// text fills in options, which the command then takes, or is refused as wrong usage.
#include "cli/config.hpp"
#include "cli/options.hpp"
#include "fuzz/expect.hpp"
#include "report/log.hpp"
#include "support/temporary_folder.hpp"
#include <truewheel/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace truewheel;

/// The commands that have a configuration, as the program has them.
struct Commands {
  CLI::App app;
  cli::Loudness loudness;
  cli::RepairArguments repair;
  cli::ShowArguments show;
  cli::CheckArguments check;
  cli::CheckArguments explain;
  std::string config;
  CLI::App* repair_app =
      cli::add_command(app, "repair", "", cli::add_repair_options, repair, loudness);
  CLI::App* show_app = cli::add_command(app, "show", "", cli::add_show_options, show, loudness);
  CLI::App* check_app = cli::add_command(app, "check", "", cli::add_check_options, check, loudness);
  CLI::App* explain_app =
      cli::add_command(app, "explain", "", cli::add_explain_options, explain, loudness);

  Commands() {
    for (auto* command : {repair_app, show_app, check_app, explain_app}) {
      cli::add_config_option(*command, config);
    }
  }

  void read(unsigned choice, const std::filesystem::path& file) {
    switch (choice % 4) {
      case 0:
        static_cast<void>(cli::apply_configuration(app, *repair_app, file));
        static_cast<void>(cli::repair_command(repair, loudness, *repair_app));
        break;
      case 1:
        static_cast<void>(cli::apply_configuration(app, *show_app, file));
        static_cast<void>(cli::show_command(show, loudness, *show_app));
        break;
      case 2:
        static_cast<void>(cli::apply_configuration(app, *check_app, file));
        static_cast<void>(cli::check_command(check, loudness, *check_app));
        break;
      default:
        static_cast<void>(cli::apply_configuration(app, *explain_app, file));
        static_cast<void>(cli::explain_command(explain, *explain_app));
        break;
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder{"/dev/shm"};  // in memory
  // Warnings of options that say nothing would fill the fuzzer's log.
  static const bool is_quiet = (report::start_log(report::Verbosity::quiet), true);
  if (size == 0 || !is_quiet) return 0;
  const auto file = folder.path() / ((data[0] & 4U) != 0 ? "pyproject.toml" : "truewheel.toml");
  std::ofstream(file, std::ios::binary | std::ios::trunc) << std::string(data + 1, data + size);
  try {
    Commands().read(data[0], file);
  } catch (const Error& error) {
    test::expect(error.kind() == ErrorKind::usage, "errors are wrong usage");
  }
  return 0;
}
