// SPDX-License-Identifier: Apache-2.0
#include "cli/config.hpp"

#include "base/byte_reader.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "cli/config_toml.hpp"
#include "cli/environment.hpp"
#include "cli/toml_depth.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <set>
#include <utility>

namespace truewheel::cli {
namespace {

namespace fs = std::filesystem;

/// Keys that are not spelled as their option is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOtherNames = {{
    {"profiles", "profile"},
    {"excludes", "exclude"},
    {"includes", "include"},
    {"provides", "provide"},
    {"lib-dir", "lib-sdir"},
    {"zip-level", "zip-compression-level"},
    {"expect-names", "expect-name"},
    {"max-bundled", "max-graft-size"},
    {"plat-only", "only-plat"},
}};

/// What `assert` says of the wheel, and the options of `check` that hold it to that.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAssertions = {{
    {"name", "expect-name"},
    {"count", "expect-count"},
    {"needed", "require-needed"},
    {"forbid", "forbid-needed"},
    {"executables", "pie-only"},
}};

struct Configuration {
  fs::path path;
  toml::table table;  ///< of [tool.truewheel], or all of truewheel.toml
};

[[noreturn]] void wrong(const fs::path& path, const std::string& what, const std::string& hint) {
  Error error(ErrorKind::usage, "config", what, hint);
  error.add_context(path.string());
  throw error;
}

toml::table parse(const fs::path& path) {
  const MappedFile file(path);
  constexpr std::size_t kDeepest = 1000;
  if (const auto line = line_nested_deeper(as_text(file.bytes()), kDeepest)) {
    wrong(path, fmt::format("line {}: keys and brackets nest more than {} deep", *line, kDeepest),
          {});
  }
  try {
    return toml::parse(as_text(file.bytes()), path.string());
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    wrong(path, fmt::format("line {}, column {}: {}", at.line, at.column, error.description()), {});
  } catch (const UnforeseenToml& error) {
    wrong(path, error.what(), {});
  }
}

std::optional<Configuration> read(const fs::path& path) {
  auto table = parse(path);
  if (path.filename() != "pyproject.toml") return Configuration{path, std::move(table)};
  const auto tool = table["tool"];
  if (tool && !tool.is_table()) wrong(path, "tool is no table", {});
  const auto ours = tool["truewheel"];
  if (!ours) return std::nullopt;
  if (!ours.is_table()) wrong(path, "tool.truewheel is no table", "[tool.truewheel]");
  return Configuration{path, std::move(*ours.as_table())};
}

std::optional<Configuration> find_configuration(const std::optional<fs::path>& file) {
  if (file) {
    auto found = read(*file);
    if (!found) wrong(*file, "there is no table [tool.truewheel]", {});
    return found;
  }
  std::error_code ignored;
  for (auto folder = fs::current_path(ignored); !folder.empty(); folder = folder.parent_path()) {
    for (const auto* name : {"truewheel.toml", "pyproject.toml"}) {
      const auto path = folder / name;
      if (!fs::is_regular_file(path, ignored)) continue;
      if (auto found = read(path)) return found;
    }
    if (folder == folder.root_path()) break;
  }
  return std::nullopt;
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= right.size(); ++k) {
      const auto above = row[k];
      row[k] = std::min({above + 1, row[k - 1] + 1,
                         diagonal + static_cast<std::size_t>(left[i - 1] != right[k - 1])});
      diagonal = above;
    }
  }
  return row[right.size()];
}

