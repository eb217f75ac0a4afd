// SPDX-License-Identifier: Apache-2.0
#include "elf/header_reader.hpp"

#include "base/checked_math.hpp"
#include "elf/format.hpp"
#include "elf/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace truewheel::elf {

namespace {

/// No kernel reads a larger program header table (load_elf_phdrs in Linux's fs/binfmt_elf.c), and
/// no linker makes one. It keeps what is done for each pair of program headers short.
constexpr std::uint64_t kLargestSegmentTable = 65536;

/// Reads fields one behind the other; a word is 4 or 8 bytes by class.
class Cursor {
 public:
  Cursor(const ByteReader& reader, std::uint64_t offset, bool is_64)
      : reader_(reader), offset_(offset), is_64_(is_64) {}
  std::uint16_t half() { return reader_.u16(take(2)); }
  std::uint32_t word32() { return reader_.u32(take(4)); }
  std::uint64_t word() { return is_64_ ? reader_.u64(take(8)) : reader_.u32(take(4)); }

 private:
  std::uint64_t take(std::uint64_t size) {
    const std::uint64_t at = offset_;
    offset_ += size;
    return at;
  }
  const ByteReader& reader_;
  std::uint64_t offset_;
  bool is_64_;
};

Segment read_segment(const ByteReader& reader, std::uint64_t offset, bool is_64) {
  Cursor cursor(reader, offset, is_64);
  Segment segment;
  segment.type = cursor.word32();
  if (is_64) segment.flags = cursor.word32();
  segment.offset = cursor.word();
  segment.vaddr = cursor.word();
  segment.paddr = cursor.word();
  segment.filesz = cursor.word();
  segment.memsz = cursor.word();
  if (!is_64) segment.flags = cursor.word32();
  segment.align = cursor.word();
  return segment;
}

}  // namespace

ByteOrder check_ident(Bytes file) {
  constexpr std::array<std::uint8_t, 4> kMagic = {0x7f, 'E', 'L', 'F'};
  if (file.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), file.begin()))
    refuse("elf-no-magic", "this is not an ELF file");
  if (file.size() < 16) refuse("elf-truncated", "the file ends within e_ident");
  if (file[4] != 1 && file[4] != 2) {
    refuse("elf-ident", fmt::format("e_ident: class {} is neither 32 nor 64 bits", file[4]));
  }
  if (file[5] != 1 && file[5] != 2) {
    refuse("elf-ident", fmt::format("e_ident: data encoding {} is unknown", file[5]));
  }
  if (file[6] != 1) refuse("elf-ident", fmt::format("e_ident: version {} is not 1", file[6]));
  return file[5] == 1 ? ByteOrder::little : ByteOrder::big;
}

Section read_section(const ByteReader& reader, std::uint64_t offset, bool is_64) {
  Cursor cursor(reader, offset, is_64);
  Section section;
  section.name_offset = cursor.word32();
  section.type = cursor.word32();
  section.flags = cursor.word();
  section.addr = cursor.word();
  section.offset = cursor.word();
  section.size = cursor.word();
  section.link = cursor.word32();
  section.info = cursor.word32();
  section.addralign = cursor.word();
  section.entsize = cursor.word();
  return section;
}

void check_version_and_size(const ByteReader& reader, const Header& header,
                            const EntrySizes& entry_sizes) {
  if (const std::uint32_t version = reader.u32(20); version != 1)
    refuse("elf-ident", fmt::format("e_version {} is not 1", version));
  if (const std::uint64_t size = sizes_of(header.bits).header; entry_sizes.header != size)
    refuse("elf-entry-size", fmt::format("e_ehsize {} should be {}", entry_sizes.header, size));
}

Header read_header(const ByteReader& reader, ByteOrder order, EntrySizes& entry_sizes) {
  Header header;
  header.bits = reader.u8(4) == 2 ? 64 : 32;
  header.order = order;
  const Sizes& sizes = sizes_of(header.bits);
  if (reader.size() < sizes.header) refuse("elf-truncated", "the file ends within the ELF header");
  header.os_abi = reader.u8(7);
  Cursor cursor(reader, 16, header.bits == 64);
  header.type = cursor.half();
  header.machine = cursor.half();
  static_cast<void>(cursor.word32());  // e_version
  header.entry = cursor.word();
  header.phoff = cursor.word();
  header.shoff = cursor.word();
  header.flags = cursor.word32();
  entry_sizes.header = cursor.half();
  entry_sizes.segment = cursor.half();
  header.phnum = cursor.half();
  entry_sizes.section = cursor.half();
  header.shnum = cursor.half();
  header.shstrndx = cursor.half();
  return header;
}

