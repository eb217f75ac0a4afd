// SPDX-License-Identifier: Apache-2.0
#include "elf/classify.hpp"

#include "elf/format.hpp"

#include <algorithm>
#include <array>

namespace truewheel::elf {

namespace {

bool has_dynamic_flag_pie(const ElfImage& image) {
  return (image.dynamic_flags_1() & df::kPie1) != 0;
}

/// True when the bytes at PT_DYNAMIC are entries that end with DT_NULL and name a string table and
/// a symbol table. In a separate debug file other bytes lie there, or none.
bool looks_like_dynamic(const ElfImage& image, const Segment& dynamic) {
  const std::uint64_t entry_size = sizes_of(image.header().bits).dynamic;
  const ByteReader& reader = image.reader();
  if (dynamic.offset > reader.size()) return false;
  const std::uint64_t end =
      dynamic.offset + std::min(dynamic.filesz, reader.size() - dynamic.offset);
  bool has_strings = false;
  bool has_symbols = false;
  for (std::uint64_t at = dynamic.offset; at + entry_size <= end; at += entry_size) {
    const std::uint64_t tag = image.is_64() ? reader.u64(at) : reader.u32(at);
    if (tag == dt::kNull) return has_strings && has_symbols;
    has_strings |= tag == dt::kStrTab;
    has_symbols |= tag == dt::kSymTab;
  }
  return false;
}

/// A separate debug file (E34). objcopy --only-keep-debug sets p_filesz of all segments but those
/// of headers and notes to 0; eu-strip leaves the program headers of the original, and only the
/// section headers tell (the image then has no dynamic entries).
bool is_debug_only(const ElfImage& image) {
  if (!image.dynamic().empty()) return false;
  if (const Segment* dynamic = image.find_segment(pt::kDynamic); dynamic != nullptr) {
    if (dynamic->filesz != 0 && looks_like_dynamic(image, *dynamic)) {
      throw Error(ErrorKind::refused, "elf-hollow-dynamic",
                  "the section headers say that .dynamic has no bytes, but PT_DYNAMIC has them");
    }
    return dynamic->memsz != 0;
  }
  bool has_hollow_code = false;
  bool has_bytes = false;
  bool has_code = false;
  for (const Segment& segment : image.segments()) {
    if (segment.type != pt::kLoad) continue;
    const bool is_code = (segment.flags & pf::kExecute) != 0;
    has_bytes |= segment.filesz != 0;
    has_code |= is_code && segment.filesz != 0;
    has_hollow_code |= segment.filesz == 0 && segment.memsz != 0 && is_code;
  }
  const bool has_loads = image.find_segment(pt::kLoad) != nullptr;
  return (has_loads && !has_bytes) || (has_hollow_code && !has_code);
}

}  // namespace

bool has_elf_magic(Bytes file) {
  constexpr std::array<std::uint8_t, 4> kMagic = {0x7f, 'E', 'L', 'F'};
  return file.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), file.begin());
}

std::optional<Identity> identify(Bytes file) {
  if (!has_elf_magic(file) || file.size() < kSizes32.header) return std::nullopt;
  const bool is_64 = file[4] == 2;
  if (is_64 && file.size() < kSizes64.header) return std::nullopt;
  Identity identity;
  identity.bits = is_64 ? 64 : (file[4] == 1 ? 32 : 0);
  identity.little_endian = file[5] != 2;
  const ByteReader reader(file, identity.little_endian ? ByteOrder::little : ByteOrder::big, "ELF");
  identity.type = reader.u16(16);
  identity.machine = reader.u16(18);
  identity.flags = reader.u32(is_64 ? 48 : 36);
  return identity;
}

FileKind classify(Bytes file) {
  if (!has_elf_magic(file)) return FileKind::data;
  return kind_of(ElfImage(file));
}

FileKind kind_from(const ProgramTraits& traits) {
  if (traits.type == et::kExec) {
    return traits.has_dynamic ? FileKind::executable : FileKind::static_executable;
  }
  if (!traits.has_dynamic) return FileKind::static_executable;
  if (traits.says_pie) {
    const bool relocates_itself = !traits.has_interpreter && !traits.has_needed;
    return relocates_itself ? FileKind::static_executable : FileKind::pie;
  }
  const bool is_program = traits.has_interpreter && traits.has_entry_point && !traits.has_soname;
  return is_program ? FileKind::pie : FileKind::shared_object;
}

FileKind kind_of(const ElfImage& image) {
  switch (image.header().type) {
    case et::kRel:
      return FileKind::relocatable;
    case et::kCore:
      return FileKind::core;
    case et::kExec:
    case et::kDyn:
      break;
    default:
      return FileKind::other;
  }
  if (is_debug_only(image)) return FileKind::debug_only;
  ProgramTraits traits;
  traits.type = image.header().type;
  traits.has_dynamic = !image.dynamic().empty();
  traits.has_interpreter = image.find_segment(pt::kInterp) != nullptr;
  traits.has_entry_point = image.header().entry != 0;
  traits.says_pie = has_dynamic_flag_pie(image);
  traits.has_soname = image.dynamic_value(dt::kSoname).has_value();
  traits.has_needed = image.dynamic_value(dt::kNeeded).has_value();
  return kind_from(traits);
}

bool has_program_facts(FileKind kind) {
  return kind == FileKind::shared_object || kind == FileKind::pie || kind == FileKind::executable ||
         kind == FileKind::static_executable;
}

}  // namespace truewheel::elf
