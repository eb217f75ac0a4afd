// SPDX-License-Identifier: Apache-2.0
#include "repair/execute.hpp"

#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "repair/encoded_store.hpp"
#include "repair/rewrite_elf.hpp"
#include "repair/sbom.hpp"
#include "repair/strip.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace truewheel::repair {
namespace {

constexpr std::uint64_t kBytesInFlight = 192ULL << 20;

/// What one output member is made from; the work happens later, in parallel.
struct Source {
  std::string name;
  bool executable = false;
  std::optional<std::size_t> member;  ///< content of this input member
  std::optional<std::size_t> file;    ///< the ELF file of the plan that it is
  std::optional<std::string> text;    ///< content made here
  std::uint64_t cost = 0;
};

bool is_below(const std::string& name, const std::string& folder) {
  return name.size() > folder.size() && name.starts_with(folder) && name[folder.size()] == '/';
}

/// Sorted by name, `.dist-info` physically last (PEP 427), RECORD after everything it describes.
void sort_sources(std::vector<Source>& sources, const std::string& dist_info) {
  const auto key = [&](const Source& source) {
    return std::tuple(is_below(source.name, dist_info), std::string_view(source.name));
  };
  std::sort(sources.begin(), sources.end(),
            [&](const Source& a, const Source& b) { return key(a) < key(b); });
}

std::vector<Source> list_sources(const LoadedWheel& wheel, const Plan& plan,
                                 const deps::Graph& graph) {
  std::map<std::size_t, std::size_t> file_of_member;
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    if (plan.files[i].member) file_of_member[*plan.files[i].member] = i;
  }
  std::map<std::size_t, const ShimPlan*> shim_of_file;
  for (const auto& shim : plan.shims) shim_of_file[shim.file] = &shim;

  const auto wheel_file = wheel.dist_info_file("WHEEL");
  const auto sbom = sbom_member(wheel);
  std::vector<Source> sources;
  for (std::size_t i = 0; i < wheel.members.size(); ++i) {
    const auto& member = wheel.members[i];
    if (is_record_file(member.archive.name, wheel.dist_info) || plan.gone.contains(i)) continue;
    const bool executable = member.archive.executable || plan.made_executable.contains(i);
    Source source{member.archive.name, executable, i, {}, {}, member.archive.size};
    if (const auto found = file_of_member.find(i); found != file_of_member.end()) {
      source.file = found->second;
      if (const auto shim = shim_of_file.find(found->second); shim != shim_of_file.end()) {
        sources.push_back({shim->second->old_member, true, {}, {}, shim->second->script, 0});
        source.name = shim->second->new_member;
        source.executable = true;
      }
    }
    if (member.archive.name == wheel_file) source.text = plan.wheel_text;
    if (member.archive.name == sbom) source.text = plan.sbom;
    sources.push_back(std::move(source));
  }
  for (std::size_t i = 0; i < plan.files.size(); ++i) {
    if (!plan.files[i].node) continue;
    std::error_code ignored;
    const auto size = std::filesystem::file_size(graph.nodes[*plan.files[i].node].path, ignored);
    sources.push_back({plan.files[i].path, true, {}, i, {}, ignored ? 0 : size});
  }
  if (plan.sbom && wheel.find(sbom) == nullptr) {
    sources.push_back({sbom, false, {}, {}, plan.sbom, 0});
  }
  for (const auto& licence : plan.licences) {
    sources.push_back({licence.member, false, {}, {}, licence.text, 0});
  }
  sort_sources(sources, wheel.dist_info);
  return sources;
}

OutputMember copy_raw(const LoadedWheel& wheel, std::size_t index, const Source& source) {
  const auto& member = wheel.members[index];
  OutputMember output;
  output.encoded.name = source.name;
  output.encoded.executable = source.executable;
  output.encoded.method = member.archive.method;
  output.encoded.crc = member.archive.crc;
  output.encoded.size = member.archive.size;
  output.encoded.compressed = wheel::packed_bytes(wheel.file.bytes(), member.archive);
  output.sha256 = member.digest.sha256;
  output.copied_from = index;
  output.file = source.file;
  return output;
}

