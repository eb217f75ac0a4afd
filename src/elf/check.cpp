// SPDX-License-Identifier: Apache-2.0
#include "elf/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

/// What a reader says of the things that an edit can change.
std::vector<std::string> editable_facts(const ElfFacts& facts) {
  std::vector<std::string> lines = facts.needed;
  lines.push_back("INTERPRETER " + facts.interpreter.value_or("none"));
  lines.push_back("SONAME " + facts.soname.value_or("none"));
  lines.push_back("RPATH " + facts.rpath.value_or("none"));
  lines.push_back("RUNPATH " + facts.runpath.value_or("none"));
  for (const VersionNeed& need : facts.version_needs) {
    lines.push_back(need.file);
    for (const NeededVersion& version : need.versions) lines.push_back("  " + version.name);
  }
  return lines;
}

bool readers_agree(Bytes file) {
  return editable_facts(inspect_with_lief(file)) == editable_facts(inspect_natively(file));
}

/// LIEF as a witness that shares no code with the editor. Where it did not see the input as we do,
/// it has no say.
void ask_witness(Bytes before, Bytes after, Complaints& complaints) {
  try {
    if (!readers_agree(before)) return;
  } catch (const Error&) {
    return;
  }
  if (!readers_agree(after)) complaints.emplace_back("LIEF reads other names from the edited file");
}

}  // namespace

std::vector<std::string> check_edit(Bytes before, Bytes after, const ElfEdit& edit,
                                    const PatchList& patches, Unpatched unpatched) {
  Complaints complaints;
  try {
    const ElfImage old_image(before, DynamicBy::segment_or_section);
    const ElfImage new_image(after, DynamicBy::segment_or_section);
    // An input is often not clean: only what is new is the edit's fault.
    const Complaints known = check_structure(old_image);
    for (std::string& complaint : check_structure(new_image)) {
      if (std::find(known.begin(), known.end(), complaint) == known.end())
        complaints.push_back(std::move(complaint));
    }
    check_headers_kept(old_image, new_image, edit, complaints);
    check_bytes_kept(old_image, new_image, patches, edit, unpatched, complaints);
    check_state(old_image, new_image, edit, complaints);
    ask_witness(before, after, complaints);
  } catch (const Error& error) {
    complaints.push_back(fmt::format("the edited file cannot be read: {}", error.what()));
  }
  return complaints;
}

}  // namespace truewheel::elf