std::vector<Segment> read_segments(const ByteReader& reader, const Header& header,
                                   const EntrySizes& entry_sizes) {
  if (header.phnum == 0) return {};
  const Sizes& sizes = sizes_of(header.bits);
  if (header.phnum == kPhnumExtended) {
    refuse("elf-phnum", "e_phnum is PN_XNUM, and loaders read only 16 bits of it");
  }
  if (entry_sizes.segment != sizes.segment) {
    refuse("elf-entry-size",
           fmt::format("e_phentsize {} should be {}", entry_sizes.segment, sizes.segment));
  }
  const std::uint64_t end = checked_add(header.phoff, header.phnum * sizes.segment);
  if (end > reader.size()) {
    refuse("elf-phoff",
           fmt::format("program header table out of bounds: it ends at {:#x}, past the file's end",
                       end));
  }
  const bool is_loadable = header.type == et::kExec || header.type == et::kDyn;
  if (is_loadable && header.phnum * sizes.segment > kLargestSegmentTable) {
    refuse("elf-phnum", fmt::format("{} program headers are more than kernels read", header.phnum));
  }
  if (header.phoff < sizes.header || header.phoff % sizes.word != 0) {
    refuse("elf-phoff",
           fmt::format("e_phoff {:#x} is inside the ELF header or not aligned", header.phoff));
  }
  std::vector<Segment> segments;
  segments.reserve(header.phnum);
  for (std::uint64_t i = 0; i < header.phnum; ++i) {
    segments.push_back(read_segment(reader, header.phoff + i * sizes.segment, header.bits == 64));
  }
  return segments;
}

std::vector<Section> read_sections(const ByteReader& reader, Header& header,
                                   const EntrySizes& entry_sizes) {
  const Sizes& sizes = sizes_of(header.bits);
  if (header.shoff < sizes.header || header.shoff >= reader.size()) return {};
  const bool extended = header.shnum == 0;
  // Without a size there are no entries to be read; LIEF 1.0 leaves e_shoff and at most one.
  if (entry_sizes.section == 0 && header.shnum <= 1) return {};
  if (entry_sizes.section != sizes.section) {
    refuse("elf-entry-size",
           fmt::format("section headers have wrong size: e_shentsize {} should be {}",
                       entry_sizes.section, sizes.section));
  }
  if (sizes.section > reader.size() - header.shoff) {
    refuse("elf-truncated", "the file ends within its section headers");
  }
  const Section first = read_section(reader, header.shoff, header.bits == 64);
  // The entry of index 0 is SHT_NULL with zeros but for the extended numbers (gABI, Sections), and
  // no table lies over the program headers: else this is none (E08).
  const std::uint64_t segments_end = header.phoff + header.phnum * sizes.segment;
  const bool is_null = first.type == sht::kNull && first.name_offset == 0 && first.flags == 0 &&
                       first.addr == 0 && first.offset == 0 && first.addralign == 0 &&
                       first.entsize == 0;
  if (!is_null || (header.shoff < segments_end && header.shoff >= header.phoff)) return {};
  if (extended) header.shnum = first.size;  // E06
  if (header.shstrndx == shn::kXindex) header.shstrndx = first.link;
  if (header.shnum > (reader.size() - header.shoff) / sizes.section) {
    refuse("elf-truncated",
           fmt::format("{} section headers do not fit into the file", header.shnum));
  }
  std::vector<Section> sections;
  sections.reserve(static_cast<std::size_t>(header.shnum));
  for (std::uint64_t i = 0; i < header.shnum; ++i) {
    const Section section =
        read_section(reader, header.shoff + i * sizes.section, header.bits == 64);
    // A section that the file does not hold: nothing that this table says may be followed (E08).
    const bool has_bytes = section.type != sht::kNull && section.type != sht::kNobits;
    if (has_bytes &&
        (section.offset > reader.size() || section.size > reader.size() - section.offset)) {
      return {};
    }
    sections.push_back(section);
  }
  return sections;
}

}  // namespace truewheel::elf
