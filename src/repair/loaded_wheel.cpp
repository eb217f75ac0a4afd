// SPDX-License-Identifier: Apache-2.0
#include "repair/loaded_wheel.hpp"

#include "base/byte_reader.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "repair/first_pass.hpp"
#include "wheel/core_metadata.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace truewheel::repair {
namespace {

/// Inflated bytes that all workers together may hold, and what the ELF members that are kept for
/// their edit may take besides.
constexpr std::uint64_t kBytesInFlight = 64ULL << 20;
constexpr std::uint64_t kHeldBytes = 96ULL << 20;

/// The architecture of the platform tags; the ELF files decide when the tags say nothing ("any").
std::string architecture_of_wheel(const LoadedWheel& wheel) {
  std::string from_tags;
  for (const auto& tag : wheel.name.platform_tags) {
    const auto architecture = policy::parse_platform_tag(tag).architecture;
    if (architecture.empty()) continue;
    if (!from_tags.empty() && from_tags != architecture) {
      throw Error(ErrorKind::refused, "several-architectures",
                  fmt::format("the file name's platform tags speak of {} and of {}", from_tags,
                              architecture));
    }
    from_tags = architecture;
  }
  if (!from_tags.empty()) return from_tags;
  std::map<std::string, std::size_t> votes;
  for (const auto& member : wheel.members) {
    if (!member.identity || (member.identity->type != 2 && member.identity->type != 3)) continue;
    if (const auto architecture = policy::architecture_of(*member.identity)) ++votes[*architecture];
  }
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? std::string() : most->first;
}

/// Foreign and malformed ELF files, such as firmware (auditwheel#333): only a malformed file whose
/// ident, e_type and machine are the wheel's own is a refusal.
void settle_elf_files(LoadedWheel& wheel, std::vector<FirstPass>& passes) {
  bool any_program_or_library = false;
  bool any_ours = false;
  std::set<std::string> foreign;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    auto& member = wheel.members[i];
    auto& pass = passes[i];
    if (!member.is_elf) continue;
    const auto warn = [&](const char* id, std::string what) {
      wheel.findings.push_back({id, Severity::warning, member.archive.name, std::move(what), {}});
    };
    if (!member.identity) {
      warn("elf-header-cut", "begins like an ELF file but has no whole ELF header; left as it is");
      continue;
    }
    const bool loadable = member.identity->type == 2 || member.identity->type == 3;
    const auto architecture = policy::architecture_of(*member.identity);
    const bool same = policy::serves(architecture, wheel.architecture);
    if (!loadable) continue;
    any_program_or_library = true;
    if (!same) {
      foreign.insert(architecture.value_or("another machine"));
      warn("elf-foreign",
           fmt::format("is an ELF file for {}, not for the wheel's {}; left as it is",
                       architecture ? *architecture : "another machine", wheel.architecture));
      continue;
    }
    if (pass.elf_error) {
      pass.elf_error->add_context(printable(member.archive.name));
      throw Error(*pass.elf_error);
    }
    any_ours = true;
    member.is_ours = true;
    if (pass.facts && pass.facts->is_dynamic()) member.facts = pass.facts;
  }
  if (any_program_or_library && !any_ours && !wheel.architecture.empty()) {
    throw Error(ErrorKind::unfit, "no-elf-of-architecture",
                fmt::format("no ELF file in the wheel is for {}, which its platform tag promises: "
                            "they are for {}",
                            wheel.architecture, join({foreign.begin(), foreign.end()}, ", ")),
                "build it for that machine, or give it the tag of the machine it is built for");
  }
}

