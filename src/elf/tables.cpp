// SPDX-License-Identifier: Apache-2.0
#include "elf/tables.hpp"

#include "base/checked_math.hpp"
#include "elf/format.hpp"
#include "elf/symbol_versions.hpp"

#include <algorithm>
#include <string_view>

namespace truewheel::elf {

namespace {

std::optional<std::uint32_t> section_type(TableKind kind) {
  switch (kind) {
    case TableKind::hash:
      return sht::kHash;
    case TableKind::gnu_hash:
      return sht::kGnuHash;
    case TableKind::symbols:
      return sht::kDynsym;
    case TableKind::strings:
      return sht::kStrtab;
    case TableKind::version_symbols:
      return sht::kGnuVersym;
    case TableKind::version_definitions:
      return sht::kGnuVerdef;
    case TableKind::version_needs:
      return sht::kGnuVerneed;
    case TableKind::dynamic:
      return sht::kDynamic;
    case TableKind::interpreter:
    case TableKind::notes:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Size of DT_GNU_HASH with all chains; the chains have one word for each hashed symbol. 0 for a
/// table that ends past the file: without symbols nobody has read it before.
std::uint64_t gnu_hash_size(const ElfImage& image, std::uint64_t offset, std::uint64_t symbols) {
  const ByteReader& reader = image.reader();
  if (reader.size() - offset < 16) return 0;
  const std::uint64_t buckets = reader.u32(offset), first = reader.u32(offset + 4),
                      bloom = reader.u32(offset + 8);
  const std::uint64_t buckets_at = offset + 16 + bloom * image.word_size();
  if (buckets_at > reader.size() || buckets > (reader.size() - buckets_at) / 4) return 0;
  bool hashes_any = false;
  for (std::uint64_t i = 0; i < buckets && !hashes_any; ++i)
    hashes_any = reader.u32(buckets_at + 4 * i) != 0;
  const std::uint64_t chains = hashes_any && symbols > first ? symbols - first : 0;
  return buckets_at - offset + 4 * (buckets + chains);
}

std::uint64_t hash_size(const ElfImage& image, std::uint64_t offset) {
  const ByteReader& reader = image.reader();
  if (reader.size() - offset < 16) return 0;
  const std::uint64_t word = image.hash_word_size(offset);
  const auto read = [&](std::uint64_t at) { return word == 8 ? reader.u64(at) : reader.u32(at); };
  return checked_mul(word, checked_add(2, checked_add(read(offset), read(offset + word))));
}

/// Notes of these owners and types are read through PT_NOTE only. Others may be data of the program
/// that happens to be an allocated note: Qt's `.note.qt.metadata` is addressed by code.
bool is_loader_note(std::string_view owner, std::uint32_t type) {
  if (owner == "GNU") return type >= nt::kGnuAbiTag && type <= nt::kGnuProperty;
  if (owner == "FDO") return type == nt::kPackage || type == nt::kDlopen;
  return owner == "Android" && type == 1;
}

/// Linkers align a note by its section: mold puts 4-byte aligned ones right behind an 8-byte
/// aligned property into one PT_NOTE of alignment 8. So go by 4; a property's own size is a
/// multiple of 8.
bool holds_loader_notes_only(const ElfImage& image, const Segment& segment) {
  const ByteReader& reader = image.reader();
  constexpr std::uint64_t align = 4;
  std::uint64_t at = segment.offset;
  const std::uint64_t end = segment.offset + segment.filesz;
  while (at + 12 <= end) {
    const std::uint64_t name_size = reader.u32(at), description_size = reader.u32(at + 4);
    const std::uint32_t type = reader.u32(at + 8);
    const std::uint64_t description = align_up(at + 12 + name_size, align);
    if (name_size == 0 || name_size > end - at || description_size > end - at ||
        description + description_size > end) {
      return false;
    }
    std::string_view owner = as_text(reader.slice(at + 12, name_size));
    owner = owner.substr(0, owner.find('\0'));
    if (!is_loader_note(owner, type)) return false;
    at = align_up(description + description_size, align);
    // Only zeros lie between notes.
    while (at + 4 <= end && reader.u32(at) == 0) at += 4;
  }
  return at >= end || std::all_of(image.file().begin() + static_cast<std::ptrdiff_t>(at),
                                  image.file().begin() + static_cast<std::ptrdiff_t>(end),
                                  [](std::uint8_t byte) { return byte == 0; });
}

void add_notes(const ElfImage& image, std::vector<Table>& tables) {
  std::vector<Table> notes;
  for (const Segment& segment : image.segments()) {
    if ((segment.type != pt::kNote && segment.type != pt::kGnuProperty) || segment.filesz == 0)
      continue;
    if (image.offset_of(segment.vaddr, segment.filesz) != segment.offset) continue;
    Table table{TableKind::notes,
                segment.vaddr,
                segment.offset,
                segment.filesz,
                16,
                true,
                holds_loader_notes_only(image, segment)};
    notes.push_back(table);
  }
  std::sort(notes.begin(), notes.end(),
            [](const Table& a, const Table& b) { return a.offset < b.offset; });
  for (const Table& note : notes) {
    const bool joins = !tables.empty() && tables.back().kind == TableKind::notes &&
                       note.offset < tables.back().end();
    if (!joins) {
      tables.push_back(note);
      continue;
    }
    Table& last = tables.back();
    last.movable =
        last.movable && note.movable && note.vaddr - last.vaddr == note.offset - last.offset;
    last.size = std::max(last.end(), note.end()) - last.offset;
  }
}

/// Makes a section's extent count: a table that is longer or shorter than its section, or whose
/// section lies elsewhere in the file, does not move. What a linker script put behind it is
/// reached by code, whose references nobody sees.
void apply_section(const ElfImage& image, Table& table) {
  const auto index = section_of(image, table);
  if (!index) return;
  const Section& section = image.sections()[*index];
  if (believed_size(image, table, section) == 0) {
    // llvm-strip leaves the section of .dynstr elsewhere in files of old patchelf. DT_STRSZ says
    // how long the strings are, and where they go their section is put right.
    table.movable = table.movable && table.kind == TableKind::strings &&
                    section.offset != table.offset && section.size == table.size;
    return;
  }
  if (table.kind == TableKind::dynamic) return;  // PT_DYNAMIC decides
  if (section.size != table.size && table.kind != TableKind::strings) table.movable = false;
  table.size = std::max(table.size, section.size);
  if (section.addralign > table.align && section.addralign <= 64 &&
      is_power_of_two(section.addralign)) {
    table.align = section.addralign;
  }
}

}  // namespace

std::optional<std::int64_t> address_tag(TableKind kind) {
  switch (kind) {
    case TableKind::hash:
      return dt::kHash;
    case TableKind::gnu_hash:
      return dt::kGnuHash;
    case TableKind::symbols:
      return dt::kSymTab;
    case TableKind::strings:
      return dt::kStrTab;
    case TableKind::version_symbols:
      return dt::kVerSym;
    case TableKind::version_definitions:
      return dt::kVerDef;
    case TableKind::version_needs:
      return dt::kVerNeed;
    case TableKind::interpreter:
    case TableKind::notes:
    case TableKind::dynamic:
      return std::nullopt;
  }
  return std::nullopt;
}

const char* table_name(TableKind kind) {
  switch (kind) {
    case TableKind::interpreter:
      return ".interp";
    case TableKind::notes:
      return "the notes";
    case TableKind::hash:
      return ".hash";
    case TableKind::gnu_hash:
      return ".gnu.hash";
    case TableKind::symbols:
      return ".dynsym";
    case TableKind::strings:
      return ".dynstr";
    case TableKind::version_symbols:
      return ".gnu.version";
    case TableKind::version_definitions:
      return ".gnu.version_d";
    case TableKind::version_needs:
      return ".gnu.version_r";
    case TableKind::dynamic:
      return ".dynamic";
  }
  return "";
}

std::uint64_t believed_size(const ElfImage& image, const Table& table, const Section& section) {
  if (image.offset_of(table.vaddr, section.size) != section.offset) return 0;
  const auto reaches = [&](std::optional<std::uint64_t> other) {
    return other && *other > table.vaddr && *other - table.vaddr < section.size;
  };
  for (const TableKind kind :
       {TableKind::hash, TableKind::gnu_hash, TableKind::symbols, TableKind::strings,
        TableKind::version_symbols, TableKind::version_definitions, TableKind::version_needs}) {
    if (reaches(image.dynamic_value(*address_tag(kind)))) return 0;
  }
  for (const std::int64_t tag : {dt::kRela, dt::kRel, dt::kJmpRel, dt::kRelr}) {
    if (reaches(image.dynamic_value(tag))) return 0;
  }
  return section.size;
}

std::optional<std::size_t> section_of(const ElfImage& image, const Table& table) {
  const auto type = section_type(table.kind);
  if (!type) return std::nullopt;
  const auto& sections = image.sections();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].type == *type && (sections[i].flags & shf::kAlloc) != 0 &&
        sections[i].addr == table.vaddr && sections[i].size != 0) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<Table> interpreter_table(const ElfImage& image) {
  const Segment* segment = image.find_segment(pt::kInterp);
  if (segment == nullptr || segment->filesz == 0 ||
      image.offset_of(segment->vaddr, segment->filesz) != segment->offset) {
    return std::nullopt;
  }
  const std::uint64_t end = segment->offset + segment->filesz;
  std::uint64_t begin = segment->offset;
  for (const Section& section : image.sections()) {
    const bool is_note = section.type == sht::kNote && (section.flags & shf::kAlloc) != 0;
    if (is_note && section.offset <= begin && section.offset + section.size > begin)
      begin = std::min(section.offset + section.size, end);
  }
  if (begin == end) return std::nullopt;
  return Table{TableKind::interpreter, segment->vaddr + (begin - segment->offset), begin,
               end - begin};
}

std::uint64_t interpreter_room(const ElfImage& image, const Table& interpreter) {
  const Bytes bytes = image.reader().slice(interpreter.offset, interpreter.size);
  const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
  const auto room = std::find_if(end, bytes.end(), [](std::uint8_t byte) { return byte != 0; });
  return static_cast<std::uint64_t>(room - bytes.begin());
}

std::vector<Table> find_tables(const ElfImage& image) {
  std::vector<Table> tables;
  add_notes(image, tables);
  if (const auto interpreter = interpreter_table(image)) tables.push_back(*interpreter);
  if (const Segment* dynamic = image.dynamic_segment(); dynamic != nullptr) {
    tables.push_back(
        {TableKind::dynamic, dynamic->vaddr, dynamic->offset, dynamic->filesz, image.word_size()});
  }
  const std::uint64_t symbols = image.dynamic_symbol_count();
  const std::uint64_t symbol_size = sizes_of(image.header().bits).symbol;
  for (const TableKind kind :
       {TableKind::hash, TableKind::gnu_hash, TableKind::symbols, TableKind::strings,
        TableKind::version_symbols, TableKind::version_definitions, TableKind::version_needs}) {
    const auto vaddr = image.dynamic_value(*address_tag(kind));
    const auto offset = vaddr ? image.offset_of(*vaddr, 1) : std::nullopt;
    if (!offset) continue;
    Table table{kind, *vaddr, *offset, 0, image.word_size()};
    switch (kind) {
      case TableKind::hash:
        table.size = hash_size(image, *offset);
        break;
      case TableKind::gnu_hash:
        table.size = gnu_hash_size(image, *offset, symbols);
        break;
      case TableKind::symbols:
        table.size = symbols * symbol_size;
        break;
      case TableKind::strings:
        table.size = image.dynstr_size(), table.align = 1;
        break;
      case TableKind::version_symbols:
        table.size = symbols * 2, table.align = 2;
        break;
      case TableKind::version_definitions:
        table.size = read_version_definitions(image).size;
        break;
      case TableKind::version_needs:
        table.size = read_version_needs(image).size;
        break;
      default:
        break;
    }
    if (table.size == 0) continue;
    if (!image.offset_of(*vaddr, table.size)) table.movable = false;
    apply_section(image, table);
    tables.push_back(table);
  }
  std::sort(tables.begin(), tables.end(),
            [](const Table& a, const Table& b) { return a.offset < b.offset; });
  const std::uint64_t headers_end =
      image.header().phoff + image.header().phnum * sizes_of(image.header().bits).segment;
  for (Table& table : tables) {
    if (table.offset < headers_end && image.header().phoff < table.end()) table.movable = false;
  }
  if (symbols != 0 && image.stated_symbol_count() == 0) {
    // Only where the next table begins tells how many symbols there are. What moves away leaves its
    // bytes: if these can be no symbol they tell as much.
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].kind != TableKind::symbols) continue;
      tables[i].movable = false;
      if (i + 1 == tables.size()) continue;
      tables[i + 1].shared = true;
      if (image.may_be_symbol(tables[i].offset + symbols * symbol_size))
        tables[i + 1].movable = false;
    }
  }
  // patchelf 0.14 leaves PT_GNU_PROPERTY and PT_NOTE where its .dynstr comes to lie. A copy of a
  // table is none of the other's business.
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t k = i + 1; k < tables.size() && tables[k].offset < tables[i].end(); ++k)
      tables[k].shared = tables[i].shared = true;
  }
  return tables;
}

bool sections_agree(const ElfImage& image) {
  const auto strings = image.dynamic_value(dt::kStrTab);
  bool has_strings = !strings;
  for (const Section& section : image.sections()) {
    if ((section.flags & shf::kAlloc) == 0 || section.type == sht::kNobits || section.size == 0 ||
        section.type == sht::kNull) {
      continue;
    }
    if (image.offset_of(section.addr, section.size) != section.offset) return false;
    if (section.type == sht::kStrtab && strings && section.addr == *strings) has_strings = true;
  }
  return !image.sections().empty() && has_strings;
}

}  // namespace truewheel::elf
