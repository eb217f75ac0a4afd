// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace truewheel::elf {

/// Who uses which string of the dynamic string table.
///
/// The linker merges strings by their tails, so a symbol's name may be the end of a run path, and
/// an empty name may be any NUL. Bytes may be overwritten only if no user's string covers them.
struct StringCensus {
  /// String offsets in use by symbols, version tables, unknown dynamic tags and other sections;
  /// unsorted. The tags and version files that an edit can change are left to the editor.
  std::vector<std::uint64_t> users;
  /// False when some user could not be read: then no byte may be overwritten.
  bool complete = true;
};

/// `renamed` are the numbers of the dynamic symbols whose old names fall idle, ascending.
[[nodiscard]] StringCensus take_string_census(const ElfImage& image,
                                              const std::vector<std::uint64_t>& renamed = {});

/// True for a dynamic tag whose value is a string offset.
[[nodiscard]] bool is_string_tag(std::int64_t tag);

}  // namespace truewheel::elf
