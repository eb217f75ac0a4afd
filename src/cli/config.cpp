// SPDX-License-Identifier: Apache-2.0
#include "cli/config.hpp"

#include "base/text.hpp"
#include "cli/config_file.hpp"
#include "cli/environment.hpp"
#include "cli/nearest.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
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

/// What only makes sense on a command line.
bool is_for_command_line(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"help", "config", "version", "list-rules",
                                                      "explain"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// A third of a key's letters may be wrong.
std::string nearest_key(const std::set<std::string>& names, std::string_view word) {
  return nearest_of(names, word, std::max<std::size_t>(2, word.size() / 3));
}

constexpr std::string_view kVariables = "TRUEWHEEL_";

/// auditwheel's variables, and the options that they stand for.
constexpr std::array<std::pair<const char*, std::string_view>, 3> kAuditwheelsVariables = {{
    {"AUDITWHEEL_PLAT", "plat"},
    {"AUDITWHEEL_ZIP_COMPRESSION_LEVEL", "zip-compression-level"},
    {"AUDITWHEEL_PATCHER", "patcher"},
}};

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

  [[nodiscard]] const Origins& origins() const { return origins_; }

  void from_auditwheels_environment() {
    for (const auto& [variable, name] : kAuditwheelsVariables) {
      auto* option = find_option(command_, std::string(name));
      const auto value = environment(variable);
      if (option != nullptr && value && !value->empty()) fill(option, {*value}, variable);
    }
  }

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
      const auto nearest = nearest_key(known, variable);
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
        wrong_configuration(path_,
                            fmt::format("line {}: {} takes no options from here",
                                        node.source().begin.line, command->get_name()),
                            {});
      }
      if (key.str() == command_.get_name()) {
        for (const auto& [inner, value] : *table) {
          const std::string name(inner.str());
          auto* option = find_option(command_, option_of(name));
          if (option == nullptr) {
            unknown(value, std::string(key.str()) + "." + name, name, {&command_});
          }
          fill(option, values_of(name, value, *option), shown(name, value));
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
        fill(option, values_of(name, node, *option), shown(name, node));
        continue;
      }
      const auto all = commands();
      const bool is_known = std::any_of(all.begin(), all.end(), [&](CLI::App* app) {
        return find_option(*app, option_of(name)) != nullptr;
      });
      if (!is_known) unknown(node, name, name, all);
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
        std::set<std::string> names;
        for (const auto& assertion : kAssertions) names.emplace(assertion.first);
        // They are so few that the nearest is told however far it is.
        const auto nearest = nearest_of(names, name, std::string::npos - 1);
        wrong_configuration(path_,
                            fmt::format("line {}: there is no key assert.{}",
                                        node.source().begin.line, printable(name)),
                            fmt::format("the nearest one is {}", nearest));
      }
      const auto full = "assert." + name;
      std::vector<std::string> values;
      if (name == "executables") {
        const auto* text = node.as_string();
        if (text == nullptr || (text->get() != "pie" && text->get() != "any")) {
          wrong_configuration(path_, shown(full, node) + " is \"pie\" or \"any\"", {});
        }
        values = {text->get() == "pie" ? "true" : "false"};
      } else if (const auto* typed =
                     find_option(*find_command("check"), std::string(known->second))) {
        values = values_of(full, node, *typed);
      }
      // Only the gate asserts; what a repair is to do stands elsewhere.
      if (auto* option = find_option(command_, std::string(known->second))) {
        fill(option, std::move(values), shown(full, node));
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

  /// "line 3: jobs": where a value stands, behind the file's name.
  static std::string shown(std::string_view key, const toml::node& node) {
    const auto line = node.source().begin.line;
    return fmt::format("line {}: {}", line, printable(key));
  }

  [[noreturn]] void unknown(const toml::node& node, const std::string& full, const std::string& key,
                            const std::vector<CLI::App*>& apps) const {
    std::set<std::string> names;
    if (node.is_table()) {
      for (const auto* command : commands()) names.insert(command->get_name());
    } else {
      names = keys_of(apps);
      for (const auto& [name, option] : kOtherNames) {
        if (names.contains(std::string(option))) names.insert(std::string(name));
      }
    }
    const auto nearest = nearest_key(names, key);
    wrong_configuration(
        path_,
        fmt::format("line {}: there is no key {}", node.source().begin.line, printable(full)),
        nearest.empty() ? "" : "the nearest one is " + nearest);
  }

  /// What values an option takes.
  struct Kind {
    bool is_flag = false, is_number = false, is_size = false, is_pair = false, is_list = false;

    explicit Kind(const CLI::Option& option) {
      // What the option checks stands behind its type, after a colon.
      const std::string type = option.get_type_name();
      const std::string name = type.substr(0, type.find(':'));
      is_flag = Filler::is_flag(option);
      is_number = name == "N" || name == "0-9";
      is_size = name == "SIZE";
      is_pair = type == "RULE:GLOB" || type == "MEMBER:LIB";
      is_list = option.get_expected_max() > 1 ||
                option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    }

    [[nodiscard]] std::string_view words() const {
      if (is_flag) return "true or false";
      if (is_number) return "a number";
      if (is_size) return "a number of bytes, or a text as \"100MB\"";
      if (is_pair) return "a table of texts";
      return is_list ? "a list of texts" : "a text";
    }
  };

  /// A value as the words of a command line. Numbers and tables only where the option takes such:
  /// a table says "KEY:VALUE" (allow, require-needed), and 2.30 is a text, or it would become 2.3.
  [[nodiscard]] std::vector<std::string> values_of(const std::string& key, const toml::node& node,
                                                   const CLI::Option& option) const {
    const Kind kind(option);
    std::vector<std::string> values;
    if (const auto* text = node.as_string()) {
      if (kind.is_number && !is_number(text->get())) wrong_type(key, node, kind);
      values.push_back(text->get());
    } else if (const auto* yes = node.as_boolean(); yes != nullptr && kind.is_flag) {
      values.emplace_back(yes->get() ? "true" : "false");
    } else if (const auto* integer = node.as_integer();
               integer != nullptr && (kind.is_number || kind.is_size)) {
      values.push_back(std::to_string(integer->get()));
    } else if (const auto* number = node.as_floating_point(); number != nullptr && kind.is_number) {
      values.push_back(fmt::format("{}", number->get()));
    } else if (const auto* array = node.as_array(); array != nullptr && kind.is_list) {
      for (const auto& item : *array) {
        if (!item.is_string()) wrong_type(key, item, kind);
        values.push_back(item.as_string()->get());
      }
    } else if (const auto* table = node.as_table(); table != nullptr && kind.is_pair) {
      for (const auto& [left, inner] : *table) {
        if (inner.is_table()) wrong_type(key, inner, kind);
        for (const auto& value : values_of(key, inner, option)) {
          values.push_back(std::string(left.str()) + ":" + value);
        }
      }
    } else {
      wrong_type(key, node, kind);
    }
    return values;
  }

  static bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string::npos;
  }

  static std::string type_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return "\"" + printable(text->get()) + "\"";
    if (node.is_boolean()) return node.as_boolean()->get() ? "true" : "false";
    if (node.is_number()) return "a number";
    if (node.is_array()) return "a list";
    return node.is_table() ? "a table" : "a date or time";
  }

  [[noreturn]] void wrong_type(const std::string& key, const toml::node& node,
                               const Kind& kind) const {
    wrong_configuration(
        path_, fmt::format("{} is to be {}, not {}", shown(key, node), kind.words(), type_of(node)),
        {});
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
      wrong_configuration(path_, fmt::format("{} is either true or false", name), {});
    }
    if (is_flag(*option) && (values[0] == "false" || values[0] == "0")) return;
    for (const auto& long_name : option->get_lnames()) {
      origins_[long_name] = path_.empty() ? name : path_.string() + ": " + name;
    }
    try {
      option->add_result(std::move(values));
      option->run_callback();
    } catch (const CLI::Error& error) {
      // What CLI11 says begins with the option's name, which is known by now.
      std::string what = error.what();
      const auto option_name = option->get_name() + ": ";
      if (what.starts_with(option_name)) what.erase(0, option_name.size());
      wrong_configuration(path_, fmt::format("{}: {}", name, printable(what)), {});
    }
  }

  CLI::App& program_;
  CLI::App& command_;
  fs::path path_;
  Origins origins_;
};

}  // namespace

Origins apply_auditwheels_environment(CLI::App& command) {
  Filler filler(command, command);
  filler.from_auditwheels_environment();
  return filler.origins();
}

Origins apply_configuration(CLI::App& program, CLI::App& command,
                            const std::optional<fs::path>& file) {
  Filler filler(program, command);
  filler.refuse_slips(environment_names(kVariables));
  filler.from_auditwheels_environment();
  filler.from_environment();
  if (const auto configuration = find_configuration(file)) filler.from_file(*configuration);
  return filler.origins();
}

void add_config_option(CLI::App& app, std::string& file) {
  app.add_option("--config", file, "Options from here [nearest pyproject.toml]")->type_name("FILE");
}

}  // namespace truewheel::cli
