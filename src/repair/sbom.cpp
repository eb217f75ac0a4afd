// SPDX-License-Identifier: Apache-2.0
#include "repair/sbom.hpp"

#include "base/byte_reader.hpp"
#include "base/text.hpp"
#include "base/unicode.hpp"
#include "repair/licence_files.hpp"
#include "repair/package_owner.hpp"
#include <nlohmann/json.hpp>
#include <truewheel/error.hpp>
#include <truewheel/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace truewheel::repair {
namespace {

using Json = nlohmann::ordered_json;

// A component's place in the wheel; what has it was written by us.
constexpr const char* kFileProperty = "truewheel:file";
constexpr int kDeepest = 64;  // a bill has some six levels; writing goes as deep as reading did

std::string timestamp(const wheel::ArchiveTime& time) {
  // What zip can say (APPNOTE 4.4.6, MS-DOS time): 1980 to 2107.
  constexpr std::int64_t kEarliest = 315532800;
  constexpr std::int64_t kLatest = 4354819199;
  const std::chrono::sys_seconds moment(
      std::chrono::seconds(std::clamp(time.seconds, kEarliest, kLatest)));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(moment.time_since_epoch().count()));
}

Json parse(std::string_view text) {
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, const Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  Json json = Json::parse(text.begin(), text.end(), watch, false);
  return too_deep ? Json(Json::value_t::discarded) : json;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The list under `key`; anything else there gives an empty one.
Json list_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : Json::array();
}

/// The file of the wheel that a component of ours speaks of; empty for a component of somebody
/// else.
std::string file_of(const Json& component) {
  if (!component.is_object()) return {};
  for (const auto& property : list_of(component, "properties")) {
    if (text_of(property, "name") == kFileProperty) return text_of(property, "value");
  }
  return {};
}

/// UAPI.8: what the build of a distribution wrote into the library itself.
std::optional<PackageOwner> owner_by_note(const elf::ElfFacts& facts) {
  if (!facts.package_note) return std::nullopt;
  const Json note = parse(*facts.package_note);
  if (!note.is_object()) return std::nullopt;
  PackageOwner owner;
  owner.type = text_of(note, "type");
  owner.distribution = text_of(note, "os");
  owner.name = text_of(note, "name");
  owner.version = text_of(note, "version");
  owner.architecture = text_of(note, "architecture");
  if (owner.distribution.empty()) {
    // "cpe:/o:fedoraproject:fedora:38" has the distribution as its product.
    const auto cpe = split(text_of(note, "osCpe"), ':');
    if (cpe.size() > 3 && cpe.front() == "cpe") owner.distribution = cpe[3];
  }
  const bool is_type =
      !owner.type.empty() && std::all_of(owner.type.begin(), owner.type.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+';
      });
  if (!is_type || owner.name.empty()) return std::nullopt;
  return owner;
}

/// PyPI's package URL has the name in PEP 503's form.
std::string wheel_url(const wheel::WheelName& name) {
  auto distribution = wheel::normalized_distribution(name.distribution);
  std::replace(distribution.begin(), distribution.end(), '_', '-');
  return "pkg:pypi/" + url_escape(distribution) + "@" + url_escape(name.version);
}

/// What is known of a bundled library besides what its bytes say.
struct Provenance {
  std::optional<PackageOwner> owner;
  std::vector<std::string> licences;  ///< members of the wheel
};
using Provenances = std::map<std::string, Provenance>;  // by the source's real path

/// From the bill, which lies in `sboms`, to a licence file beside it in the .dist-info.
std::string licence_url(const std::string& member) {
  std::vector<std::string> parts = split(member, '/');
  parts.front() = "..";
  for (auto& part : parts) part = url_escape(part);
  return join(parts, "/");
}

