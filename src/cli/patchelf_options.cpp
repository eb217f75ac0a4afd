// SPDX-License-Identifier: Apache-2.0
#include "cli/patchelf_options.hpp"

#include "base/byte_reader.hpp"
#include "base/file_descriptor.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "cli/usage.hpp"
#include "commands/commands.hpp"
#include "report/log.hpp"
#include <truewheel/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

namespace truewheel::cli {
namespace {

using commands::PatchelfCommand;
using Values = std::vector<std::string>;

/// As the user called it.
std::string called() {
  return report::program_name() == "patchelf" ? "patchelf" : "truewheel patchelf";
}

Error usage_error(const std::string& what, const std::string& hint = {}) {
  return {ErrorKind::usage, "usage", what, hint + called() + " --help"};
}

std::uint64_t page_size(const std::string& text) {
  std::uint64_t size = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), size);
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() ||
      !std::has_single_bit(size) || size > kLargest) {
    throw usage_error("--page-size is no power of two: " + printable(text));
  }
  return size;
}

void allow_prefixes(PatchelfCommand& command, const std::string& text) {
  for (auto& prefix : split(text, ':')) {
    if (!prefix.empty()) command.run_path.allowed_prefixes.push_back(std::move(prefix));
  }
}

/// Adds an old and a new name, and does not choose between two new ones.
void add_rename(std::map<std::string, std::string>& names, const std::string& old_name,
                const std::string& new_name, std::string_view where) {
  if (!names.emplace(old_name, new_name).second) {
    throw usage_error(fmt::format("{}: '{}' is to be renamed twice", where, printable(old_name)));
  }
}

/// One old and one new name a line; what follows them and empty lines are ignored, as patchelf
/// does.
void read_symbol_map(PatchelfCommand& command, const std::string& path) {
  std::ifstream text(path);  // perhaps a pipe, which cannot be mapped
  if (!text) throw io_error("symbol-map", "cannot read '" + printable(path) + "'", errno);
  std::string line;
  for (std::size_t number = 1; std::getline(text, line); ++number) {
    std::istringstream words(line);
    std::string old_name, new_name;
    if (!(words >> old_name)) continue;
    const std::string where = fmt::format("{}:{}", printable(path), number);
    if (!(words >> new_name)) throw usage_error(where + ": the new name is missing");
    if ((old_name + new_name).find('@') != std::string::npos) {
      throw usage_error(where +
                        ": a name with @ and a version; a name is renamed with all of its "
                        "versions");
    }
    add_rename(command.edit.rename_symbols, old_name, new_name, where);
  }
  if (text.bad()) throw io_error("symbol-map", "cannot read '" + printable(path) + "'", errno);
}

/// An option: its name, the names of its values, what it says in --help, and what it does.
struct Option {
  std::string_view name, values, help;
  void (*apply)(PatchelfCommand& command, const Values& values);
  bool names_a_file = false;  ///< then `@` is part of the name, and stands for no content

  [[nodiscard]] std::size_t count() const {
    return values.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(values, ' ')) + 1;
  }
};

const Option kOptions[] = {
    {"--print-interpreter", "", "Print the dynamic linker of a program",
     [](auto& command, const auto&) { command.print.interpreter = true; }},
    {"--print-os-abi", "", "Print EI_OSABI",
     [](auto& command, const auto&) { command.print.os_abi = true; }},
    {"--print-soname", "", "Print DT_SONAME",
     [](auto& command, const auto&) { command.print.soname = true; }},
    {"--print-rpath", "", "Print DT_RUNPATH, or DT_RPATH",
     [](auto& command, const auto&) { command.print.run_path = true; }},
    {"--print-execstack", "", "Print X or - (? if the file does not say)",
     [](auto& command, const auto&) { command.print.executable_stack = true; }},
    {"--print-needed", "", "Print the DT_NEEDED names",
     [](auto& command, const auto&) { command.print.needed = true; }},
    {"--set-interpreter", "FILE", "Set the dynamic linker",
     [](auto& command, const auto& values) { command.edit.interpreter = values[0]; }},
    {"--set-os-abi", "ABI", "Set EI_OSABI: sysv, linux, freebsd, …",
     [](auto& command, const auto& values) {
       command.edit.os_abi = commands::os_abi_of(values[0]);
     }},
    {"--set-soname", "NAME", "Set DT_SONAME",
     [](auto& command, const auto& values) { command.edit.soname = values[0]; }},
    {"--set-rpath", "PATH", "Set the run path, as DT_RUNPATH",
     [](auto& command, const auto& values) { command.run_path.set = values[0]; }},
    {"--add-rpath", "PATH", "Add to the run path's end (repeatable)",
     [](auto& command, const auto& values) { command.run_path.added.push_back(values[0]); }},
    {"--remove-rpath", "", "Remove the run path",
     [](auto& command, const auto&) { command.run_path.remove = true; }},
    {"--shrink-rpath", "", "Drop folders that hold no needed library",
     [](auto& command, const auto&) { command.run_path.shrink = true; }},
    {"--allowed-rpath-prefixes", "A:B", "With --shrink-rpath: drop folders outside of these",
     [](auto& command, const auto& values) { allow_prefixes(command, values[0]); }},
    {"--force-rpath", "", "Write DT_RPATH instead of DT_RUNPATH",
     [](auto& command, const auto&) { command.run_path.force_rpath = true; }},
    {"--add-needed", "LIB", "Put a DT_NEEDED in front (repeatable)",
     [](auto& command, const auto& values) { command.edit.add_needed.push_back(values[0]); }},
    {"--remove-needed", "LIB", "Remove a DT_NEEDED (repeatable)",
     [](auto& command, const auto& values) { command.edit.remove_needed.push_back(values[0]); }},
    {"--replace-needed", "OLD NEW", "Rename a DT_NEEDED (repeatable)",
     [](auto& command, const auto& values) { command.edit.replace_needed[values[0]] = values[1]; }},
    {"--no-default-lib", "", "Set DF_1_NODEFLIB",
     [](auto& command, const auto&) { command.edit.no_default_lib = true; }},
    {"--set-execstack", "", "Ask for an executable stack",
     [](auto& command, const auto&) { command.edit.executable_stack = true; }},
    {"--clear-execstack", "", "Ask for none",
     [](auto& command, const auto&) { command.edit.executable_stack = false; }},
    {"--clear-symbol-version", "NAME", "Take a symbol's version away (repeatable)",
     [](auto& command, const auto& values) {
       command.edit.clear_symbol_versions.push_back(values[0]);
     }},
    {"--rename-dynamic-symbols", "FILE", "Rename symbols; FILE has an old and a new name a line",
     [](auto& command, const auto& values) { read_symbol_map(command, values[0]); }, true},
    {"--rename-symbol-version", "OLD NEW", "Rename a needed or defined version (repeatable)",
     [](auto& command, const auto& values) {
       add_rename(command.edit.rename_versions, values[0], values[1], "--rename-symbol-version");
     }},
    {"--add-debug-tag", "", "Add a DT_DEBUG, unless there is one",
     [](auto& command, const auto&) { command.edit.add_debug_tag = true; }},
    {"--page-size", "N", "Alignment of a new LOAD [the file's]",
     [](auto& command, const auto& values) { command.options.page_size = page_size(values[0]); }},
    {"--output", "FILE", "Write there and leave the input alone",
     [](auto& command, const auto& values) { command.output = values[0]; }, true},
    {"--no-clobber-old-sections", "", "Accepted: old bytes always stay", [](auto&, const auto&) {}},
    {"--no-sort", "", "Accepted: headers keep their order", [](auto&, const auto&) {}},
    {"--debug", "", "Say what is done and why",
     [](auto& command, const auto&) { command.debug = true; }},
};

