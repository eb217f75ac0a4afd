// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include "base/text.hpp"
#include "cli/environment.hpp"

#include <fmt/format.h>

#include <sstream>

namespace truewheel::cli {
namespace {

deps::SearchOptions search_options(const std::vector<std::string>& search,
                                   const std::string& ldpaths, bool has_ldpaths,
                                   const std::string& sysroot) {
  deps::SearchOptions options;
  std::error_code ignored;
  for (const auto& folder : search) {
    options.search.emplace_back(folder);
    if (std::filesystem::is_directory(folder, ignored)) continue;
    report::log_warning("--search " + printable(folder) + " is no folder");
  }
  if (!sysroot.empty() && !std::filesystem::is_directory(sysroot, ignored)) {
    throw Error(ErrorKind::usage, "absent-sysroot",
                "--sysroot " + printable(sysroot) + " is no folder");
  }
  if (has_ldpaths) options.ldpaths = folder_list(ldpaths);
  options.sysroot = sysroot;
  if (const auto paths = environment("AUDITWHEEL_LD_LIBRARY_PATH")) {
    options.auditwheel_ld_library_path = folder_list(*paths);
  }
  options.ld_library_path = ld_library_path();
  return options;
}

/// Grafts go to {name}{lib_sdir}; it may name a folder below (`/lib`), but nothing that leaves the
/// wheel, and no component that some file system cannot have (the archive's own rules, Z32).
void check_lib_sdir(const std::string& lib_sdir) {
  const auto folder = "x" + lib_sdir;
  bool fits = !lib_sdir.empty() && normal_path(folder) == folder && printable(folder) == folder &&
              folder.find_first_of(":$") == std::string::npos &&  // a run path cannot name these
              folder.find('\\') == std::string::npos;
  for (const auto& component : split(folder, '/')) {
    // A second .dist-info, or a .data folder, would be no folder of libraries to an installer.
    fits = fits && !component.ends_with('.') && !component.ends_with(' ') &&
           !component.ends_with(".dist-info") && !component.ends_with(".data");
  }
  if (!fits) {
    throw Error(ErrorKind::usage, "lib-sdir",
                "--lib-sdir is no folder name: " + printable(lib_sdir));
  }
}

/// An option that takes one value each time it stands there. Without the last word CLI11 would take
/// what follows, a wheel for one, as further values.
void add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                    const std::string& what, const std::string& type) {
  app.add_option(name, values, what)
      ->type_name(type)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

void add_place_options(CLI::App& app, std::string& ldpaths, std::string& sysroot) {
  app.add_option("--ldpaths", ldpaths,
                 "Folders instead of LD_LIBRARY_PATH, ld.so.conf and defaults")
      ->type_name("A:B");
  app.add_option("--sysroot", sysroot, "Look for system libraries below here")->type_name("DIR");
}

void add_shared_options(CLI::App& app, std::vector<std::string>& search, std::string& ldpaths,
                        std::string& sysroot, std::string& libstdcxx) {
  add_repeatable(app, "--search", search, "Look for libraries here first (repeatable)", "DIR");
  add_place_options(app, ldpaths, sysroot);
  app.add_option("--libstdcxx", libstdcxx, "Does libstdc++'s version bind the tag: policy, host")
      ->check(untold(CLI::IsMember({"policy", "host"})))
      ->type_name("WHO");
}

void add_leave_out_options(CLI::App& app, std::vector<std::string>& excludes,
                           std::vector<std::string>& profiles) {
  add_repeatable(app, "--exclude", excludes, "Leave libraries to the user's machine", "GLOB");
  add_repeatable(app, "--profile", profiles, "Leave out a group: rocm,rdma,torch,…", "NAMES");
}

/// What stands behind `--strip=`; "true" where nothing does.
repair::Strip strip_of(const std::string& text) {
  if (text.empty()) return repair::Strip::no;
  if (text == "none") return repair::Strip::no;
  if (text == "true" || text == "all") return repair::Strip::all;
  if (text == "split") return repair::Strip::split;
  throw Error(ErrorKind::usage, "strip", "--strip is all, split or none, not " + printable(text));
}

/// Names of groups that exist.
std::vector<std::string> known_profiles(const std::vector<std::string>& values) {
  auto names = split_names(values);
  for (const auto& name : names) static_cast<void>(policy::find_profile(name));
  return names;
}

void add_trust_options(CLI::App& app, bool& disable_isa, bool& allow_pure, bool& accept_mismatch,
                       double& max_ratio, unsigned& jobs) {
  app.add_flag("--disable-isa-ext-check", disable_isa, "Accept code for newer processors");
  app.add_flag("--allow-pure-python-wheel", allow_pure, "A wheel without ELF files is no failure");
  app.add_flag("--accept-record-mismatch", accept_mismatch, "Work on although RECORD is wrong");
  app.add_option("--max-ratio", max_ratio, "Unpacked to packed size that is refused [50]")
      ->check(number_between(1.0, 1e18))
      ->type_name("N");
  app.add_option("-j,--jobs", jobs, "Worker threads [all cores]")
      ->check(untold(CLI::Range(0U, 1024U)))
      ->type_name("N");
}

}  // namespace

CLI::Validator number_between(double least, double most) {
  const auto check = [=](const std::string& text) {
    double value = 0;
    const bool is_inside =
        CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return is_inside ? std::string()
                     : fmt::format("{} is no number from {} to {}", text, least, most);
  };
  return untold(CLI::Validator(check, ""));
}

std::vector<std::string> split_names(const std::vector<std::string>& values) {
  std::vector<std::string> names;
  for (const auto& value : values) {
    for (const auto& part : split(value, ',')) {
      const auto name = trimmed(part, " ");
      if (!name.empty()) names.emplace_back(name);
    }
  }
  return names;
}

policy::EvaluateOptions evaluate_options(const std::string& libstdcxx, bool disable_isa) {
  policy::EvaluateOptions options;
  options.libstdcxx = libstdcxx == "host" ? policy::Libstdcxx::host : policy::Libstdcxx::policy;
  options.check_isa = !disable_isa;
  return options;
}

report::Verbosity Loudness::verbosity() const {
  if (quiet) return report::Verbosity::quiet;
  return verbose ? report::Verbosity::verbose : report::Verbosity::normal;
}

bool parse_or_tell(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success& success) {
    std::ostringstream text, none;
    app.exit(success, text, none);
    commands::write_stdout(text.str());
    return false;
  }
}

