// SPDX-License-Identifier: Apache-2.0
#include "elf/image.hpp"

#include "base/checked_math.hpp"
#include "elf/format.hpp"
#include "elf/string_census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace truewheel::elf {

namespace {

constexpr std::uint64_t kLargestAlign = std::uint64_t{1} << 30;
/// No kernel reads a larger program header table (load_elf_phdrs in Linux's fs/binfmt_elf.c), and
/// no linker makes one. It keeps what is done for each pair of program headers short.
constexpr std::uint64_t kLargestSegmentTable = 65536;

[[noreturn]] void refuse(const char* id, const std::string& what) {
  throw Error(ErrorKind::refused, id, what);
}

/// ident of E02: class, data and version must be right, OS ABI and padding may be anything.
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

namespace {

/// Header fields that only the constructor needs.
struct EntrySizes {
  std::uint16_t header = 0, segment = 0, section = 0;
};

/// No kernel looks at these. They are asked last, so that of a header full of rubbish something
/// more telling is said.
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

/// Sections are optional: an offset that is none (E04), or a table that is not there, gives an
/// empty list. A table that begins inside the file and ends past it is a cut file (E01).
std::vector<Section> read_sections(const ByteReader& reader, Header& header,
                                   const EntrySizes& entry_sizes) {
  const Sizes& sizes = sizes_of(header.bits);
  if (header.shoff < sizes.header || header.shoff >= reader.size()) return {};
  const bool extended = header.shnum == 0;
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

/// A separate debug file keeps the program headers of the file it was split from, whose bytes it
/// does not have: its .dynamic is NOBITS (E34). Nothing of what its segments say may be followed.
bool has_hollow_dynamic(const std::vector<Section>& sections, const Segment& dynamic) {
  return std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
    return section.type == sht::kNobits && (section.flags & shf::kAlloc) != 0 &&
           (section.flags & shf::kTls) == 0 && section.addr == dynamic.vaddr &&
           section.size >= dynamic.memsz && section.size != 0;
  });
}

/// E17. Real page arithmetic of loaders is checked again where a LOAD is added.
void check_loads(const std::vector<Segment>& segments, std::uint64_t file_size) {
  const Segment* previous = nullptr;
  for (const Segment& segment : segments) {
    if (segment.type != pt::kLoad) continue;
    if (segment.filesz > segment.memsz) {
      refuse(
          "elf-load-size",
          fmt::format("a LOAD at {:#x} has more bytes in the file than in memory", segment.vaddr));
    }
    if (checked_add(segment.offset, segment.filesz) > file_size) {
      refuse("elf-truncated",
             fmt::format("a LOAD at {:#x} ends past the file's end", segment.vaddr));
    }
    static_cast<void>(checked_add(segment.vaddr, segment.memsz));
    if (segment.align > 1) {
      if (!is_power_of_two(segment.align) || segment.align > kLargestAlign) {
        refuse("elf-load-align", fmt::format("p_align {:#x} is no alignment", segment.align));
      }
      if ((segment.vaddr - segment.offset) % segment.align != 0) {
        refuse("elf-load-align",
               fmt::format("a LOAD at {:#x} has file offset {:#x}: not congruent modulo {:#x}",
                           segment.vaddr, segment.offset, segment.align));
      }
    }
    if (previous != nullptr) {
      if (segment.vaddr < previous->vaddr) {
        refuse("elf-load-order", "the LOADs do not ascend in address");
      }
      if (segment.vaddr < previous->vaddr + previous->memsz) {
        refuse("elf-load-overlap", fmt::format("two LOADs overlap at {:#x}", segment.vaddr));
      }
    }
    previous = &segment;
  }
}

}  // namespace