/// No path of this machine: where the build lay is nobody's business and differs between builds.
Json component_of(const Graft& graft, const Provenance& provenance) {
  const auto& owner = provenance.owner;
  Json component = {{"type", "library"}, {"bom-ref", graft.member}};
  component["name"] = owner ? owner->name : std::string(base_name(graft.source));
  if (owner && !owner->version.empty()) component["version"] = owner->version;
  component["hashes"] = {{{"alg", "SHA-256"}, {"content", graft.sha256}}};
  if (owner && !owner->licence.empty()) {
    component["licenses"] = {{{"license", {{"name", owner->licence}}}}};
  }
  if (owner) component["purl"] = package_url(*owner);
  for (const auto& member : provenance.licences) {
    component["externalReferences"].push_back({{"type", "license"}, {"url", licence_url(member)}});
  }
  component["properties"] = {
      {{"name", kFileProperty}, {"value", graft.member}},
      {{"name", "truewheel:source-name"}, {"value", std::string(base_name(graft.source))}}};
  return component;
}

class Bill {
 public:
  Bill(const LoadedWheel& wheel, const Plan& plan, const Options& options, Json earlier)
      : plan_(plan), url_(wheel_url(wheel.name)), bill_(std::move(earlier)) {
    const bool is_new = bill_.empty();
    const auto version = bill_.find("version");
    const std::int64_t number =
        version != bill_.end() && version->is_number_integer() ? version->get<std::int64_t>() : 0;
    if (is_new) bill_ = {{"bomFormat", "CycloneDX"}, {"specVersion", "1.4"}};
    // CycloneDX counts the versions of one bill.
    bill_["version"] = std::clamp<std::int64_t>(number, 0, 1'000'000) + 1;
    write_metadata(wheel, options);
  }

