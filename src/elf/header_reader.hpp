// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/byte_reader.hpp"
#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// Header fields that only the reading of the tables needs.
struct EntrySizes {
  std::uint16_t header = 0, segment = 0, section = 0;
};

/// The byte order. Of e_ident class, data and version must be right; OS ABI and padding may be
/// anything (E02).
[[nodiscard]] ByteOrder check_ident(Bytes file);

[[nodiscard]] Header read_header(const ByteReader& reader, ByteOrder order,
                                 EntrySizes& entry_sizes);

[[nodiscard]] std::vector<Segment> read_segments(const ByteReader& reader, const Header& header,
                                                 const EntrySizes& entry_sizes);

/// No kernel looks at these. They are asked last, so that of a header full of rubbish something
/// more telling is said.
void check_version_and_size(const ByteReader& reader, const Header& header,
                            const EntrySizes& entry_sizes);

/// Sections are optional: an offset that is none (E04), or a table that is not there, gives an
/// empty list. A table that begins inside the file and ends past it is a cut file (E01).
[[nodiscard]] std::vector<Section> read_sections(const ByteReader& reader, Header& header,
                                                 const EntrySizes& entry_sizes);

/// A section header at a file offset.
[[nodiscard]] Section read_section(const ByteReader& reader, std::uint64_t offset, bool is_64);

}  // namespace truewheel::elf