ElfImage::ElfImage(Bytes file, DynamicBy by)
    : file_(file), reader_(file, check_ident(file), "ELF") {
  EntrySizes entry_sizes;
  header_ = read_header(reader_, check_ident(file), entry_sizes);
  segments_ = read_segments(reader_, header_, entry_sizes);
  check_version_and_size(reader_, header_, entry_sizes);
  sections_ = read_sections(reader_, header_, entry_sizes);
  if (header_.type != et::kExec && header_.type != et::kDyn) return;

  const Segment* dynamic = nullptr;
  const Segment* interpreter = nullptr;
  for (const Segment& segment : segments_) {
    if (segment.type == pt::kDynamic && std::exchange(dynamic, &segment) != nullptr) {
      refuse("elf-two-dynamic", "there are two PT_DYNAMIC");
    }
    if (segment.type == pt::kInterp && std::exchange(interpreter, &segment) != nullptr) {
      refuse("elf-two-interpreters", "there are two PT_INTERP");
    }
  }
  if (dynamic == nullptr && by == DynamicBy::segment_or_section) {
    dynamic_by_section_ = find_dynamic_section();
    if (dynamic_by_section_) dynamic = &*dynamic_by_section_;
  }
  if (dynamic == nullptr || dynamic->filesz == 0 || has_hollow_dynamic(sections_, *dynamic)) return;
  check_loads(segments_, file_.size());

  const auto dynamic_offset = offset_of(dynamic->vaddr, dynamic->filesz);
  if (!dynamic_offset || *dynamic_offset != dynamic->offset) {
    refuse("elf-dynamic-unmapped", "PT_DYNAMIC is not where a LOAD maps it");
  }
  const Sizes& sizes = sizes_of(header_.bits);
  if (dynamic->filesz % sizes.dynamic != 0) {
    refuse("elf-dynamic-size", fmt::format("PT_DYNAMIC has {} bytes, no multiple of {}",
                                           dynamic->filesz, sizes.dynamic));
  }
  bool ended = false;
  for (std::uint64_t at = *dynamic_offset; at < *dynamic_offset + dynamic->filesz;
       at += sizes.dynamic) {
    DynamicEntry entry;
    entry.tag = is_64() ? static_cast<std::int64_t>(reader_.u64(at))
                        : std::int64_t{static_cast<std::int32_t>(reader_.u32(at))};
    entry.value = is_64() ? reader_.u64(at + 8) : reader_.u32(at + 4);
    entry.file_offset = at;
    ended = entry.tag == dt::kNull;
    if (ended) break;
    dynamic_.push_back(entry);
  }
  if (!ended) refuse("elf-dynamic-no-end", "PT_DYNAMIC has no DT_NULL");

  const auto count = [&](std::int64_t tag) {
    return std::count_if(dynamic_.begin(), dynamic_.end(),
                         [&](const DynamicEntry& entry) { return entry.tag == tag; });
  };
  if (count(dt::kStrTab) > 1 || count(dt::kStrSz) > 1 || count(dt::kSymTab) > 1) {
    refuse("elf-strtab-twice", "DT_STRTAB, DT_STRSZ or DT_SYMTAB is there twice");
  }
  if (const auto table = dynamic_value(dt::kStrTab)) {
    dynstr_size_ = dynamic_value(dt::kStrSz).value_or(0);
    const auto offset = dynstr_size_ == 0 ? std::nullopt : offset_of(*table, dynstr_size_);
    if (!offset) {
      refuse("elf-strtab-unmapped",
             fmt::format("DT_STRTAB {:#x} with DT_STRSZ {:#x} is not inside a LOAD's file bytes",
                         *table, dynstr_size_));
    }
    dynstr_offset_ = *offset;
    const std::uint64_t end = dynstr_offset_ + dynstr_size_;
    if (dynstr_offset_ < sizes.header ||
        (header_.phoff < end && dynstr_offset_ < header_.phoff + header_.phnum * sizes.segment)) {
      refuse("elf-tables-overlap", "the dynamic string table lies over the headers");
    }
    if (reader_.u8(dynstr_offset_ + dynstr_size_ - 1) != 0) {
      refuse("elf-strtab-no-end", "the dynamic string table is not NUL-terminated");
    }
  }
  for (const DynamicEntry& entry : dynamic_) {
    if (is_string_tag(entry.tag)) static_cast<void>(dynamic_string(entry.value));
  }
  for (const std::int64_t tag :
       {dt::kSymTab, dt::kHash, dt::kGnuHash, dt::kVerSym, dt::kVerDef, dt::kVerNeed}) {
    const auto address = dynamic_value(tag);
    const auto place = address ? offset_of(*address) : std::nullopt;
    if (place && *place < sizes.header) {
      refuse("elf-tables-overlap",
             fmt::format("the table of dynamic tag {:#x} lies over the ELF header", tag));
    }
  }
  // What the loader goes by is true; section headers that say something else are not believed in
  // anything (E08). None of 10,360 libraries and programs of Debian and of published wheels has
  // such.
  distrusts_sections_ = !sections_.empty() && !sections_know_tables();
  if (!distrusts_sections_) return;
  sections_.clear();
  if (!dynamic_by_section_) return;
  // It was one of them.
  dynamic_by_section_.reset();
  dynamic_.clear();
  dynstr_offset_ = dynstr_size_ = 0;
}

