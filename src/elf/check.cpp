// SPDX-License-Identifier: Apache-2.0
#include "elf/check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

std::vector<std::string> check_edit(Bytes before, Bytes after, const ElfEdit& edit,
                                    const PatchList& patches) {
  Complaints complaints;
  try {
    const ElfImage old_image(before);
    const ElfImage new_image(after);
    // An input is often not clean: only what is new is the edit's fault.
    const Complaints known = check_structure(old_image);
    for (std::string& complaint : check_structure(new_image)) {
      if (std::find(known.begin(), known.end(), complaint) == known.end())
        complaints.push_back(std::move(complaint));
    }
    check_headers_kept(old_image, new_image, complaints);
    check_bytes_kept(old_image, new_image, patches, complaints);
    check_state(old_image, new_image, edit, complaints);
  } catch (const Error& error) {
    complaints.push_back(fmt::format("the edited file cannot be read: {}", error.what()));
  }
  return complaints;
}

}  // namespace truewheel::elf