void verify_record(LoadedWheel& wheel, Bytes archive, bool accept_mismatch) {
  const auto path = wheel.dist_info_file("RECORD");
  const auto* record = wheel.find(path);
  if (record == nullptr) throw Error(ErrorKind::refused, "record-missing", "there is no " + path);
  const auto rows = with_context(path, [&] {
    return wheel::parse_record(as_text(wheel::read_member(archive, record->archive).bytes()),
                               wheel::most_record_rows(wheel.members.size()));
  });
  std::vector<wheel::Digest> digests;
  digests.reserve(wheel.members.size());
  for (const auto& member : wheel.members) digests.push_back(member.digest);
  const auto mismatches = wheel::verify_record(rows, digests, path, [&](const std::string& name) {
    return wheel::read_member(archive, wheel.find(name)->archive);
  });
  if (mismatches.empty()) return;
  if (!accept_mismatch) {
    std::string what = "RECORD and the archive disagree: " + mismatches.front();
    for (std::size_t i = 1; i < mismatches.size() && i < 20; ++i) what += "\n  " + mismatches[i];
    if (mismatches.size() > 20) what += fmt::format("\n  and {} more", mismatches.size() - 20);
    throw Error(ErrorKind::refused, "record-mismatch", what,
                "rebuild the wheel, or pass --accept-record-mismatch to repair it all the same");
  }
  for (const auto& mismatch : mismatches) {
    wheel.findings.push_back({"record-mismatch", Severity::warning, path, mismatch, {}});
  }
}

/// ELF files whose installed place the specification calls pure; auditwheel refuses them, too
/// (auditwheel#35).
void refuse_elf_under_purelib(const LoadedWheel& wheel) {
  std::vector<std::string> names;
  for (const auto& member : wheel.members) {
    if (member.is_ours && member.installed.scheme == wheel::InstalledPath::Scheme::purelib) {
      names.push_back(printable(member.archive.name));
    }
  }
  if (names.empty()) return;
  throw Error(ErrorKind::unfit, "elf-under-purelib",
              "ELF files lie under .data/purelib: " + join(names, ", "),
              "have the build put them into platlib")
      .about(names);
}

std::string text_of(Bytes archive, const LoadedWheel& wheel, const std::string& name,
                    const char* id) {
  const auto* member = wheel.find(name);
  if (member == nullptr) throw Error(ErrorKind::refused, id, "there is no " + name);
  return std::string(as_text(wheel::read_member(archive, member->archive).bytes()));
}

/// WHEEL and the file name say the same in a wheel that nobody renamed. The file name is what
/// installers choose by; WHEEL is written anew from it.
void note_tags(LoadedWheel& wheel, const std::string& metadata_path) {
  const auto in_name = wheel.name.expanded_tags();
  std::vector<std::string> others;
  for (const auto& tag : wheel.metadata.tags()) {
    if (std::find(in_name.begin(), in_name.end(), tag) == in_name.end()) others.push_back(tag);
  }
  if (others.empty()) return;
  wheel.findings.push_back(
      {"wheel-metadata",
       Severity::warning,
       metadata_path,
       others.size() == 1
           ? fmt::format("has the Tag {}, which the file name has not", printable(others.front()))
           : fmt::format("has {} Tags which the file name has not, first {}", others.size(),
                         printable(others.front())),
       {}});
}

/// What an installer may stumble over (Z48, Z49): not ours to forbid, but worth telling.
void note_layout(LoadedWheel& wheel, Bytes archive) {
  std::vector<wheel::Member> members;
  members.reserve(wheel.members.size());
  for (const auto& member : wheel.members) members.push_back(member.archive);
  const auto* entry_points = wheel.find(wheel.dist_info_file("entry_points.txt"));
  const std::string text =
      entry_points == nullptr
          ? std::string()
          : std::string(as_text(wheel::read_member(archive, entry_points->archive).bytes()));
  using About = wheel::LayoutNote::About;
  for (auto& note : wheel::layout_notes(members, wheel.dist_info, text)) {
    const auto* id = note.about == About::data ? "layout" : "entry-point";
    wheel.findings.push_back({id, Severity::warning, {}, std::move(note.sentence), {}});
  }
}

}  // namespace

const LoadedMember* LoadedWheel::find(const std::string& member_name) const {
  const auto found = index.find(member_name);
  return found == index.end() ? nullptr : &members[found->second];
}

bool LoadedWheel::is_pure() const {
  return std::none_of(members.begin(), members.end(),
                      [](const LoadedMember& member) { return member.is_ours; });
}

bool is_record_file(const std::string& member_name, const std::string& dist_info) {
  return member_name == dist_info + "/RECORD" || member_name == dist_info + "/RECORD.jws" ||
         member_name == dist_info + "/RECORD.p7s";
}