void add_loudness(CLI::App& app, Loudness& loudness) {
  app.add_flag("-v,--verbose", loudness.verbose, "Say how and why in full");
  app.add_flag("-q,--quiet", loudness.quiet, "Only errors, and what show and --dry-run tell");
}

void add_repair_options(CLI::App& app, RepairArguments& arguments) {
  app.add_option("WHEEL", arguments.wheels, "Wheels; all succeed or none is written")
      ->required()
      ->type_name("");
  app.add_option("-w,--wheel-dir", arguments.wheel_dir, "Output folder [wheelhouse]")
      ->type_name("DIR");
  app.add_option("--plat", arguments.platform, "Platform tag to reach, or auto [auto]")
      ->type_name("TAG");
  app.add_flag("--only-plat", arguments.only_plat, "That tag and no better one");
  app.add_flag("--no-update-tags", arguments.no_update_tags, "Leave name and tags as they are");
  add_leave_out_options(app, arguments.excludes, arguments.profiles);
  app.add_flag("--fix-only", arguments.fix_only, "Bundle nothing: tidy run paths, copies, tags");
  add_repeatable(app, "--include", arguments.includes, "Bundle although a group leaves it out",
                 "GLOB");
  app.add_flag("--system-rpath", arguments.system_rpath,
               "Also the profiles' folders of the system");
  add_shared_options(app, arguments.search, arguments.ldpaths, arguments.sysroot,
                     arguments.libstdcxx);
  app.add_option("-L,--lib-sdir", arguments.lib_sdir,
                 "Bundle into NAMEX: .libs; /lib is NAME/lib [.libs]")
      ->type_name("X");
  app.add_option("--rpath-kind", arguments.rpath_kind, "Kind of an added entry: rpath, runpath")
      ->check(untold(CLI::IsMember({"rpath", "runpath"})))
      ->type_name("KIND");
  app.add_flag("--strip", arguments.strip,
               "Strip first; --strip=all, split (keeps debug files), none");
  app.add_option("--debug-dir", arguments.debug_dir, "Folder for debug files [output folder]")
      ->type_name("DIR");
  app.add_option("-z,--zip-compression-level", arguments.level, "Level for what is packed anew [5]")
      ->check(untold(CLI::Range(-1, 9)))
      ->type_name("0-9");
  add_trust_options(app, arguments.disable_isa_ext_check, arguments.allow_pure,
                    arguments.accept_record_mismatch, arguments.max_ratio, arguments.jobs);
  app.add_flag("--no-clobber", arguments.no_clobber, "Refuse to replace an existing output");
  app.add_option("--verify", arguments.verify, "standard, strict or off [standard]")
      ->check(untold(CLI::IsMember({"standard", "strict", "off"})))
      ->type_name("HOW");
  app.add_flag("--dry-run", arguments.dry_run, "Say what would be done, write nothing");
  app.add_option("--patcher", arguments.patcher, "For auditwheel's sake; none forbids edits")
      ->check(untold(CLI::IsMember({"patchelf", "lief-patchelf", "none"})))
      ->type_name("NAME");
}

