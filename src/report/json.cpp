// SPDX-License-Identifier: Apache-2.0
#include "report/json.hpp"

#include "report/view.hpp"
#include <nlohmann/json.hpp>

namespace truewheel::report {
namespace {

using Json = nlohmann::ordered_json;

/// File names may hold bytes that are no UTF-8; they are replaced rather than refused.
std::string dump(const Json& json) {
  return json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json offence_json(const policy::Offence& offence) {
  return {{"file", offence.file},       {"in_wheel", offence.in_wheel},
          {"library", offence.library}, {"version", offence.version},
          {"symbols", offence.symbols}, {"sentence", offence.sentence()}};
}

const char* answer_name(deps::Answer answer) {
  switch (answer) {
    case deps::Answer::sibling:
      return "sibling";
    case deps::Answer::host:
      return "host";
    case deps::Answer::excluded:
      return "excluded";
    case deps::Answer::missing:
      return "missing";
    case deps::Answer::libpython:
      return "libpython";
  }
  return "";
}

Json file_json(const deps::Graph& graph, const deps::Node& node) {
  Json needed = Json::array();
  for (const auto& edge : node.edges) {
    Json entry = {{"name", edge.needed}, {"answer", answer_name(edge.answer)}, {"how", edge.how}};
    entry["resolved"] = edge.target ? Json(graph.nodes[*edge.target].path) : Json();
    needed.push_back(std::move(entry));
  }
  const auto run_path = node.facts->run_path();
  Json file = {{"path", node.path}, {"needed", std::move(needed)}};
  file["soname"] = node.facts->soname ? Json(*node.facts->soname) : Json();
  file["rpath"] = run_path ? Json(deps::run_path_entries(run_path->value)) : Json::array();
  file["rpath_kind"] =
      run_path ? Json(run_path->kind == elf::RunPathKind::rpath ? "RPATH" : "RUNPATH") : Json();
  Json opened = Json::array();
  for (const auto& note : node.facts->dlopen_notes) {
    opened.push_back(
        {{"sonames", note.sonames}, {"feature", note.feature}, {"priority", note.priority}});
  }
  file["dlopen"] = std::move(opened);
  return file;
}

Json policies_json(const policy::Verdict& verdict) {
  Json policies = Json::array();
  for (std::size_t i = 0; i < verdict.policies.size(); ++i) {
    const auto& entry = verdict.policies[i];
    Json offences = Json::array();
    for (const auto& offence : entry.offences) offences.push_back(offence_json(offence));
    policies.push_back({{"name", verdict.tag(i)},
                        {"satisfied", entry.satisfied},
                        {"offences", std::move(offences)}});
  }
  return policies;
}

Json upgrades_json(const repair::Inspection& inspection) {
  const auto& verdict = *inspection.verdict;
  Json upgrades = Json::object();
  for (std::size_t i = verdict.strictest; i < verdict.as_is; ++i) {
    std::set<std::string> libraries;
    for (const auto& [needed, path] : external_libraries(inspection, i)) libraries.insert(needed);
    const auto blacklisted = forbidden_symbols(verdict.policies[i]);
    Json upgrade = Json::object();
    if (!libraries.empty()) upgrade["libs_to_eliminate"] = libraries;
    if (!blacklisted.empty()) upgrade["blacklisted_symbols"] = blacklisted;
    if (!upgrade.empty()) upgrades[verdict.tag(i)] = std::move(upgrade);
  }
  return upgrades;
}

}  // namespace

std::string show_json(const repair::Inspection& inspection) {
  Json json = {{"version", 1}, {"wheel", inspection.input.filename().string()}};
  json["pure"] = inspection.pure;
  if (inspection.pure || !inspection.verdict) return dump(json);
  const auto& verdict = *inspection.verdict;
  Json external = Json::object();
  for (const auto& [needed, path] : external_libraries(inspection, verdict.strictest)) {
    external[needed] = path.empty() ? Json() : Json(path);
  }
  json["overall_tag"] = verdict.tag(verdict.as_is);
  json["sym_tag"] = verdict.tag(verdict.by_versions);
  const auto peculiar = peculiarities(verdict);
  json["pyfpe"] = peculiar.pyfpe;
  json["ucs2"] = peculiar.ucs2;
  json["unsupported_isa"] = peculiar.unsupported_isa;
  json["versioned_symbols"] = versioned_symbols(inspection, Whose::with_grafts);
  json["external_libs"] = std::move(external);
  json["policy_upgrades"] = upgrades_json(inspection);

  json["own_tag"] = verdict.tag(verdict.own);
  json["own_symbols"] = versioned_symbols(inspection, Whose::wheel);
  const auto& repaired = repaired_verdict(inspection);
  json["repaired_tag"] = repaired.tag(repaired.best);
  json["left_to_driver"] = inspection.driver_libraries;
  Json floors = Json::object();
  for (const auto& [name, floor] : repaired.floors) {
    floors[name] = {{"version", floor.version}, {"file", floor.file}, {"symbol", floor.symbol}};
  }
  json["floors"] = std::move(floors);
  json["wheel_tags"] = inspection.wheel_tags;
  Json false_tags = Json::object();
  Json conditional_tags = Json::object();
  const auto judged = policy::judge_name_tags(verdict, inspection.name.platform_tags);
  for (const auto& entry : judged.untrue) false_tags[entry.tag] = entry.why;
  for (const auto& entry : judged.conditional) conditional_tags[entry.tag] = entry.why;
  json["false_tags"] = std::move(false_tags);
  json["conditional_tags"] = std::move(conditional_tags);
  json["policies"] = policies_json(verdict);
  Json files = Json::array();
  for (const auto& node : inspection.graph.nodes) {
    if (node.in_wheel && node.facts) files.push_back(file_json(inspection.graph, node));
  }
  json["files"] = std::move(files);
  Json findings = Json::array();
  for (const auto& finding : inspection.findings) {
    findings.push_back({{"id", finding.id}, {"where", finding.where}, {"what", finding.what}});
  }
  json["findings"] = std::move(findings);
  return dump(json);
}

std::string show_error_json(const std::string& wheel, const Error& error) {
  Json json = {{"version", 1}, {"wheel", wheel}, {"error", error.what()}, {"id", error.id()}};
  if (error.id() == "pure-wheel") json["pure"] = true;
  return dump(json);
}

}  // namespace truewheel::report
