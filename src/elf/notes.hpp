// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/elf.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel::elf {

/// A note that says something to us: GNU property, GNU build-id, FDO package, FDO dlopen.
struct Note {
  std::uint32_t type = 0;
  std::string_view owner;  ///< without its NUL
  Bytes description;
};

/// The known notes of PT_NOTE, PT_GNU_PROPERTY and the note sections, each once, in that order.
/// Segments come first, since a file without section headers must say the same.
/// An area that lies or ends within a note is read up to there: notes are metadata that no loader
/// insists on. Throws Error(refused, "elf-notes") when the areas overlap beyond all measure.
[[nodiscard]] std::vector<Note> known_notes(const ElfImage& image);

/// Puts what one note says into `facts`, whose bits, byte order and machine are set already. The
/// first build-id and package note count; ISA bits are joined; dlopen entries are appended.
void add_note(const Note& note, ElfFacts& facts);

}  // namespace truewheel::elf