/// What patchelf has and this does not, and why.
constexpr std::pair<std::string_view, std::string_view> kNotOffered[] = {
    {"--build-resolution-cache",
     "a table that only the dynamic linkers of some distributions read is not offered"},
};

std::string help() {
  std::string text =
      "Edit ELF files by patchelf's options. All files are edited, or none is.\n"
      "Usage: " +
      called() +
      " [options] FILE...\n\nOptions:\n"
      "  -h,--help                         Print this help\n"
      "  --version                         Print the version\n";
  for (const Option& option : kOptions) {
    const std::string left = fmt::format("{} {}", option.name, option.values);
    text += fmt::format("  {:<34}{}\n", left, option.help);
  }
  return text + "\nA value @FILE is read from that file. Also when called by the name patchelf.\n";
}

/// `@FILE` stands for the file's content; the newline that editors put at its end is no part of it.
std::string value_of(const std::string& word) {
  if (!word.starts_with('@')) return word;
  // Callers of patchelf look for these words of its own.
  return with_context("getting info about '" + printable(word.substr(1)) + "'", [&] {
    const MappedFile file(word.substr(1));
    std::string text(as_text(file.bytes()));
    if (text.ends_with('\n')) text.pop_back();
    return text;
  });
}

void check_together(const PatchelfCommand& command) {
  if (command.files.empty()) throw usage_error("no file is named");
  if (command.run_path.set && !command.run_path.added.empty())
    throw usage_error("--set-rpath and --add-rpath exclude each other");
  if (command.output && command.files.size() != 1)
    throw usage_error("--output needs exactly one file");
}

}  // namespace

std::variant<std::string, PatchelfCommand> patchelf_command(const Values& words) {
  PatchelfCommand command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") return help();
    // Callers read patchelf's version, to know what can be asked for.
    if (word == "--version") return fmt::format("patchelf 0.19.3 (truewheel {})\n", kVersion);
    if (!word.starts_with('-')) {
      command.files.emplace_back(word);
      continue;
    }
    const auto refused =
        std::ranges::find(kNotOffered, word, [](auto& pair) { return pair.first; });
    if (refused != std::end(kNotOffered))
      throw usage_error(fmt::format("{}: {}", word, refused->second));
    // patchelf knows this name, too, and does not tell.
    const std::string name = word == "--interpreter" ? "--set-interpreter" : word;
    const auto option = std::ranges::find(kOptions, name, &Option::name);
    if (option == std::end(kOptions)) {
      std::set<std::string> names = {"--help", "--version"};
      for (const Option& known : kOptions) names.emplace(known.name);
      throw usage_error("there is no option " + printable(word), suggestion(names, word));
    }
    if (words.size() - i - 1 < option->count())
      throw usage_error(fmt::format("{} needs {}", word, option->values));
    Values values;
    while (values.size() < option->count()) {
      const std::string& value = words[++i];
      values.push_back(option->names_a_file ? value : value_of(value));
    }
    option->apply(command, values);
  }
  check_together(command);
  return command;
}

int run_patchelf(int argc, const char* const* argv) {
  const auto parsed = patchelf_command(Values(argv + 1, argv + argc));
  if (const auto* text = std::get_if<std::string>(&parsed)) {
    commands::write_stdout(*text);
    return 0;
  }
  const auto& command = std::get<PatchelfCommand>(parsed);
  report::start_log(command.debug ? report::Verbosity::verbose : report::Verbosity::normal);
  commands::run(command);
  return 0;
}

}  // namespace truewheel::cli