LoadedWheel load_wheel(const std::filesystem::path& path, const InspectOptions& options,
                       Hold hold) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    const auto is_wheel = [](const auto& entry) { return entry.path().extension() == ".whl"; };
    const bool has_wheels = std::any_of(std::filesystem::directory_iterator(path, ignored),
                                        std::filesystem::directory_iterator(), is_wheel);
    throw Error(ErrorKind::usage, "folder-for-wheel", "this is a folder, not a wheel",
                has_wheels ? printable((path / "*.whl").string()) + " names the wheels in it"
                           : "`pip wheel " + printable(path.string()) + "` builds one of sources")
        .about({path.string()});
  }
  MappedFile file(path);
  const Bytes archive = file.bytes();
  auto name = wheel::parse_wheel_name(path.filename().string());

  // The framing first: nothing is inflated before both readings of the archive agree.
  auto scan = wheel::scan(archive, options.limits);
  auto dist_info = wheel::find_dist_info(scan.members, name);

  // Then every member once: CRC, SHA-256, and the ELF facts while the content is at hand.
  std::vector<FirstPass> passes(scan.members.size());
  HoldBudget budget(hold == Hold::elf_files ? kHeldBytes : 0);
  const auto jobs = jobs_worth(scan.members.size(), archive.size(), options.jobs);
  parallel_for(
      scan.members.size(), jobs, kBytesInFlight,
      [&](std::size_t i) { return first_pass_cost(scan.members[i]); },
      [&](std::size_t i) {
        with_context(printable(scan.members[i].name),
                     [&] { passes[i] = first_pass(file, scan.members[i], budget, options.jobs); });
      });

  LoadedWheel wheel{
      path, std::move(file), std::move(name), std::move(dist_info), {}, {}, {}, {}, {}, {}};
  wheel.members.reserve(scan.members.size());
  for (std::size_t i = 0; i < scan.members.size(); ++i) {
    LoadedMember member;
    member.archive = std::move(scan.members[i]);
    member.digest = {member.archive.name, passes[i].sha256, member.archive.size};
    member.installed = wheel::installed_path(member.archive.name, wheel.dist_info);
    member.identity = passes[i].identity;
    member.is_elf = passes[i].is_elf;
    member.held = std::move(passes[i].held);
    wheel.index.emplace(member.archive.name, i);
    wheel.members.push_back(std::move(member));
  }
  for (auto& note : scan.notes) {
    wheel.findings.push_back({"archive", Severity::note, {}, std::move(note), {}});
  }
  for (auto& warning : scan.warnings) {
    wheel.findings.push_back({"archive", Severity::warning, {}, std::move(warning), {}});
  }
  for (auto& note : scan.name_notes) {
    wheel.findings.push_back({"archive", Severity::warning, {}, std::move(note), {}});
  }
  for (auto& note : scan.collisions) {
    wheel.findings.push_back({kCollisionFinding, Severity::warning, {}, std::move(note), {}});
  }

  // RECORD before anything is believed: recomputing it later would launder a tampered file.
  verify_record(wheel, archive, options.accept_record_mismatch);

  const auto metadata_path = wheel.dist_info_file("WHEEL");
  wheel.metadata = with_context(metadata_path, [&] {
    return wheel::WheelMetadata::parse(
        text_of(archive, wheel, metadata_path, "wheel-metadata-missing"));
  });
  for (const auto& note : wheel.metadata.notes()) {
    wheel.findings.push_back({"wheel-metadata", Severity::warning, metadata_path, note, {}});
  }
  note_tags(wheel, metadata_path);
  const auto core_metadata_path = wheel.dist_info_file("METADATA");
  const auto core_metadata = text_of(archive, wheel, core_metadata_path, "metadata-missing");
  with_context(core_metadata_path, [&] { wheel::check_core_metadata(core_metadata, wheel.name); });
  note_layout(wheel, archive);

  wheel.architecture = architecture_of_wheel(wheel);
  settle_elf_files(wheel, passes);
  refuse_elf_under_purelib(wheel);
  if (!wheel.file.unchanged()) {
    throw Error(ErrorKind::io, "input-changed", "the file changed while it was read");
  }
  return wheel;
}

}  // namespace truewheel::repair
