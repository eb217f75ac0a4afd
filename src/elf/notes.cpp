// SPDX-License-Identifier: Apache-2.0
#include "elf/notes.hpp"

#include "elf/format.hpp"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace truewheel::elf {

namespace {

constexpr std::uint32_t kX86IsaNeeded = 0xc0008002;  // GNU_PROPERTY_X86_ISA_1_NEEDED
constexpr std::size_t kLargestBuildId = 64;          // sha512; the usual one has 20 bytes
constexpr std::size_t kLargestPackageNote = std::size_t{1} << 20;
constexpr std::size_t kLargestDlopenNote = std::size_t{1} << 16;
constexpr std::size_t kMostNotes = 1000;  // known ones; a real file has at most some dozens

bool is_known(std::uint32_t type, std::string_view owner) {
  if (owner == "GNU") return type == nt::kGnuProperty || type == nt::kGnuBuildId;
  return owner == "FDO" && (type == nt::kPackage || type == nt::kDlopen);
}

/// Reads note areas one after the other and keeps each known note once.
class NoteCollector {
 public:
  explicit NoteCollector(const ElfImage& image) : image_(image) {}

  /// Notes of 8-byte alignment exist (property notes of 64-bit files); any other is read as 4, as
  /// glibc and the kernel do.
  void read_area(std::uint64_t offset, std::uint64_t size, std::uint64_t align) {
    const std::uint64_t file_size = image_.file().size();
    if (offset > file_size) return;
    size = std::min(size, file_size - offset);
    walked_ += size;
    // Each byte is in one segment, in PT_GNU_PROPERTY and in one section at most.
    if (walked_ > 4 * file_size) {
      throw Error(ErrorKind::refused, "elf-notes", "the note areas overlap many times");
    }
    const std::uint64_t unit = align == 8 ? 8 : 4;
    const ByteReader area(image_.reader().slice(offset, size), image_.header().order, "note");
    std::uint64_t at = 0;
    while (at + kHeaderSize <= size) {
      const std::uint64_t name_size = area.u32(at);
      const std::uint64_t description_size = area.u32(at + 4);
      const std::uint64_t description_at = round_up(at + kHeaderSize + name_size, unit);
      const std::uint64_t end = description_at + description_size;
      if (end > size) return;
      add(area, at, name_size, area.slice(description_at, description_size), offset);
      at = round_up(end, unit);
    }
  }

  std::vector<Note> take() { return std::move(notes_); }

 private:
  static constexpr std::uint64_t kHeaderSize = 12;

  static std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) & ~(unit - 1);
  }

  void add(const ByteReader& area, std::uint64_t at, std::uint64_t name_size, Bytes description,
           std::uint64_t area_offset) {
    if (name_size != 4) return;  // "GNU" and "FDO" with their NUL
    const std::uint32_t type = area.u32(at + 8);
    const std::string_view owner = as_text(area.slice(at + kHeaderSize, name_size));
    if (owner.back() != '\0' || !is_known(type, owner.substr(0, 3))) return;
    if (!seen_.insert(area_offset + at).second) return;
    if (notes_.size() == kMostNotes) {
      throw Error(ErrorKind::refused, "elf-notes", "there are thousands of known notes");
    }
    notes_.push_back({type, owner.substr(0, 3), description});
  }

  const ElfImage& image_;
  std::uint64_t walked_ = 0;
  std::set<std::uint64_t> seen_;
  std::vector<Note> notes_;
};

/// The properties are words of the file's own order, each padded to 4 or 8 bytes by class.
std::uint32_t isa_needed(Bytes description, const ElfFacts& facts) {
  // The numbers from 0xc0000000 on belong to the processor: the same ones mean BTI on AArch64.
  if (facts.machine != em::kX86_64 && facts.machine != em::k386) return 0;
  const std::uint64_t unit = facts.bits == 64 ? 8 : 4;
  const ByteReader reader(description, facts.little_endian ? ByteOrder::little : ByteOrder::big,
                          "property");
  std::uint32_t bits = 0;
  std::uint64_t at = 0;
  while (at + 8 <= reader.size()) {
    const std::uint64_t size = reader.u32(at + 4);
    if (size > reader.size() - at - 8) break;
    if (reader.u32(at) == kX86IsaNeeded && size == 4) bits |= reader.u32(at + 8);
    at += 8 + ((size + unit - 1) & ~(unit - 1));
  }
  return bits;
}

std::string_view without_padding(Bytes description) {
  std::string_view text = as_text(description);
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

std::string text_member(const nlohmann::json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// UAPI.12: a JSON array of objects. What is no such thing is no note; the default priority is
/// "recommended".
void add_dlopen_note(Bytes description, std::vector<DlopenNote>& notes) {
  if (description.size() > kLargestDlopenNote) return;
  const std::string_view text = without_padding(description);
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_array()) return;
  for (const auto& entry : json) {
    if (!entry.is_object()) continue;
    DlopenNote note;
    note.feature = text_member(entry, "feature");
    note.priority = text_member(entry, "priority");
    if (note.priority.empty()) note.priority = "recommended";
    const auto names = entry.find("soname");
    if (names == entry.end() || !names->is_array()) continue;
    for (const auto& name : *names) {
      if (name.is_string()) note.sonames.push_back(name.get<std::string>());
    }
    if (!note.sonames.empty()) notes.push_back(std::move(note));
  }
}

std::string hex_digits(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

std::vector<Note> known_notes(const ElfImage& image) {
  NoteCollector collector(image);
  for (const Segment& segment : image.segments()) {
    if (segment.type != pt::kNote && segment.type != pt::kGnuProperty) continue;
    collector.read_area(segment.offset, segment.filesz, segment.align);
  }
  for (const Section& section : image.sections()) {
    if (section.type != sht::kNote) continue;
    collector.read_area(section.offset, section.size, section.addralign);
  }
  return collector.take();
}

void add_note(const Note& note, ElfFacts& facts) {
  if (note.owner == "GNU" && note.type == nt::kGnuProperty) {
    facts.isa_needed |= isa_needed(note.description, facts);
  } else if (note.owner == "GNU" && note.type == nt::kGnuBuildId) {
    const bool plausible = !note.description.empty() && note.description.size() <= kLargestBuildId;
    if (plausible && !facts.build_id) facts.build_id = hex_digits(note.description);
  } else if (note.owner == "FDO" && note.type == nt::kPackage) {
    const bool plausible = note.description.size() <= kLargestPackageNote;
    if (plausible && !facts.package_note) {
      facts.package_note = std::string(without_padding(note.description));
    }
  } else if (note.owner == "FDO" && note.type == nt::kDlopen) {
    add_dlopen_note(note.description, facts.dlopen_notes);
  }
}

}  // namespace truewheel::elf
