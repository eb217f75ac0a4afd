// SPDX-License-Identifier: Apache-2.0
#include "elf/exposed_sections.hpp"

#include "elf/format.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace truewheel::elf {

namespace {

bool is_note(const Section& section) { return section.type == sht::kNote; }

/// Program headers that come to those there are when each note gets its own.
std::uint64_t count_note_splits(const std::vector<Segment>& segments,
                                const std::vector<Section>& sections) {
  std::uint64_t splits = 0;
  for (const Segment& segment : segments) {
    if (segment.type != pt::kNote) continue;
    const auto inside =
        std::count_if(sections.begin(), sections.end(), [&](const Section& section) {
          return is_note(section) && section.offset >= segment.offset &&
                 section.offset - segment.offset < segment.filesz;
        });
    splits += static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(inside, 1) - 1);
  }
  return splits;
}

}  // namespace

bool exposes_sections(const Header& header, const std::vector<Segment>& segments,
                      const std::vector<Section>& sections) {
  // In other programs it sorts the section headers before it looks at them.
  if (header.type != et::kDyn || sections.empty()) return false;
  const std::uint64_t size = sizes_of(header.bits).segment;
  const std::uint64_t begin = header.phoff + segments.size() * size;
  const auto notes =
      static_cast<std::uint64_t>(std::count_if(sections.begin(), sections.end(), is_note));
  const auto stop = std::find_if(sections.begin() + 1, sections.end(), [&](const Section& section) {
    return section.offset > begin + (1 + notes) * size;
  });
  const bool moves_notes = std::any_of(sections.begin() + 1, stop, is_note);
  const std::uint64_t added = 1 + (moves_notes ? count_note_splits(segments, sections) : 0);
  return std::any_of(stop, sections.end(), [&](const Section& section) {
    const bool has_bytes =
        section.type != sht::kNull && section.type != sht::kNobits && section.size != 0;
    return has_bytes && section.offset < begin + added * size;
  });
}

}  // namespace truewheel::elf
