// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace truewheel::cli {
namespace {

[[noreturn]] void wrong(const char* id, const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorKind::usage, id, what, hint);
}

/// "100MB", "64MiB", "5000": bytes.
std::uint64_t parse_size(const char* option, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  const std::string unit(result.ptr, end);
  constexpr std::pair<const char*, double> kUnits[] = {
      {"", 1},     {"B", 1},        {"kB", 1e3},        {"KB", 1e3},          {"MB", 1e6},
      {"GB", 1e9}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
  for (const auto& [name, factor] : kUnits) {
    if (result.ec == std::errc() && unit == name && number >= 0 && number * factor < 1e18) {
      return static_cast<std::uint64_t>(number * factor);
    }
  }
  wrong("size", fmt::format("{} {} is no size", option, printable(text)), "as in 100MB or 64MiB");
}

/// "LEFT:RIGHT"; the right half may hold colons.
std::pair<std::string, std::string> parse_pair(const char* option, const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    wrong("pair",
          fmt::format("{} {} lacks a colon between its two halves", option, printable(text)));
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// Ids and their beginnings: "R", "T00", "R005".
std::vector<std::string> rule_names(const char* option, const std::vector<std::string>& values) {
  auto names = split_names(values);
  for (const auto& name : names) {
    bool is_known = false;
    for (const auto& rule : check::rules()) is_known = is_known || rule.id.starts_with(name);
    if (!is_known) {
      wrong("unknown-rule", fmt::format("{} {} names no rule", option, printable(name)),
            "truewheel check --list-rules");
    }
  }
  return names;
}

CLI::Option* add_list(CLI::App& app, const char* name, std::vector<std::string>& values,
                      const char* type, const char* what) {
  return app.add_option(name, values, what)
      ->type_name(type)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

/// "2.28": two numbers, as glibc counts.
std::string glibc_version(const std::string& text) {
  const auto parts = split(text, '.');
  const auto is_number = [](const std::string& part) {
    return !part.empty() && part.size() <= 4 &&
           part.find_first_not_of("0123456789") == std::string::npos;
  };
  if (parts.size() == 2 && is_number(parts[0]) && is_number(parts[1])) return text;
  wrong("glibc-version", fmt::format("--target-glibc {} is no version of glibc", printable(text)),
        "as in 2.28");
}

void set_providers(const CheckArguments& arguments, check::Options& options) {
  options.excludes = arguments.excludes;
  options.provides = arguments.provides;
  options.profiles = split_names(arguments.profiles);
  for (const auto& name : options.profiles) static_cast<void>(policy::find_profile(name));
  options.limits.max_ratio = arguments.max_ratio;
  options.jobs = arguments.jobs;
}

/// The distribution of --installed, if there is one; --root says where it is looked for.
std::optional<commands::InstalledName> installed(const CheckArguments& arguments,
                                                 const CLI::App& app) {
  if (app.count("--installed") == 0) {
    if (app.count("--root") != 0) report::log_warning("--root says nothing without --installed");
    return std::nullopt;
  }
  return commands::InstalledName{arguments.installed, arguments.root, ld_library_path()};
}

/// "sarif=out.sarif,github": formats, each with the file it goes to; without one, or with "-",
/// stdout.
std::vector<commands::ReportFile> parse_reports(const std::vector<std::string>& values) {
  constexpr std::pair<const char*, commands::ReportFormat> kFormats[] = {
      {"json", commands::ReportFormat::json},         {"sarif", commands::ReportFormat::sarif},
      {"junit", commands::ReportFormat::junit},       {"md", commands::ReportFormat::markdown},
      {"markdown", commands::ReportFormat::markdown}, {"html", commands::ReportFormat::html},
      {"github", commands::ReportFormat::github}};
  std::vector<commands::ReportFile> reports;
  for (const auto& text : split_names(values)) {
    const auto equals = text.find('=');
    const std::string format = text.substr(0, equals);
    const std::string file = equals == std::string::npos ? "-" : text.substr(equals + 1);
    const auto* const known =
        std::find_if(std::begin(kFormats), std::end(kFormats),
                     [&](const auto& entry) { return entry.first == format; });
    if (known == std::end(kFormats)) {
      wrong("report-format", fmt::format("--report {}: no such format", printable(format)),
            "json, sarif, junit, md, html or github, as in sarif=out.sarif");
    }
    if (file.empty()) {
      wrong("report-file", fmt::format("--report {}= names no file", printable(format)));
    }
    reports.push_back({known->second, std::filesystem::path(file == "-" ? "" : file)});
  }
  return reports;
}

}  // namespace

void add_provider_options(CLI::App& app, CheckArguments& arguments) {
  add_list(app, "--exclude", arguments.excludes, "GLOB", "Libraries left out on purpose");
  add_list(app, "--provide", arguments.provides, "GLOB", "Libraries that the user's machine has");
  add_list(app, "--profile", arguments.profiles, "NAMES", "The same by group: rocm,rdma,torch,…");
  app.add_option("--installed", arguments.installed, "A distribution below --root, not a file")
      ->type_name("NAME");
  app.add_option("--root", arguments.root, "Root of the image or environment [/]")
      ->type_name("DIR");
  app.add_option("--max-ratio", arguments.max_ratio, "Unpacked to packed size that is refused [50]")
      ->check(number_between(1.0, 1e18))
      ->type_name("N");
  app.add_option("-j,--jobs", arguments.jobs, "Worker threads [all cores]")
      ->check(untold(CLI::Range(0U, 1024U)))
      ->type_name("N");
}

void add_explain_options(CLI::App& app, CheckArguments& arguments) {
  app.add_option("LIBRARY", arguments.library, "Its name or a pattern")->required()->type_name("");
  app.add_option("SUBJECT", arguments.subject, "Wheel, folder or ELF file")->type_name("");
  add_provider_options(app, arguments);
}

void add_check_options(CLI::App& app, CheckArguments& arguments) {
  app.add_option("SUBJECT", arguments.paths, "Wheels, folders or ELF files")->type_name("");
  add_list(app, "--select", arguments.select, "RULES", "Only these rules: R,T001,…");
  add_list(app, "--ignore", arguments.ignore, "RULES", "All but these rules");
  app.add_option("--fail-on", arguments.fail_on, "note, warning, error or never [error]")
      ->check(untold(CLI::IsMember({"note", "warning", "error", "never"})))
      ->type_name("HOW");
  add_list(app, "--allow", arguments.allow, "RULE:GLOB", "Pass over a value or a member");
  add_provider_options(app, arguments);
  app.add_flag("--system-rpath", arguments.system_rpath, "Allow the profiles' system folders");
  app.add_option("--target-glibc", arguments.target_glibc, "It must install where glibc is this")
      ->type_name("X.Y");
  app.add_option("--max-size", arguments.max_size, "Budget for the wheel")->type_name("SIZE");
  app.add_option("--max-graft-size", arguments.max_graft_size, "Budget for bundled libraries")
      ->type_name("SIZE");
  add_list(app, "--expect-name", arguments.expect_names, "GLOB", "What the file name must be");
  app.add_option("--expect-count", arguments.expect_count, "How many subjects must be given")
      ->type_name("N");
  add_list(app, "--require-needed", arguments.require_needed, "MEMBER:LIB",
           "A file must need a library");
  add_list(app, "--forbid-needed", arguments.forbid_needed, "MEMBER:LIB",
           "A file must not need a library");
  app.add_option("--compare", arguments.compare, "The wheel before repair: same device code?")
      ->type_name("WHEEL");
  app.add_flag("--pie-only", arguments.pie_only, "A program at a fixed address is an error");
  app.add_option("--libstdcxx", arguments.libstdcxx,
                 "Does libstdc++'s version bind the tag: policy, host")
      ->check(untold(CLI::IsMember({"policy", "host"})))
      ->type_name("WHO");
  app.add_flag("--disable-isa-ext-check", arguments.disable_isa_ext_check,
               "Accept code for newer processors");
  app.add_flag("--json", arguments.json, "As JSON");
  app.add_option("--dead-patterns", arguments.dead_patterns,
                 "What --exclude without a hit is: warning, error")
      ->check(untold(CLI::IsMember({"warning", "error"})))
      ->type_name("HOW");
  add_list(app, "--report", arguments.reports, "FORMAT=FILE",
           "Also as json, sarif, junit, md, html, github");
  app.add_flag("--list-rules", arguments.list_rules, "Name every rule");
  app.add_option("--explain", arguments.explain, "Why a rule is there")->type_name("RULE");
}

commands::CheckCommand check_command(const CheckArguments& arguments, const Loudness& loudness,
                                     const CLI::App& app) {
  commands::CheckCommand command;
  command.verbosity = loudness.verbosity();
  command.json = arguments.json;
  command.reports = parse_reports(arguments.reports);
  command.list_rules = arguments.list_rules;
  if (app.count("--explain") != 0) command.explain = arguments.explain;
  for (const auto& path : arguments.paths) command.paths.emplace_back(path);
  if (command.paths.empty() && !command.list_rules && !command.explain &&
      app.count("--installed") == 0) {
    wrong("usage", "nothing to check is named", "truewheel check --help");
  }
  if (arguments.fail_on == "never") command.fail_on.reset();
  if (arguments.fail_on == "warning") command.fail_on = Severity::warning;
  if (arguments.fail_on == "note") command.fail_on = Severity::note;

  auto& options = command.options;
  options.select = rule_names("--select", arguments.select);
  options.ignore = rule_names("--ignore", arguments.ignore);
  for (const auto& text : arguments.allow) {
    options.allow.push_back(parse_pair("--allow", text));
    static_cast<void>(check::find_rule(options.allow.back().first));
  }
  set_providers(arguments, options);
  options.dead_patterns_are_errors = arguments.dead_patterns == "error";
  command.installed = installed(arguments, app);
  options.system_rpath = arguments.system_rpath;
  if (app.count("--target-glibc") != 0)
    options.target_glibc = glibc_version(arguments.target_glibc);
  if (app.count("--max-size") != 0) options.max_size = parse_size("--max-size", arguments.max_size);
  if (app.count("--max-graft-size") != 0) {
    options.max_bundled = parse_size("--max-graft-size", arguments.max_graft_size);
  }
  options.expect_names = arguments.expect_names;
  if (app.count("--expect-count") != 0) options.expect_count = arguments.expect_count;
  for (const auto& text : arguments.require_needed) {
    options.require_needed.push_back(parse_pair("--require-needed", text));
  }
  for (const auto& text : arguments.forbid_needed) {
    options.forbid_needed.push_back(parse_pair("--forbid-needed", text));
  }
  if (!arguments.compare.empty()) options.compare_with = arguments.compare;
  options.pie_only = arguments.pie_only;
  options.evaluate = evaluate_options(arguments.libstdcxx, arguments.disable_isa_ext_check);
  return command;
}

commands::ExplainCommand explain_command(const CheckArguments& arguments, const CLI::App& app) {
  commands::ExplainCommand command;
  command.library = arguments.library;
  command.subject = arguments.subject;
  set_providers(arguments, command.options);
  command.installed = installed(arguments, app);
  if (!command.installed && arguments.subject.empty()) {
    wrong("usage", "no wheel, folder or ELF file is named", "truewheel explain --help");
  }
  return command;
}

}  // namespace truewheel::cli
