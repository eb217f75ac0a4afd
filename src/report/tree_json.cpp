// SPDX-License-Identifier: Apache-2.0
#include "report/tree_json.hpp"

#include <nlohmann/json.hpp>
#include <truewheel/policy.hpp>

namespace truewheel::report {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json entries(const std::optional<std::string>& run_path) {
  return run_path ? Json(deps::run_path_entries(*run_path)) : Json::array();
}

Json platform_json(const elf::ElfFacts& facts) {
  elf::Identity identity;
  identity.bits = facts.bits;
  identity.little_endian = facts.little_endian;
  identity.type = facts.type;
  identity.machine = facts.machine;
  identity.flags = facts.flags;
  const auto architecture = policy::architecture_of(identity);
  return {{"architecture", architecture ? Json(*architecture) : Json()},
          {"class", facts.bits},
          {"little_endian", facts.little_endian},
          {"machine", facts.machine}};
}

const char* libc_name(deps::Libc libc) {
  switch (libc) {
    case deps::Libc::glibc:
      return "glibc";
    case deps::Libc::musl:
      return "musl";
    case deps::Libc::bionic:
      return "bionic";
  }
  return "";
}

}  // namespace

std::string tree_json(const deps::LoadTree& tree, deps::Libc libc) {
  const auto& facts = *tree.facts;
  Json json = {{"interpreter", text_or_null(facts.interpreter.value_or(""))},
               {"libc", libc_name(libc)},
               {"path", tree.path},
               {"realpath", tree.real_path},
               {"platform", platform_json(facts)},
               {"needed", facts.needed},
               {"rpath", entries(facts.rpath)},
               {"runpath", entries(facts.runpath)}};
  Json libraries = Json::object();
  for (const auto& library : tree.libraries) {
    Json entry = {{"soname", library.name},
                  {"path", text_or_null(library.path)},
                  {"realpath", text_or_null(library.real_path)}};
    entry["platform"] = library.facts ? platform_json(*library.facts) : Json();
    entry["needed"] = library.facts ? Json(library.facts->needed) : Json::array();
    entry["how"] = text_or_null(library.how);
    libraries[library.name] = std::move(entry);
  }
  json["libraries"] = std::move(libraries);
  return json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace truewheel::report