/// The only loaded section of type SHT_DYNAMIC, if it lies where a LOAD maps it.
std::optional<Segment> ElfImage::find_dynamic_section() const {
  const Section* found = nullptr;
  for (const Section& section : sections_) {
    if (section.type != sht::kDynamic || (section.flags & shf::kAlloc) == 0 || section.size == 0)
      continue;
    if (std::exchange(found, &section) != nullptr) return std::nullopt;
  }
  if (found == nullptr || offset_of(found->addr, found->size) != found->offset) return std::nullopt;
  Segment segment;
  segment.type = pt::kDynamic;
  segment.offset = found->offset;
  segment.vaddr = segment.paddr = found->addr;
  segment.filesz = segment.memsz = found->size;
  segment.align = found->addralign;
  return segment;
}

const Segment* ElfImage::dynamic_segment() const {
  return dynamic_by_section_ ? &*dynamic_by_section_ : find_segment(pt::kDynamic);
}

bool ElfImage::sections_know_tables() const {
  constexpr std::pair<std::int64_t, std::uint32_t> kTables[] = {
      {dt::kStrTab, sht::kStrtab},      {dt::kSymTab, sht::kDynsym},
      {dt::kHash, sht::kHash},          {dt::kGnuHash, sht::kGnuHash},
      {dt::kVerSym, sht::kGnuVersym},   {dt::kVerDef, sht::kGnuVerdef},
      {dt::kVerNeed, sht::kGnuVerneed},
  };
  return std::all_of(std::begin(kTables), std::end(kTables), [&](const auto& table) {
    const auto address = dynamic_value(table.first);
    return !address || std::any_of(sections_.begin(), sections_.end(), [&](const Section& section) {
      return section.addr == *address && section.type == table.second && section.size != 0 &&
             (section.flags & shf::kAlloc) != 0;
    });
  });
}

