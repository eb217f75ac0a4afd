// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "check/large_member.hpp"
#include "check/requirements.hpp"
#include "check/subject.hpp"
#include "elf/payload.hpp"
#include "wheel/core_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace truewheel::check {
namespace {

/// Members above this size that are no ELF are hashed in pieces, never held.
constexpr std::uint64_t kStreamAbove = 16ULL << 20;

constexpr const char* kWriteRecord = "truewheel repair --accept-record-mismatch writes RECORD anew";

bool starts_as_elf(Bytes archive, const wheel::Member& member) {
  bool answer = false;
  struct Stop {};
  try {
    wheel::stream_member(archive, member, [&](Bytes piece) {
      answer = elf::has_elf_magic(piece);
      throw Stop{};
    });
  } catch (const Stop&) {
  }
  return answer;
}

Inspected look_at_member(Bytes archive, const wheel::Member& member, const Options& options) {
  Inspected inspected;
  inspected.member.path = member.name;
  inspected.member.size = member.size;
  inspected.member.executable = member.executable;
  if (member.method != 0 && member.size > kStreamAbove && !starts_as_elf(archive, member)) {
    Hasher hasher;
    wheel::stream_member(archive, member, [&](Bytes piece) { hasher.update(piece); });
    inspected.member.sha256 = base64url(hasher.finish());
    return inspected;
  }
  // Device code is compared as a whole, and so held as a whole.
  if (member.method != 0 && member.size > kLargeMember && !options.compare_with &&
      inspect_large_member(archive, member, options, inspected)) {
    return inspected;
  }
  const auto content = wheel::read_member(archive, member);
  inspected.member.sha256 = base64url(sha256(content.bytes()));
  inspect_content(content.bytes(), options, inspected);
  return inspected;
}

std::string payload_of(Bytes archive, const wheel::Member& member) {
  return member.method != 0 && member.size > kLargeMember
             ? payload_of_large_member(archive, member)
             : elf::payload_digest(wheel::read_member(archive, member).bytes());
}

/// The members by name.
class MemberIndex {
 public:
  explicit MemberIndex(const std::vector<wheel::Member>& members) {
    for (const auto& member : members) by_name_.emplace(member.name, &member);
  }
  [[nodiscard]] const wheel::Member* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const wheel::Member*> by_name_;
};

std::string text_of(Bytes archive, const wheel::Member& member) {
  return std::string(as_text(wheel::read_member(archive, member).bytes()));
}

void verify_record(Bytes archive, const MemberIndex& members,
                   const std::vector<Inspected>& inspected, Subject& subject) {
  const auto path = subject.dist_info + "/RECORD";
  const auto* record = members.find(path);
  if (record == nullptr) {
    subject.archive_faults.push_back({Severity::error, "there is no " + path});
    return;
  }
  try {
    const auto rows =
        wheel::parse_record(text_of(archive, *record), wheel::most_record_rows(inspected.size()));
    std::vector<wheel::Digest> digests;
    digests.reserve(inspected.size());
    for (const auto& file : inspected) {
      digests.push_back({file.member.path, file.member.sha256, file.member.size});
    }
    auto mismatches = wheel::verify_record(rows, digests, path, [&](const std::string& name) {
      return wheel::read_member(archive, *members.find(name));
    });
    for (auto& mismatch : mismatches) {
      subject.archive_faults.push_back(
          {Severity::error, "RECORD: " + std::move(mismatch), kWriteRecord});
    }
  } catch (const Error& error) {
    subject.archive_faults.push_back({Severity::error, path + ": " + error.what()});
  }
}

void read_metadata(Bytes archive, const std::vector<wheel::Member>& members,
                   const MemberIndex& index, Subject& subject) {
  const auto& folder = subject.dist_info;
  if (const auto* wheel_file = index.find(folder + "/WHEEL")) {
    try {
      const auto metadata = wheel::WheelMetadata::parse(text_of(archive, *wheel_file));
      subject.wheel_tags = metadata.tags();
      subject.root_is_purelib = metadata.root_is_purelib();
      for (const auto& note : metadata.notes()) {
        subject.archive_faults.push_back({Severity::warning, folder + "/WHEEL: " + note});
      }
    } catch (const Error& error) {
      subject.archive_faults.push_back({Severity::error, folder + "/WHEEL: " + error.what()});
    }
  } else {
    subject.archive_faults.push_back({Severity::error, "there is no " + folder + "/WHEEL"});
  }
  if (const auto* metadata = index.find(folder + "/METADATA")) {
    const auto text = text_of(archive, *metadata);
    subject.requires_dist = wheel::required_distributions(text);
    try {
      wheel::check_core_metadata(text, *subject.wheel_name);
    } catch (const Error& error) {
      subject.archive_faults.push_back({Severity::error, folder + "/METADATA: " + error.what()});
    }
  } else {
    subject.archive_faults.push_back({Severity::error, "there is no " + folder + "/METADATA"});
  }
  const auto* entry_points = index.find(folder + "/entry_points.txt");
  for (auto& note : wheel::layout_notes(
           members, folder, entry_points == nullptr ? "" : text_of(archive, *entry_points))) {
    const auto severity =
        note.about == wheel::LayoutNote::About::data ? Severity::error : Severity::warning;
    subject.archive_faults.push_back({severity, std::move(note.sentence)});
  }
}

/// Where a member lands. Scripts and data share a prefix that has no fixed way to site-packages.
void set_place(Inspected& inspected, const std::string& dist_info) {
  const auto installed = wheel::installed_path(inspected.member.path, dist_info);
  using Scheme = wheel::InstalledPath::Scheme;
  const std::string prefix =
      dist_info.substr(0, dist_info.size() - std::string_view(".dist-info").size()) + ".data/data/";
  switch (installed.scheme) {
    case Scheme::root:
    case Scheme::purelib:
      inspected.place = installed.path;
      return;
    case Scheme::scripts:
      inspected.place = prefix + "bin/" + installed.path;
      inspected.tree = "prefix";
      return;
    case Scheme::data:
      inspected.place = prefix + installed.path;
      inspected.tree = "prefix";
      return;
    case Scheme::headers:
      inspected.place = inspected.member.path;
      inspected.tree = "headers";
      return;
  }
}

}  // namespace

