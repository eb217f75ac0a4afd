// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.hpp"

#include "base/text.hpp"
#include "cli/nearest.hpp"

#include <algorithm>
#include <optional>

namespace truewheel::cli {
namespace {

/// --plat of --plat=x; -w as it is.
std::string option_of(const std::string& word) { return word.substr(0, word.find('=')); }

std::set<std::string> long_options(const CLI::App& command) {
  std::set<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.insert("--" + name);
  }
  return names;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::set<std::string> command_names(const CLI::App& app) {
  std::set<std::string> names;
  for (const auto* command : commands_of(app)) names.insert(command->get_name());
  return names;
}

/// "repair has it" of an option that stands behind the wrong command.
std::string owner_of(const CLI::App& app, const std::string& option) {
  for (const auto* command : commands_of(app)) {
    if (long_options(*command).contains(option)) return command->get_name() + " has it; ";
  }
  return {};
}

/// The long name of the option whose value an error speaks of; "" if it speaks of none.
std::string option_spoken_of(const Error& error) {
  if (error.id() == "platform-name" || error.id() == "platform-not-met") return "plat";
  if (error.id() == "unknown-profile") return "profile";
  const std::string_view message = error.what();
  if (error.kind() != ErrorKind::usage || !message.starts_with("--")) return {};
  return std::string(message.substr(2, message.find_first_of(" :=") - 2));
}

}  // namespace

void add_origin(Error& error, const Origins& origins) {
  const auto origin = origins.find(option_spoken_of(error));
  if (origin != origins.end()) error.add_context(origin->second);
}

std::string suggestion(const std::set<std::string>& names, std::string_view word) {
  // Two letters may be wrong, but of a short word less: --foo means no --root.
  const auto letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  const auto nearest = nearest_of(names, word, std::min<std::size_t>(2, (letters + 2) / 3));
  return nearest.empty() ? "" : "did you mean " + nearest + "? ";
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  std::string help = app.get_name();
  if (!parsed.empty()) help += " " + command.get_name();
  help += " --help";
  const auto is_option = [](const std::string& word) {
    return word.size() > 1 && word.starts_with('-');
  };

  const auto left = app.remaining(true);
  const auto option = std::find_if(left.begin(), left.end(), is_option);
  // An option that is not known takes its value for the command: it is told first.
  if (option != left.end()) {
    const auto name = option_of(*option);
    auto hint = suggestion(long_options(command), name);
    if (hint.empty()) hint = owner_of(app, name);
    return {ErrorKind::usage, "usage", "there is no option " + printable(name), hint + help};
  }
  if (parsed.empty() && !left.empty()) {
    return {ErrorKind::usage, "usage", "there is no command '" + printable(left.front()) + "'",
            suggestion(command_names(app), left.front()) + help};
  }
  return {ErrorKind::usage, "usage", printable(error.what()), help};
}

}  // namespace truewheel::cli
