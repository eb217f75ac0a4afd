// SPDX-License-Identifier: Apache-2.0
#include "cli/argparse.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace truewheel::cli {
namespace {

/// auditwheel's own: what begins like one of these means it, whatever else is offered here.
constexpr std::array<std::string_view, 16> kAuditwheelsOptions = {
    "--help",
    "--version",
    "--verbose",
    "--json",
    "--ldpaths",
    "--disable-isa-ext-check",
    "--plat",
    "--patcher",
    "--allow-pure-python-wheel",
    "--lib-sdir",
    "--wheel-dir",
    "--no-update-tags",
    "--strip",
    "--exclude",
    "--only-plat",
    "--zip-compression-level",
};

std::set<std::string> long_options(const CLI::App& command) {
  std::set<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.insert("--" + name);
  }
  return names;
}

/// The option that `beginning` is of, if it is of one; else `beginning`.
std::string whole(const std::string& beginning, const std::set<std::string>& offered) {
  if (offered.contains(beginning)) return beginning;
  std::vector<std::string> meant;
  const auto look_at = [&](std::string_view option) {
    if (option.starts_with(beginning) && offered.contains(std::string(option))) {
      meant.emplace_back(option);
    }
  };
  std::for_each(kAuditwheelsOptions.begin(), kAuditwheelsOptions.end(), look_at);
  return meant.size() == 1 ? meant.front() : beginning;
}

}  // namespace

void take_last_values(CLI::App& command) {
  for (auto* option : command.get_options()) {
    const bool is_named = !option->get_lnames().empty();
    if (is_named && option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw) {
      option->take_last();
    }
  }
}

std::vector<std::string> with_whole_options(std::vector<std::string> words, const CLI::App& app) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  auto offered = long_options(app);
  bool is_command_open = true;
  for (auto& word : words) {
    if (word == "--") break;
    for (const auto* command : commands) {
      if (!is_command_open || command->get_name() != word) continue;
      offered = long_options(*command);
      is_command_open = false;
    }
    if (!word.starts_with("--")) continue;
    const auto end = std::min(word.find('='), word.size());
    word.replace(0, end, whole(word.substr(0, end), offered));
  }
  return words;
}

}  // namespace truewheel::cli