Subject read_wheel(Bytes archive, const std::string& file_name, const Options& options) {
  Subject subject;
  subject.kind = Subject::Kind::wheel;
  subject.name = file_name;
  subject.size = archive.size();
  subject.wheel_name = wheel::parse_wheel_name(file_name);
  const auto scan = wheel::scan(archive, options.limits);
  subject.dist_info = wheel::find_dist_info(scan.members, *subject.wheel_name);
  const auto& members = scan.members;
  auto inspected = inspect_all(
      members.size(), options.jobs,
      [&](std::size_t i) { return members[i].method == 0 ? 0 : members[i].size; },
      [&](std::size_t i) {
        return with_context(printable(members[i].name),
                            [&] { return look_at_member(archive, members[i], options); });
      });
  for (const auto& warning : scan.warnings) {
    subject.archive_faults.push_back({Severity::warning, warning});
  }
  for (const auto* notes : {&scan.name_notes, &scan.collisions}) {
    for (const auto& note : *notes) subject.archive_faults.push_back({Severity::warning, note});
  }
  const MemberIndex index(members);
  verify_record(archive, index, inspected, subject);
  read_metadata(archive, members, index, subject);
  for (auto& file : inspected) set_place(file, subject.dist_info);
  settle(subject, std::move(inspected));
  tell_copies_apart(subject, [&](std::size_t i) { return payload_of(archive, members[i]); });
  return subject;
}

}  // namespace truewheel::check