/// What only makes sense on a command line.
bool is_for_command_line(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"help", "config", "version", "list-rules",
                                                      "explain"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// The name that is meant, if one is near enough to be it: a third of its letters may be wrong.
std::string nearest_of(const std::set<std::string>& names, std::string_view word) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& name : names) {
    const auto distance = edit_distance(name, word);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

constexpr std::string_view kVariables = "TRUEWHEEL_";

/// RPATH_KIND, behind TRUEWHEEL_, for rpath-kind.
std::string variable_of(std::string_view option) {
  std::string variable;
  for (const char letter : option) {
    variable +=
        letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return variable;
}

/// The long names of options that may stand in a configuration.
std::set<std::string> keys_of(const std::vector<CLI::App*>& apps) {
  std::set<std::string> names;
  for (auto* app : apps) {
    for (const auto* option : app->get_options()) {
      for (const auto& name : option->get_lnames()) {
        if (!is_for_command_line(name)) names.insert(name);
      }
    }
  }
  return names;
}

std::string option_of(std::string_view key) {
  for (const auto& [name, option] : kOtherNames) {
    if (name == key) return std::string(option);
  }
  return std::string(key);
}

CLI::Option* find_option(CLI::App& app, const std::string& name) {
  if (is_for_command_line(name)) return nullptr;
  // Not get_option_no_throw(): it allocates where it may not throw, which ends the program when
  // memory is short.
  for (auto* option : app.get_options()) {
    const auto& names = option->get_lnames();
    if (std::find(names.begin(), names.end(), name) != names.end()) return option;
  }
  return nullptr;
}

class Filler {
 public:
  Filler(CLI::App& program, CLI::App& command) : program_(program), command_(command) {}

  void from_environment() {
    for (auto* option : command_.get_options()) {
      for (const auto& long_name : option->get_lnames()) {
        const auto variable = std::string(kVariables) + variable_of(long_name);
        if (find_option(command_, long_name) == nullptr) continue;
        if (const auto value = environment(variable.c_str()); value && !value->empty()) {
          fill(option, {*value}, variable);
        }
      }
    }
  }

  /// A variable that is nearly an option's is a slip of the pen; others are somebody else's.
  void refuse_slips(const std::vector<std::string>& variables) const {
    std::set<std::string> known;
    for (const auto& name : keys_of(commands())) known.insert(variable_of(name));
    for (const auto& variable : variables) {
      const auto nearest = nearest_of(known, variable);
      if (known.contains(variable) || nearest.empty()) continue;
      throw Error(ErrorKind::usage, "config",
                  fmt::format("{}{} names no option", kVariables, printable(variable)),
                  fmt::format("the nearest one is {}{}", kVariables, nearest));
    }
  }

  void from_file(const Configuration& configuration) {
    path_ = configuration.path;
    // The command's own table is nearer than the common one.
    for (const auto& [key, node] : configuration.table) {
      const auto* table = node.as_table();
      const auto* command = find_command(std::string(key.str()));
      if (table == nullptr || command == nullptr) continue;
      if (command->get_option_no_throw("--config") == nullptr) {
        wrong(path_, fmt::format("{} takes no options from here", command->get_name()), {});
      }
      if (key.str() == command_.get_name()) {
        for (const auto& [inner, value] : *table) {
          const std::string name(inner.str());
          auto* option = find_option(command_, option_of(name));
          if (option == nullptr) unknown(std::string(key.str()) + "." + name, name, {&command_});
          fill(option, values_of(name, value, *option), name);
        }
      }
    }
    if (const auto* assertions = configuration.table["assert"].as_table()) {
      from_assertions(*assertions);
    }
    for (const auto& [key, node] : configuration.table) {
      const std::string name(key.str());
      if (name == "assert" && node.is_table()) continue;
      if (node.is_table() && find_command(name) != nullptr) continue;
      if (auto* option = find_option(command_, option_of(name))) {
        fill(option, values_of(name, node, *option), name);
        continue;
      }
      const auto all = commands();
      const bool is_known = std::any_of(all.begin(), all.end(), [&](CLI::App* app) {
        return find_option(*app, option_of(name)) != nullptr;
      });
      if (!is_known) unknown(name, name, all);
    }
  }

 private:
  void from_assertions(const toml::table& assertions) {
    for (const auto& [key, node] : assertions) {
      const std::string name(key.str());
      const auto* const known =
          std::find_if(kAssertions.begin(), kAssertions.end(),
                       [&](const auto& assertion) { return assertion.first == name; });
      if (known == kAssertions.end()) {
        const auto* const nearest = std::min_element(
            kAssertions.begin(), kAssertions.end(), [&](const auto& left, const auto& right) {
              return edit_distance(left.first, name) < edit_distance(right.first, name);
            });
        wrong(path_, fmt::format("there is no key assert.{}", printable(name)),
              fmt::format("the nearest one is {}", nearest->first));
      }
      const auto shown = "assert." + name;
      std::vector<std::string> values;
      if (name == "executables") {
        const auto* text = node.as_string();
        if (text == nullptr || (text->get() != "pie" && text->get() != "any")) {
          wrong(path_, "assert.executables is \"pie\" or \"any\"", {});
        }
        values = {text->get() == "pie" ? "true" : "false"};
      } else if (const auto* typed =
                     find_option(*find_command("check"), std::string(known->second))) {
        values = values_of(shown, node, *typed);
      }
      // Only the gate asserts; what a repair is to do stands elsewhere.
      if (auto* option = find_option(command_, std::string(known->second))) {
        fill(option, std::move(values), shown);
      }
    }
  }

  [[nodiscard]] std::vector<CLI::App*> commands() const {
    return program_.get_subcommands([](const CLI::App*) { return true; });
  }

  [[nodiscard]] CLI::App* find_command(const std::string& name) const {
    const auto all = commands();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const CLI::App* app) { return app->get_name() == name; });
    return found == all.end() ? nullptr : *found;
  }

  [[noreturn]] void unknown(const std::string& shown, const std::string& key,
                            const std::vector<CLI::App*>& apps) const {
    auto names = keys_of(apps);
    for (const auto& [name, option] : kOtherNames) {
      if (names.contains(std::string(option))) names.insert(std::string(name));
    }
    const auto nearest = nearest_of(names, key);
    wrong(path_, fmt::format("there is no key {}", printable(shown)),
          nearest.empty() ? "" : "the nearest one is " + nearest);
  }

  /// A value as the words of a command line. Numbers and tables only where the option takes such:
  /// a table says "KEY:VALUE" (allow, require-needed), and 2.30 is a text, or it would become 2.3.
  [[nodiscard]] std::vector<std::string> values_of(const std::string& key, const toml::node& node,
                                                   const CLI::Option& option) const {
    // What the option checks stands behind its type, after a colon.
    const std::string type = option.get_type_name();
    const std::string name = type.substr(0, type.find(':'));
    const bool takes_number = name == "N" || name == "0-9";
    const bool is_pair = type == "RULE:GLOB" || type == "MEMBER:LIB";
    const bool is_list = option.get_expected_max() > 1 ||
                         option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    std::vector<std::string> values;
    if (const auto* text = node.as_string()) {
      values.push_back(text->get());
    } else if (const auto* yes = node.as_boolean(); yes != nullptr && is_flag(option)) {
      values.emplace_back(yes->get() ? "true" : "false");
    } else if (const auto* integer = node.as_integer();
               integer != nullptr && (takes_number || name == "SIZE")) {
      values.push_back(std::to_string(integer->get()));
    } else if (const auto* number = node.as_floating_point(); number != nullptr && takes_number) {
      values.push_back(fmt::format("{}", number->get()));
    } else if (const auto* array = node.as_array(); array != nullptr && is_list) {
      for (const auto& item : *array) {
        if (!item.is_string()) wrong_type(key);
        values.push_back(item.as_string()->get());
      }
    } else if (const auto* table = node.as_table(); table != nullptr && is_pair) {
      for (const auto& [left, inner] : *table) {
        if (inner.is_table()) wrong_type(key);
        for (const auto& value : values_of(key, inner, option)) {
          values.push_back(std::string(left.str()) + ":" + value);
        }
      }
    } else {
      wrong_type(key);
    }
    return values;
  }

  [[noreturn]] void wrong_type(const std::string& key) const {
    wrong(path_, fmt::format("{} has a value of a type that it cannot have", printable(key)), {});
  }

  static bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

  /// Unless the command line, or something nearer, has set it.
  void fill(CLI::Option* option, std::vector<std::string> values, const std::string& name) {
    if (option->count() != 0 || values.empty()) return;
    const bool is_folder = option->get_type_name() == "DIR" || option->get_type_name() == "WHEEL";
    for (auto& value : values) {
      // A folder in a file is relative to that file.
      if (is_folder && !path_.empty()) value = (path_.parent_path() / value).string();
      if (option->check_lname("lib-sdir") && value.starts_with("{name}")) value.erase(0, 6);
    }
    // --strip says how, too.
    const bool is_switch = is_flag(*option) && !option->check_lname("strip");
    if (is_switch && (values.size() != 1 || (values[0] != "true" && values[0] != "false" &&
                                             values[0] != "1" && values[0] != "0"))) {
      wrong(path_, fmt::format("{} is either true or false", printable(name)), {});
    }
    if (is_flag(*option) && (values[0] == "false" || values[0] == "0")) return;
    try {
      option->add_result(std::move(values));
      option->run_callback();
    } catch (const CLI::Error& error) {
      wrong(path_, fmt::format("{}: {}", printable(name), error.what()), {});
    }
  }

  CLI::App& program_;
  CLI::App& command_;
  fs::path path_;
};

}  // namespace

void apply_configuration(CLI::App& program, CLI::App& command,
                         const std::optional<fs::path>& file) {
  Filler filler(program, command);
  filler.refuse_slips(environment_names(kVariables));
  filler.from_environment();
  if (const auto configuration = find_configuration(file)) filler.from_file(*configuration);
}

void add_config_option(CLI::App& app, std::string& file) {
  app.add_option("--config", file, "Options from here [nearest pyproject.toml]")->type_name("FILE");
}

}  // namespace truewheel::cli
