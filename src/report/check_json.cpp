// SPDX-License-Identifier: Apache-2.0
#include "report/check_graph.hpp"
#include "report/check_text.hpp"
#include <nlohmann/json.hpp>
#include <truewheel/version.hpp>

namespace truewheel::report {
namespace {

using Json = nlohmann::ordered_json;

Json link_json(const check::Subject& subject, const check::Link& link) {
  Json json = {{"name", link.needed}, {"reach", reach_name(link.reach)}};
  json["resolved"] = link.target ? Json(subject.path_of(*link.target)) : Json();
  json["entry"] = link.entry.empty() ? Json() : Json(link.entry);
  json["entry_of"] = link.entry_owner ? Json(subject.path_of(*link.entry_owner)) : Json();
  json["provided_by"] = link.provided_by.empty() ? Json() : Json(link.provided_by);
  return json;
}

Json files_json(const check::Subject& subject) {
  Json files = Json::array();
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    const auto& facts = *subject.files[i].facts;
    Json file = {{"path", subject.path_of(i)},
                 {"size", subject.members[subject.files[i].member].size},
                 {"root", subject.files[i].is_root}};
    file["soname"] = facts.soname ? Json(*facts.soname) : Json();
    file["rpath"] = facts.rpath ? Json(deps::run_path_entries(*facts.rpath)) : Json();
    file["runpath"] = facts.runpath ? Json(deps::run_path_entries(*facts.runpath)) : Json();
    Json needed = Json::array();
    for (const auto& link : subject.links) {
      if (link.file == i) needed.push_back(link_json(subject, link));
    }
    file["needed"] = std::move(needed);
    files.push_back(std::move(file));
  }
  return files;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const auto& finding : findings) {
    list.push_back({{"rule", finding.id},
                    {"severity", severity_name(finding.severity)},
                    {"member", finding.where},
                    {"value", finding.value},
                    {"message", finding.what},
                    {"hint", finding.hint}});
  }
  return list;
}

}  // namespace

std::string check_json(const std::vector<check::Outcome>& outcomes) {
  Json subjects = Json::array();
  for (const auto& outcome : outcomes) {
    Json json = {{"path", outcome.path.string()}};
    if (outcome.subject) {
      json["name"] = outcome.subject->name;
      json["size"] = outcome.subject->size;
      json["files"] = files_json(*outcome.subject);
    }
    json["findings"] = findings_json(outcome.findings);
    subjects.push_back(std::move(json));
  }
  const Json json = {
      {"schema", 1}, {"truewheel", std::string(kVersion)}, {"subjects", std::move(subjects)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace truewheel::report
