// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands/commands.hpp"
#include <CLI/CLI.hpp>

namespace truewheel::cli {

/// -v and -q, which stand before or after the command.
struct Loudness {
  bool verbose = false;
  bool quiet = false;
  [[nodiscard]] report::Verbosity verbosity() const;
};
void add_loudness(CLI::App& app, Loudness& loudness);

/// Parses; false for --help and --version, which are told on standard output. Throws
/// CLI::ParseError for wrong usage, Error(io) when standard output takes nothing.
[[nodiscard]] bool parse_or_tell(CLI::App& app, int argc, const char* const* argv);

/// A command with its own options and -v and -q.
template <class Arguments>
CLI::App* add_command(CLI::App& app, const char* name, const char* what,
                      void (*add_options)(CLI::App&, Arguments&), Arguments& arguments,
                      Loudness& loudness) {
  CLI::App* command = app.add_subcommand(name, what);
  add_options(*command, arguments);
  add_loudness(*command, loudness);
  return command;
}

/// What the command line of `repair` says, before it is checked and turned into a command.
struct RepairArguments {
  std::vector<std::string> wheels;
  std::string wheel_dir = "wheelhouse";
  std::string platform = "auto";
  bool only_plat = false;
  bool no_update_tags = false;
  std::vector<std::string> excludes;
  std::vector<std::string> includes;
  std::vector<std::string> profiles;
  bool system_rpath = false;
  bool fix_only = false;
  std::vector<std::string> search;
  std::string ldpaths;
  std::string sysroot;
  std::string lib_sdir = ".libs";
  std::string rpath_kind = "rpath";
  std::string libstdcxx = "policy";
  std::string patcher = "patchelf";
  std::string verify = "standard";
  std::string strip;
  std::string debug_dir;
  bool disable_isa_ext_check = false;
  bool allow_pure = false;
  bool accept_record_mismatch = false;
  bool no_clobber = false;
  bool dry_run = false;
  int level = 5;
  unsigned jobs = 0;
  double max_ratio = 50;
};
void add_repair_options(CLI::App& app, RepairArguments& arguments);
[[nodiscard]] commands::RepairCommand repair_command(const RepairArguments& arguments,
                                                     const Loudness& loudness, const CLI::App& app);

struct ShowArguments {
  std::vector<std::string> wheels;
  std::vector<std::string> excludes;
  std::vector<std::string> profiles;
  bool json = false;
  std::vector<std::string> search;
  std::string ldpaths;
  std::string sysroot;
  std::string libstdcxx = "policy";
  bool disable_isa_ext_check = false;
  bool allow_pure = false;
  bool accept_record_mismatch = false;
  unsigned jobs = 0;
  double max_ratio = 50;
};
void add_show_options(CLI::App& app, ShowArguments& arguments);
[[nodiscard]] commands::ShowCommand show_command(const ShowArguments& arguments,
                                                 const Loudness& loudness, const CLI::App& app);

struct TreeArguments {
  std::string file;
  std::string ldpaths;
  std::string sysroot;
};
void add_tree_options(CLI::App& app, TreeArguments& arguments);
[[nodiscard]] commands::TreeCommand tree_command(const TreeArguments& arguments,
                                                 const CLI::App& app);

struct CheckArguments {
  std::vector<std::string> paths;
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::vector<std::string> allow;
  std::vector<std::string> excludes;
  std::vector<std::string> provides;
  std::vector<std::string> profiles;
  bool system_rpath = false;
  std::string fail_on = "error";
  std::string target_glibc;
  std::string max_size;
  std::string max_graft_size;
  std::vector<std::string> expect_names;
  std::size_t expect_count = 0;
  std::vector<std::string> require_needed;
  std::vector<std::string> forbid_needed;
  std::string compare;
  std::string libstdcxx = "policy";
  bool disable_isa_ext_check = false;
  bool pie_only = false;
  std::vector<std::string> reports;
  bool json = false;
  bool list_rules = false;
  std::string explain;
  std::string installed;
  std::string root = "/";
  std::string dead_patterns = "warning";
  std::string library;
  std::string subject;
  unsigned jobs = 0;
  double max_ratio = 50;
};
/// The part of both that says what the user's machine has.
void add_provider_options(CLI::App& app, CheckArguments& arguments);
void add_check_options(CLI::App& app, CheckArguments& arguments);
void add_explain_options(CLI::App& app, CheckArguments& arguments);
[[nodiscard]] commands::ExplainCommand explain_command(const CheckArguments& arguments,
                                                       const CLI::App& app);
[[nodiscard]] commands::CheckCommand check_command(const CheckArguments& arguments,
                                                   const Loudness& loudness, const CLI::App& app);

/// A validator that --help says nothing of, where the option's own words name the values.
[[nodiscard]] inline CLI::Validator untold(CLI::Validator validator) {
  validator.description("");
  return validator;
}

/// A number from `least` to `most`; CLI::Range takes NaN for one.
[[nodiscard]] CLI::Validator number_between(double least, double most);

/// "a,b" and repeated options say the same.
[[nodiscard]] std::vector<std::string> split_names(const std::vector<std::string>& values);
/// What --libstdcxx and --disable-isa-ext-check say.
[[nodiscard]] policy::EvaluateOptions evaluate_options(const std::string& libstdcxx,
                                                       bool disable_isa);

}  // namespace truewheel::cli
