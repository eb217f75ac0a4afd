// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "report/check_reports.hpp"
#include "report/check_text.hpp"
#include <nlohmann/json.hpp>
#include <truewheel/version.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::report {
namespace {

using Json = nlohmann::ordered_json;

/// RFC 3986: everything but unreserved characters and the slash is written as %XX.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = path.is_absolute() ? "file://" : "";
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') ||
                          std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

Json rules_json() {
  Json rules = Json::array();
  for (const auto& rule : check::rules()) {
    rules.push_back({{"id", rule.id},
                     {"shortDescription", {{"text", rule.title}}},
                     {"fullDescription", {{"text", rule.reason}}},
                     {"help", {{"text", rule.remedy.empty() ? rule.reason : rule.remedy}}},
                     {"defaultConfiguration", {{"level", severity_name(rule.severity)}}}});
  }
  return rules;
}

Json result_json(const check::Outcome& outcome, const Finding& finding) {
  const auto& rules = check::rules();
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const auto& known) { return known.id == finding.id; });
  std::string text = finding.where.empty() ? "" : printable(finding.where) + ": ";
  text += printable(finding.what);
  if (!finding.hint.empty()) text += ". " + printable(finding.hint);
  Json result = {{"ruleId", finding.id}};
  if (rule != rules.end()) result["ruleIndex"] = rule - rules.begin();
  result["level"] = severity_name(finding.severity);
  result["message"] = {{"text", text}};
  Json location = Json::object();
  if (!outcome.path.empty()) {
    location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(outcome.path)}}},
                                    {"region", {{"startLine", 1}}}};
  }
  if (!finding.where.empty()) {
    const std::string member = printable(finding.where);
    location["logicalLocations"] =
        Json::array({{{"name", member},
                      {"fullyQualifiedName", subject_name(outcome) + "!" + member},
                      {"kind", "member"}}});
  }
  if (!location.empty()) result["locations"] = Json::array({location});
  // The same finding of the next build is the same alert.
  result["partialFingerprints"] = {
      {"finding/v1",
       fmt::format("{}|{}|{}", finding.id, printable(finding.where), printable(finding.value))}};
  return result;
}

}  // namespace

std::string check_sarif(const std::vector<check::Outcome>& outcomes) {
  Json results = Json::array();
  for (const auto& outcome : outcomes) {
    for (const auto& finding : outcome.findings) results.push_back(result_json(outcome, finding));
  }
  const Json driver = {
      {"name", "truewheel"}, {"version", std::string(kVersion)}, {"rules", rules_json()}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", std::move(results)}};
  const Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({run})}};
  return sarif.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace truewheel::report