std::string_view ElfImage::section_name(const Section& section) const {
  if (header_.shstrndx == 0 || header_.shstrndx >= sections_.size()) return {};
  const Section& names = sections_[static_cast<std::size_t>(header_.shstrndx)];
  if (names.type != sht::kStrtab || names.offset > file_.size() ||
      names.size > file_.size() - names.offset || section.name_offset >= names.size) {
    return {};
  }
  const auto text =
      as_text(file_.subspan(static_cast<std::size_t>(names.offset + section.name_offset),
                            static_cast<std::size_t>(names.size - section.name_offset)));
  const auto end = text.find('\0');
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

const Segment* ElfImage::find_segment(std::uint32_t type) const {
  const auto found = std::find_if(segments_.begin(), segments_.end(),
                                  [&](const Segment& segment) { return segment.type == type; });
  return found == segments_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> ElfImage::dynamic_value(std::int64_t tag) const {
  const auto found = std::find_if(dynamic_.begin(), dynamic_.end(),
                                  [&](const DynamicEntry& entry) { return entry.tag == tag; });
  if (found == dynamic_.end()) return std::nullopt;
  return found->value;
}

std::string_view ElfImage::dynamic_string(std::uint64_t string_offset) const {
  if (string_offset >= dynstr_size_) {
    refuse("elf-string-offset",
           fmt::format(
               "string table index out of bounds: {:#x} is past the {:#x} bytes of the dynamic "
               "string table",
               string_offset, dynstr_size_));
  }
  return reader_.c_string(dynstr_offset_ +
                          string_offset);  // ends within the table: its last byte is NUL
}

std::optional<std::uint64_t> ElfImage::offset_of(std::uint64_t vaddr, std::uint64_t length) const {
  std::optional<std::uint64_t> start;
  std::uint64_t next_vaddr = 0, next_offset = 0;
  for (const Segment& segment : segments_) {
    if (segment.type != pt::kLoad) continue;
    std::uint64_t inside = 0;
    if (!start) {
      if (vaddr < segment.vaddr) continue;
      inside = vaddr - segment.vaddr;
      // An empty range may lie at the end, one of any length must begin before it.
      if (inside > segment.filesz || (inside == segment.filesz && length != 0)) continue;
      if (segment.offset > file_.size() || inside > file_.size() - segment.offset) continue;
      start = segment.offset + inside;
    } else if (segment.vaddr != next_vaddr || segment.offset != next_offset) {
      // Old patchelf puts tables across two LOADs that touch in the file and in memory; nothing
      // else reaches further.
      return std::nullopt;
    }
    if (length <= segment.filesz - inside) {
      const std::uint64_t place = checked_add(segment.offset, inside);
      const bool exists = place <= file_.size() && length <= file_.size() - place;
      return exists ? start : std::nullopt;
    }
    if (segment.filesz != segment.memsz) return std::nullopt;
    length -= segment.filesz - inside;
    next_vaddr = segment.vaddr + segment.filesz;
    next_offset = segment.offset + segment.filesz;
  }
  return std::nullopt;
}

namespace {

/// Symbols by DT_GNU_HASH: one more than the end of the chain that begins last. 0 when no chain
/// says it.
std::uint64_t count_by_gnu_hash(const ElfImage& image, std::uint64_t table) {
  const ByteReader& reader = image.reader();
  const auto header = image.offset_of(table, 16);
  if (!header) refuse("elf-hash", "DT_GNU_HASH is not mapped");
  const std::uint64_t buckets = reader.u32(*header);
  const std::uint64_t first = reader.u32(*header + 4);
  const std::uint64_t bloom = reader.u32(*header + 8);
  const std::uint64_t buckets_at = table + 16 + bloom * image.word_size();
  const auto bucket_offset = image.offset_of(buckets_at, buckets * 4);
  if (!bucket_offset)
    refuse("elf-hash", "hash table header out of range: the buckets of DT_GNU_HASH are not mapped");
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const std::uint64_t symbol = reader.u32(*bucket_offset + 4 * i);
    if (symbol != 0 && symbol < first)
      refuse("elf-hash", fmt::format("a bucket of DT_GNU_HASH begins before symbol {}", first));
    last = std::max(last, symbol);
  }
  if (last < first || last == 0) return 0;
  for (std::uint64_t symbol = last;; ++symbol) {
    const auto chain = image.offset_of(buckets_at + 4 * (buckets + symbol - first), 4);
    if (!chain) refuse("elf-hash", "a chain of DT_GNU_HASH does not end");
    if ((reader.u32(*chain) & 1) != 0) return symbol + 1;
  }
}

/// The first address behind `start` at which another table or the end of the LOAD lies.
std::uint64_t next_table(const ElfImage& image, std::uint64_t start) {
  std::uint64_t next = start;
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kLoad && segment.vaddr <= start &&
        start < segment.vaddr + segment.filesz) {
      next = segment.vaddr + segment.filesz;
    }
  }
  for (const DynamicEntry& entry : image.dynamic()) {
    const bool is_address =
        entry.tag == dt::kStrTab || entry.tag == dt::kHash || entry.tag == dt::kGnuHash ||
        entry.tag == dt::kVerSym || entry.tag == dt::kVerDef || entry.tag == dt::kVerNeed ||
        entry.tag == dt::kRela || entry.tag == dt::kRel || entry.tag == dt::kJmpRel ||
        entry.tag == dt::kRelr || entry.tag == dt::kInit;
    if (is_address && entry.value > start) next = std::min(next, entry.value);
  }
  return next;
}