commands::RepairCommand repair_command(const RepairArguments& arguments, const Loudness& loudness,
                                       const CLI::App& app) {
  commands::RepairCommand command;
  for (const auto& wheel : arguments.wheels) command.wheels.emplace_back(wheel);
  command.dry_run = arguments.dry_run;
  command.verbosity = loudness.verbosity();

  auto& options = command.options;
  if (arguments.wheel_dir.empty()) {
    throw Error(ErrorKind::usage, "wheel-dir", "--wheel-dir is empty",
                "-w . names the current folder");
  }
  options.wheel_dir = arguments.wheel_dir;
  options.platform = arguments.platform;
  if (arguments.only_plat && arguments.no_update_tags) {
    throw Error(ErrorKind::usage, "tag-options",
                "--only-plat and --no-update-tags exclude each other");
  }
  options.tag_update = arguments.no_update_tags ? policy::TagUpdate::none
                       : arguments.only_plat    ? policy::TagUpdate::only_wish
                                                : policy::TagUpdate::all;
  check_lib_sdir(arguments.lib_sdir);
  options.lib_sdir = arguments.lib_sdir;
  if (app.count("--rpath-kind") != 0) {
    options.run_path_kind =
        arguments.rpath_kind == "runpath" ? elf::RunPathKind::runpath : elf::RunPathKind::rpath;
  }
  options.system_rpath = arguments.system_rpath;
  options.fix_only = arguments.fix_only;
  options.strip = strip_of(arguments.strip);
  options.debug_dir = arguments.debug_dir;
  if (!arguments.debug_dir.empty() && options.strip != repair::Strip::split) {
    report::log_warning("--debug-dir says nothing without --strip=split");
  }
  if (arguments.system_rpath && arguments.profiles.empty()) {
    report::log_warning("--system-rpath says nothing without a --profile");
  }
  if (arguments.only_plat && arguments.platform == "auto") {
    report::log_warning("--only-plat says nothing without a --plat");
  }
  options.allow_pure = arguments.allow_pure;
  options.no_clobber = arguments.no_clobber;
  options.edit_allowed = arguments.patcher != "none";
  options.verify = arguments.verify == "off"      ? repair::Verify::off
                   : arguments.verify == "strict" ? repair::Verify::strict
                                                  : repair::Verify::standard;
  // -1 asks zlib for its default, and libdeflate 5 makes less of a library than zlib 6.
  options.compression_level = arguments.level < 0 ? 5 : arguments.level;
  options.time = archive_time();

  auto& inspect = options.inspect;
  inspect.search = search_options(arguments.search, arguments.ldpaths, app.count("--ldpaths") != 0,
                                  arguments.sysroot);
  inspect.own_files_only = arguments.fix_only;
  inspect.excludes = arguments.excludes;
  inspect.includes = arguments.includes;
  inspect.profiles = known_profiles(arguments.profiles);
  inspect.evaluate = evaluate_options(arguments.libstdcxx, arguments.disable_isa_ext_check);
  inspect.limits.max_ratio = arguments.max_ratio;
  inspect.accept_record_mismatch = arguments.accept_record_mismatch;
  inspect.jobs = arguments.jobs;
  return command;
}

void add_show_options(CLI::App& app, ShowArguments& arguments) {
  app.add_option("WHEEL", arguments.wheels, "Wheels")->required()->type_name("");
  app.add_flag("--json", arguments.json, "As JSON, a superset of auditwheel's");
  add_leave_out_options(app, arguments.excludes, arguments.profiles);
  add_shared_options(app, arguments.search, arguments.ldpaths, arguments.sysroot,
                     arguments.libstdcxx);
  add_trust_options(app, arguments.disable_isa_ext_check, arguments.allow_pure,
                    arguments.accept_record_mismatch, arguments.max_ratio, arguments.jobs);
}

commands::ShowCommand show_command(const ShowArguments& arguments, const Loudness& loudness,
                                   const CLI::App& app) {
  commands::ShowCommand command;
  for (const auto& wheel : arguments.wheels) command.wheels.emplace_back(wheel);
  command.verbosity = loudness.verbosity();
  command.json = arguments.json;
  command.allow_pure = arguments.allow_pure;
  auto& options = command.options;
  options.search = search_options(arguments.search, arguments.ldpaths, app.count("--ldpaths") != 0,
                                  arguments.sysroot);
  options.driver_groups = false;
  options.excludes = arguments.excludes;
  options.profiles = known_profiles(arguments.profiles);
  options.evaluate = evaluate_options(arguments.libstdcxx, arguments.disable_isa_ext_check);
  options.limits.max_ratio = arguments.max_ratio;
  options.accept_record_mismatch = arguments.accept_record_mismatch;
  options.jobs = arguments.jobs;
  return command;
}

void add_tree_options(CLI::App& app, TreeArguments& arguments) {
  app.add_option("FILE", arguments.file, "The ELF file")->required()->type_name("");
  add_place_options(app, arguments.ldpaths, arguments.sysroot);
}

commands::TreeCommand tree_command(const TreeArguments& arguments, const CLI::App& app) {
  commands::TreeCommand command;
  command.file = arguments.file;
  command.search =
      search_options({}, arguments.ldpaths, app.count("--ldpaths") != 0, arguments.sysroot);
  return command;
}

}  // namespace truewheel::cli
