// SPDX-License-Identifier: Apache-2.0
#include "repair/verify.hpp"

#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "repair/unfound_edges.hpp"
#include "repair/version_plan.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace truewheel::repair {
namespace {

constexpr std::uint64_t kBytesInFlight = 192ULL << 20;

[[noreturn]] void withhold(const char* id, const std::string& what) {
  throw Error(ErrorKind::withheld, id, what, "this is a fault of truewheel; please report it");
}

/// A member that was copied raw holds when its compressed bytes are those of the verified input;
/// one that was encoded anew when they are those that were made, or inflate to what they were made
/// of.
void verify_member(const MappedFile& archive, const wheel::Member& written,
                   const OutputMember& expected, const LoadedWheel& wheel) {
  if (written.executable != expected.encoded.executable)
    withhold("verify-mode", "has another mode");
  if (expected.copied_from) {
    const auto& source = wheel.members[*expected.copied_from].archive;
    const auto mine = wheel::packed_bytes(archive.bytes(), written);
    const auto theirs = wheel::packed_bytes(wheel.file.bytes(), source);
    if (written.method != source.method || written.crc != source.crc ||
        written.size != source.size || !same_bytes(archive, mine, wheel.file, theirs)) {
      withhold("verify-copy", "is not the input's bytes");
    }
    return;
  }
  const auto& encoded = expected.encoded;
  if (expected.facts) {
    // What these compressed bytes inflate to was compared and hashed when they were made.
    const auto mine = wheel::packed_bytes(archive.bytes(), written);
    if (written.method != encoded.method || written.crc != encoded.crc ||
        written.size != encoded.size ||
        !same_bytes(archive, mine, encoded.compressed, encoded.drop)) {
      withhold("verify-content", "does not have the bytes that were written");
    }
    return;
  }
  const auto content = wheel::read_member(archive.bytes(), written);
  if (base64url(sha256(content.bytes())) != expected.sha256) {
    withhold("verify-content", "does not have the bytes that were written");
  }
}

void verify_facts(const elf::ElfFacts& planned, const elf::ElfFacts& found) {
  const auto files = [](const elf::ElfFacts& facts) {
    std::vector<std::string> names;
    for (const auto& need : facts.version_needs) names.push_back(need.file);
    std::sort(names.begin(), names.end());
    return names;
  };
  if (planned.needed != found.needed) {
    withhold("verify-needed", "NEEDED is " + join(found.needed, ", ") + ", planned was " +
                                  join(planned.needed, ", "));
  }
  if (planned.filtees != found.filtees) {
    withhold("verify-filtees", "DT_FILTER and DT_AUXILIARY are not as planned");
  }
  if (planned.soname != found.soname) withhold("verify-soname", "has another SONAME than planned");
  if (planned.run_path() != found.run_path() || (found.rpath && found.runpath && !planned.rpath)) {
    withhold("verify-run-path", "has another run path than planned: " +
                                    (found.run_path() ? found.run_path()->value : "none"));
  }
  if (files(planned) != files(found)) {
    withhold("verify-versions", "version needs name other libraries than planned");
  }
}

void verify_wheel_record(Bytes archive, const std::vector<wheel::Member>& written,
                         const Execution& execution, const LoadedWheel& wheel) {
  std::vector<wheel::Digest> digests;
  digests.reserve(written.size());
  for (const auto& member : execution.members) {
    digests.push_back({member.encoded.name, member.sha256, member.encoded.size});
  }
  const auto path = wheel.dist_info_file("RECORD");
  const auto rows =
      wheel::parse_record(as_text(wheel::read_member(archive, written.back()).bytes()));
  const auto mismatches =
      wheel::verify_record(rows, digests, path, [](const std::string& name) -> wheel::Content {
        withhold("verify-record", "RECORD has a foreign hash for " + name);
      });
  if (!mismatches.empty()) withhold("verify-record", mismatches.front());
}

void verify_tags(const Plan& plan, const Options& options) {
  if (options.tag_update == policy::TagUpdate::none) return;
  auto in_file = wheel::WheelMetadata::parse(plan.wheel_text).tags();
  auto in_name = plan.name.expanded_tags();
  std::sort(in_file.begin(), in_file.end());
  std::sort(in_name.begin(), in_name.end());
  if (in_file != in_name) withhold("verify-tags", "WHEEL tags are not those of the file name");
}

}  // namespace

void verify_output(const MappedFile& archive, const LoadedWheel& wheel, const Plan& plan,
                   const Execution& execution, const Options& options) {
  if (options.verify == Verify::off) return;
  try {
    // The framing, by the same strict scanner that the input had to pass.
    const auto scan = wheel::scan(archive.bytes(), {.max_ratio = 1e18});
    if (!scan.notes.empty()) withhold("verify-archive", scan.notes.front());
    if (!scan.warnings.empty()) withhold("verify-archive", scan.warnings.front());
    if (scan.members.size() != execution.members.size()) {
      withhold("verify-archive", "has another number of members than planned");
    }
    for (std::size_t i = 0; i < scan.members.size(); ++i) {
      if (scan.members[i].name != execution.members[i].encoded.name) {
        withhold("verify-archive", "member order is not as planned");
      }
    }

    // Every member's bytes.
    parallel_for(
        scan.members.size(),
        jobs_worth(scan.members.size(), archive.bytes().size(), options.inspect.jobs),
        kBytesInFlight,
        [&](std::size_t i) {
          const auto& member = execution.members[i];
          return member.copied_from || member.facts ? std::uint64_t{0} : scan.members[i].size;
        },
        [&](std::size_t i) {
          with_context(printable(scan.members[i].name), [&] {
            verify_member(archive, scan.members[i], execution.members[i], wheel);
          });
        });
    verify_wheel_record(archive.bytes(), scan.members, execution, wheel);
    verify_tags(plan, options);

    // The ELF files as they are now: what was planned, and a loader that finds every sibling and
    // graft.
    auto layout = planned_layout(plan);
    for (const auto& member : execution.members) {
      if (!member.facts) continue;
      const auto file = *member.file;
      with_context(printable(member.encoded.name),
                   [&] { verify_facts(plan.files[file].facts, *member.facts); });
      layout[file].facts = member.facts;
    }
    std::vector<std::vector<PlannedEdge>> edges;
    edges.reserve(plan.files.size());
    for (const auto& file : plan.files) edges.push_back(file.edges);
    const auto unfound = find_unfound_edges(layout, edges, wheel.libc);
    if (!unfound.empty()) {
      withhold("verify-load", fmt::format("{}: the loader would not find {} ({})",
                                          printable(layout[unfound.front().needing].path),
                                          printable(unfound.front().needed),
                                          printable(layout[unfound.front().target].path)));
    }
    for (const auto& fault : find_lacking_versions(layout, wheel.libc)) {
      if (is_planned(fault, plan.files)) withhold("verify-load", describe_lacking(fault, layout));
    }
  } catch (Error& error) {
    if (error.kind() == ErrorKind::withheld || error.kind() == ErrorKind::io) throw;
    Error withheld(ErrorKind::withheld, "verify-" + error.id(), error.what(),
                   "this is a fault of truewheel; please report it");
    withheld.add_context(error.where());
    throw withheld;
  }
}

}  // namespace truewheel::repair