  std::string run(const Provenances& provenances) && {
    write_components(provenances);
    write_dependencies();
    // File names may hold bytes that are no UTF-8; they are replaced rather than refused.
    return bill_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  void write_metadata(const LoadedWheel& wheel, const Options& options) {
    Json& metadata = bill_["metadata"];
    if (!metadata.is_object()) metadata = Json::object();
    metadata["timestamp"] = timestamp(options.time);
    Json tools = Json::array();
    for (const auto& tool : list_of(metadata, "tools")) {
      if (text_of(tool, "name") != "truewheel") tools.push_back(tool);
    }
    tools.push_back({{"name", "truewheel"}, {"version", kVersion}});
    metadata["tools"] = std::move(tools);
    metadata["component"] = {{"type", "library"},
                             {"bom-ref", url_},
                             {"name", wheel.name.distribution},
                             {"version", wheel.name.version},
                             {"purl", url_}};
  }

  void write_components(const Provenances& provenances) {
    std::set<std::string> files;
    for (const auto& file : plan_.files) files.insert(file.path);
    for (const auto& graft : plan_.grafts) files.erase(graft.member);

    std::map<std::string, Json> by_reference;
    Json foreign = Json::array();
    for (const auto& component : list_of(bill_, "components")) {
      const auto file = file_of(component);
      if (file.empty()) {
        foreign.push_back(component);
      } else if (files.contains(file)) {
        // Ours refer to themselves by their file; what somebody made of that is put right.
        by_reference[file] = component;
        by_reference[file]["bom-ref"] = file;
        reference_of_[file] = file;
      }
    }
    for (const auto& graft : plan_.grafts) {
      by_reference[graft.member] = component_of(graft, provenances.at(graft.source));
      reference_of_[graft.member] = graft.member;
    }
    for (auto& [reference, component] : by_reference) foreign.push_back(std::move(component));
    bill_["components"] = std::move(foreign);
  }

  /// Who needs whom, from the plan: the package stands for all files of its own.
  void write_dependencies() {
    std::map<std::string, std::set<std::string>> needs{{url_, {}}};
    for (const auto& [file, reference] : reference_of_) needs[reference];
    for (const auto& file : plan_.files) {
      const auto from = reference_of_.find(file.path);
      for (const auto& edge : file.edges) {
        const auto to = reference_of_.find(plan_.files[edge.target].path);
        if (to == reference_of_.end()) continue;
        needs[from == reference_of_.end() ? url_ : from->second].insert(to->second);
      }
    }
    Json dependencies = Json::array();
    // What others said of components of theirs stays; of files that are gone nothing does.
    std::set<std::string> known;
    for (const auto& component : bill_["components"]) known.insert(text_of(component, "bom-ref"));
    for (const auto& entry : list_of(bill_, "dependencies")) {
      const auto reference = text_of(entry, "ref");
      if (known.contains(reference) && !needs.contains(reference)) dependencies.push_back(entry);
    }
    for (const auto& [reference, targets] : needs) {
      Json entry = {{"ref", reference}};
      if (!targets.empty()) entry["dependsOn"] = targets;
      dependencies.push_back(std::move(entry));
    }
    bill_["dependencies"] = std::move(dependencies);
  }

  const Plan& plan_;
  std::string url_;
  Json bill_;
  std::map<std::string, std::string> reference_of_;  ///< file of the wheel -> bom-ref
};

/// A bill of ours that cannot be read is written anew; it says nothing that can be kept.
Json earlier_bill(const LoadedWheel& wheel, std::vector<Finding>& findings) {
  const auto name = sbom_member(wheel);
  const auto* member = wheel.find(name);
  if (member == nullptr) return Json::object();
  const auto content = wheel::read_member(wheel.file.bytes(), member->archive);
  Json bill = parse(as_text(content.bytes()));
  if (bill.is_object() && text_of(bill, "bomFormat") == "CycloneDX") return bill;
  findings.push_back(
      {"sbom", Severity::warning, name, "is no CycloneDX document and is written anew", {}});
  return Json::object();
}

/// A member of nearly that name would be one file with ours on some file system.
void refuse_taken_name(const LoadedWheel& wheel) {
  const auto name = sbom_member(wheel);
  const std::set<std::string> keys{collision_key(name), collision_key(folder_name(name))};
  for (const auto& member : wheel.members) {
    if (member.archive.name == name || !keys.contains(collision_key(member.archive.name))) continue;
    throw Error(ErrorKind::unfit, "sbom-name-taken",
                fmt::format("{}: stands where {} has to be", printable(member.archive.name), name));
  }
}

}  // namespace

std::string sbom_member(const LoadedWheel& wheel) {
  return wheel.dist_info_file("sboms/truewheel.cdx.json");
}

void plan_sbom(const LoadedWheel& wheel, const deps::Graph& graph, const Options& options,
               Plan& plan) {
  refuse_taken_name(wheel);
  std::vector<std::string> sources;
  for (const auto& graft : plan.grafts) sources.push_back(graft.source);
  const auto& sysroot = options.inspect.search.sysroot;
  auto owners = find_package_owners(sources, sysroot, options.inspect.jobs);

  LicenceFiles licences(wheel, plan.libs_folder, sysroot);
  Provenances provenances;
  for (const auto& file : plan.files) {
    if (!file.node) continue;
    const auto& source = graph.nodes[*file.node].path;
    auto& provenance = provenances[source];
    provenance.owner = owner_by_note(file.facts);
    if (const auto found = owners.find(source); found != owners.end()) {
      auto& owner = found->second;
      if (provenance.owner) {
        // The note says what the library is; only the database knows the package's other files.
        provenance.owner->licence = std::move(owner.licence);
        provenance.owner->licence_files = std::move(owner.licence_files);
      } else {
        provenance.owner = std::move(owner);
      }
    }
    if (provenance.owner) provenance.licences = licences.members_for(*provenance.owner);
  }
  plan.licences = licences.take();
  plan.sbom = Bill(wheel, plan, options, earlier_bill(wheel, plan.findings)).run(provenances);
}

}  // namespace truewheel::repair