OutputMember encode(const Source& source, Bytes content, int level) {
  OutputMember output;
  output.encoded = wheel::encode_member(source.name, source.executable, content, {.level = level});
  output.sha256 = base64url(sha256(content));
  output.file = source.file;
  return output;
}

OutputMember make_member(const LoadedWheel& wheel, const Plan& plan, const deps::Graph& graph,
                         const Options& options, const Source& source, EditedFile& record) {
  if (source.text) {
    const auto content = as_bytes(*source.text);
    if (source.member) {
      const auto old =
          wheel::read_member(wheel.file.bytes(), wheel.members[*source.member].archive);
      if (std::equal(content.begin(), content.end(), old.bytes().begin(), old.bytes().end())) {
        return copy_raw(wheel, *source.member, source);
      }
    }
    return encode(source, content, options.compression_level);
  }
  if (!source.file) return copy_raw(wheel, *source.member, source);
  const auto& file = plan.files[*source.file];
  record.member = source.name;
  record.reasons = file.reasons;
  ElfSource elf{source.name, source.executable, nullptr, &wheel.file, {}, {}, nullptr};
  if (file.node) {
    elf.host_path = graph.nodes[*file.node].path;
    elf.host_stamp = graph.nodes[*file.node].stamp;
  } else if (file.edit.empty() && options.strip == Strip::no) {
    return copy_raw(wheel, *source.member, source);
  } else {
    elf.member = &wheel.members[*source.member].archive;
    elf.held = wheel.members[*source.member].held;
  }
  auto output = rewrite_elf(elf, file.edit, options, record);
  output.file = source.file;
  return output;
}

OutputMember make_record(const LoadedWheel& wheel, const std::vector<OutputMember>& members,
                         int level) {
  const auto path = wheel.dist_info_file("RECORD");
  std::vector<wheel::RecordRow> rows;
  rows.reserve(members.size() + 1);
  for (const auto& member : members) {
    rows.push_back({member.encoded.name, "sha256=" + member.sha256, member.encoded.size});
  }
  rows.push_back({path, {}, {}});
  const auto text = wheel::format_record(rows);
  return encode(Source{path, false, {}, {}, {}, 0}, as_bytes(text), level);
}

}  // namespace

Execution execute(const LoadedWheel& wheel, const Plan& plan, const deps::Graph& graph,
                  const Options& options, const std::filesystem::path& folder) {
  const auto sources = list_sources(wheel, plan, graph);
  Execution execution;
  execution.members.resize(sources.size());
  std::vector<EditedFile> records(plan.files.size());
  std::optional<SignalsHeld> held;
  if (options.strip != Strip::no) held.emplace();
  EncodedStore store(folder, wheel.file.bytes().size());
  std::uint64_t edited = 0;
  for (const auto& source : sources) edited += source.file ? source.cost : 0;
  parallel_for(
      sources.size(), jobs_worth(sources.size(), edited, options.inspect.jobs), kBytesInFlight,
      // The content and its compressed form are held at once while a member is made.
      [&](std::size_t i) { return sources[i].file ? 2 * sources[i].cost : 0; },
      [&](std::size_t i) {
        EditedFile scratch;
        with_context(printable(sources[i].name), [&] {
          execution.members[i] = make_member(wheel, plan, graph, options, sources[i],
                                             sources[i].file ? records[*sources[i].file] : scratch);
          store.keep(execution.members[i].encoded);
        });
      });
  execution.members.push_back(make_record(wheel, execution.members, options.compression_level));
  for (auto& record : records) {
    if (!record.reasons.empty() || !record.steps.empty())
      execution.edits.push_back(std::move(record));
  }
  return execution;
}

}  // namespace truewheel::repair