/// Without sections, a GNU hash table that hashes nothing says nothing of the undefined symbols:
/// they reach up to the next table, or, where an edit has moved that away, to the first bytes that
/// can be no symbol.
std::uint64_t count_plausible_symbols(const ElfImage& image, std::uint64_t table) {
  const std::uint64_t size = sizes_of(image.header().bits).symbol;
  const std::uint64_t limit = (next_table(image, table) - table) / size;
  const std::uint64_t start = *image.offset_of(table, size);
  for (std::uint64_t i = 1; i < limit; ++i) {
    if (!image.may_be_symbol(start + i * size)) return i;
  }
  return limit;
}

}  // namespace

bool ElfImage::may_be_symbol(std::uint64_t offset) const {
  const std::uint64_t size = sizes_of(header_.bits).symbol;
  if (offset > reader_.size() || size > reader_.size() - offset) return false;
  const std::uint8_t info = reader_.u8(offset + (is_64() ? 4 : 12));
  const std::uint16_t section = reader_.u16(offset + (is_64() ? 6 : 14));
  const std::uint32_t name = reader_.u32(offset);
  constexpr std::uint8_t kLastBinding = 2, kFirstOsBinding = 10, kLastType = 10;
  const bool has_binding = info >> 4 <= kLastBinding || info >> 4 >= kFirstOsBinding;
  const bool is_empty = name == 0 && section == shn::kUndef;
  return name < dynstr_size_ && !is_empty && has_binding && (info & 0xf) <= kLastType;
}

std::uint64_t ElfImage::hash_word_size(std::uint64_t offset) const {
  // Alpha and 64-bit S/390 have words of 8 bytes (their psABIs). mold writes 4 on S/390 as well,
  // and glibc goes by DT_GNU_HASH beside it; the first two words of such a table, taken for one,
  // count more buckets than a file can have.
  const bool wide = is_64() && (header_.machine == em::kAlpha || header_.machine == em::kS390);
  const bool is_narrow_all_the_same =
      wide && dynamic_value(dt::kGnuHash) && reader_.u64(offset) > file_.size();
  return wide && !is_narrow_all_the_same ? 8 : 4;
}

std::uint64_t ElfImage::stated_symbol_count() const {
  const auto table = dynamic_value(dt::kSymTab);
  const std::uint64_t symbol_size = sizes_of(header_.bits).symbol;
  std::uint64_t count = 0;
  for (const Section& section : sections_) {
    if (table && section.type == sht::kDynsym && section.addr == *table) {
      count = std::max(count, section.size / symbol_size);
    }
  }
  if (const auto hash = dynamic_value(dt::kHash)) {
    const auto at = offset_of(*hash, 8);
    if (!at) refuse("elf-hash", "DT_HASH is not mapped");
    const std::uint64_t word = hash_word_size(*at);
    const std::uint64_t buckets = word == 8 ? reader_.u64(*at) : reader_.u32(*at);
    const std::uint64_t chains = word == 8 ? reader_.u64(*at + 8) : reader_.u32(*at + 4);
    // The chains are as many as the symbols, whose number is judged below.
    if (buckets > file_.size() / word || !offset_of(*hash, word * (2 + buckets)))
      refuse("elf-hash", fmt::format("{} buckets of DT_HASH are not mapped", buckets));
    count = std::max(count, chains);
  }
  if (const auto hash = dynamic_value(dt::kGnuHash)) {
    count = std::max(count, count_by_gnu_hash(*this, *hash));
  }
  if (const auto symbols = dynamic_value(dt::kMipsSymtabno);
      symbols && header_.machine == em::kMips) {
    count = std::max(count, *symbols);
  }
  return count;
}

std::uint64_t ElfImage::dynamic_symbol_count() const {
  const auto table = dynamic_value(dt::kSymTab);
  if (!table) return 0;
  const std::uint64_t symbol_size = sizes_of(header_.bits).symbol;
  if (!offset_of(*table, symbol_size)) {
    // A file without any dynamic symbol may point behind its last byte.
    return 0;
  }
  std::uint64_t count = stated_symbol_count();
  if (count == 0) {
    count = count_plausible_symbols(*this, *table);
    if (count == 0) refuse("elf-symbol-count", "another table begins within the first symbol");
  }
  if (count > file_.size() / symbol_size || !offset_of(*table, count * symbol_size)) {
    refuse("elf-symbol-count", fmt::format("{} dynamic symbols do not fit into the file", count));
  }
  return count;
}

}  // namespace truewheel::elf
