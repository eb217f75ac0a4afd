// SPDX-License-Identifier: Apache-2.0
#include "elf/native_reader.hpp"

#include "base/text.hpp"
#include "elf/classify.hpp"
#include "elf/format.hpp"
#include "elf/refuse.hpp"
#include "elf/relocations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

namespace truewheel::elf {

namespace {

// The most that names may take in all. They are copies, and many entries may point at one long
// string: without a limit 1 MB of table asks for terabytes. The largest real file seen has 5 MB.
constexpr std::uint64_t kMostText = std::uint64_t{64} << 20;
constexpr std::size_t kMostImports = std::size_t{1} << 20;

constexpr std::string_view kPythonModule = "PyInit_", kPythonItself = "Py_Initialize";

/// Copies names and keeps count of their size.
class TextCopier {
 public:
  std::string copy(std::string_view text) {
    copied_ += text.size();
    if (copied_ > kMostText) {
      refuse("elf-text", "the names of libraries, versions and symbols take over 64 MiB");
    }
    return std::string(text);
  }

 private:
  std::uint64_t copied_ = 0;
};

/// E16: a control character in a library's name is no name that a build makes, and would go to
/// terminals and logs.
void check_library_name(std::string_view name, const char* tag) {
  if (has_control_character(name)) {
    refuse("elf-control-character", fmt::format("{} holds a control character", tag));
  }
}

void read_header(const ElfImage& image, ElfFacts& facts) {
  const Header& header = image.header();
  facts.bits = header.bits;
  facts.little_endian = header.order == ByteOrder::little;
  facts.type = header.type;
  facts.machine = header.machine;
  facts.flags = header.flags;
  facts.os_abi = header.os_abi;
}

void read_segments(const ElfImage& image, ElfFacts& facts, TextCopier& texts) {
  for (const Segment& segment : image.segments()) {
    if (segment.type == pt::kGnuStack) {
      facts.has_stack_note = true;
      facts.executable_stack = (segment.flags & pf::kExecute) != 0;
    } else if (segment.type == pt::kInterp) {
      const Bytes bytes = image.reader().slice(segment.offset, segment.filesz);
      const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
      if (end == bytes.end()) refuse("elf-interpreter", "PT_INTERP does not end with a NUL");
      const auto length = static_cast<std::size_t>(end - bytes.begin());
      facts.interpreter = texts.copy(as_text(bytes.first(length)));
    }
  }
}

/// The loader keeps one entry a tag, the last one (glibc's elf_get_dynamic_info), but every NEEDED.
void read_dynamic(const ElfImage& image, ElfFacts& facts, TextCopier& texts) {
  const auto text = [&](const DynamicEntry& entry) {
    return texts.copy(image.dynamic_string(entry.value));
  };
  for (const DynamicEntry& entry : image.dynamic()) {
    switch (entry.tag) {
      case dt::kNeeded:
        facts.needed.push_back(text(entry));
        check_library_name(facts.needed.back(), "DT_NEEDED");
        break;
      case dt::kSoname:
        facts.soname = text(entry);
        check_library_name(*facts.soname, "DT_SONAME");
        break;
      case dt::kRpath:
        facts.rpath = text(entry);
        break;
      case dt::kRunpath:
        facts.runpath = text(entry);
        break;
      case dt::kAuxiliary:
      case dt::kFilter:
        facts.filtees.push_back({text(entry), entry.tag == dt::kFilter, facts.needed.size()});
        check_library_name(facts.filtees.back().name,
                           entry.tag == dt::kFilter ? "DT_FILTER" : "DT_AUXILIARY");
        break;
      case dt::kAudit:
      case dt::kDepAudit:
        facts.auditors.push_back(text(entry));
        break;
      case dt::kFlags:
        facts.dt_flags = static_cast<std::uint32_t>(entry.value);
        break;
      case dt::kFlags1:
        facts.dt_flags_1 = static_cast<std::uint32_t>(entry.value);
        break;
      case dt::kTextRel:
        facts.has_text_relocations = true;
        break;
      case dt::kRelr:
        facts.has_relr = true;
        break;
      default:
        break;
    }
  }
  facts.has_text_relocations |= (facts.dt_flags & df::kTextRel) != 0;
  facts.has_static_tls = (facts.dt_flags & df::kStaticTls) != 0;
}

/// The loader applies every relocation that there is said to be: it would read and write behind its
/// mapping.
void check_relocations(const ElfImage& image) {
  static_cast<void>(find_relocation_tables(image));
  const auto relative = image.dynamic_value(dt::kRelr);
  const std::uint64_t size = image.dynamic_value(dt::kRelrSz).value_or(0);
  if (relative && size != 0 && !image.offset_of(*relative, size)) {
    refuse("elf-relocations",
           fmt::format("{:#x} bytes of relative relocations are not mapped", size));
  }
}

void copy_versions(const VersionTables& tables, ElfFacts& facts, TextCopier& texts) {
  for (const NeedView& record : tables.needs) {
    VersionNeed need;
    need.file = texts.copy(record.file);
    for (const NeededVersionView& needed : record.versions) {
      need.versions.push_back({texts.copy(needed.name), (needed.flags & ver::kFlagWeak) != 0});
    }
    facts.version_needs.push_back(std::move(need));
  }
  for (const DefinitionView& definition : tables.definitions) {
    if ((definition.flags & ver::kFlagBase) != 0) continue;
    facts.version_definitions.push_back(texts.copy(definition.name));
  }
}

/// The chains of DT_GNU_HASH: a word for each symbol from the table's first to the last there is.
/// The names themselves are not asked, since many symbols may share one that is very long.
std::optional<std::vector<std::uint32_t>> read_export_hashes(const ElfImage& image) {
  const auto table = image.dynamic_value(dt::kGnuHash);
  const auto header = table ? image.offset_of(*table, 16) : std::nullopt;
  if (!header) return std::nullopt;
  const ByteReader& reader = image.reader();
  const std::uint64_t buckets = reader.u32(*header);
  const std::uint64_t first = reader.u32(*header + 4);
  const std::uint64_t bloom = reader.u32(*header + 8);
  const std::uint64_t count = image.dynamic_symbol_count();
  std::vector<std::uint32_t> hashes;
  if (count <= first) return hashes;
  const auto chains =
      image.offset_of(*table + 16 + bloom * image.word_size() + 4 * buckets, 4 * (count - first));
  if (!chains) return std::nullopt;
  hashes.reserve(count - first);
  for (std::uint64_t i = 0; i < count - first; ++i) {
    hashes.push_back(reader.u32(*chains + 4 * i) | 1U);
  }
  return hashes;
}

/// .dynsym with .gnu.version beside it.
class SymbolReader {
 public:
  SymbolReader(const ElfImage& image, NativeReading& reading, TextCopier& texts)
      : image_(image), reading_(reading), texts_(texts) {}

  void read() {
    const std::uint64_t count = image_.dynamic_symbol_count();
    if (count == 0) return;
    const std::uint64_t size = sizes_of(image_.header().bits).symbol;
    if (image_.dynamic_value(dt::kSymEnt).value_or(size) != size) {
      refuse("elf-symbol-size", fmt::format("DT_SYMENT is not {}", size));
    }
    const std::uint64_t table = image_.dynamic_value(dt::kSymTab).value_or(0);
    const ByteReader symbols = mapped(table, count * size, ".dynsym");
    const auto versions_at = image_.dynamic_value(dt::kVerSym);
    const ByteReader versions =
        versions_at ? mapped(*versions_at, count * 2, ".gnu.version") : ByteReader(Bytes{});
    const std::uint64_t info_at = image_.is_64() ? 4 : 12;
    const std::uint64_t section_at = image_.is_64() ? 6 : 14;
    const std::string_view strings =
        as_text(image_.reader().slice(image_.dynstr_offset(), image_.dynstr_size()));
    const bool may_be_python = has_python_names(strings);
    for (std::uint64_t i = 1; i < count; ++i) {
      const std::uint64_t at = i * size;
      const bool is_undefined = symbols.u16(at + section_at) == shn::kUndef;
      if (!is_undefined && !may_be_python) continue;
      const std::uint32_t name_at = symbols.u32(at);
      if (!is_undefined) {
        if (is_python_name(strings, name_at)) add_python_export(i, image_.dynamic_string(name_at));
        continue;
      }
      const std::string_view name = image_.dynamic_string(name_at);
      if (name.empty()) continue;
      const bool is_weak = symbols.u8(at + info_at) >> 4 == kBindWeak;
      add_import(i, name, is_weak, versions_at ? versions.u16(2 * i) : ver::kGlobal);
    }
  }

 private:
  static constexpr unsigned kBindWeak = 2;

  [[nodiscard]] ByteReader mapped(std::uint64_t vaddr, std::uint64_t size, const char* name) const {
    const auto offset = image_.offset_of(vaddr, size);
    if (!offset) {
      refuse("elf-symbol-count", fmt::format("{}: {:#x} bytes at {:#x} are not in the file's LOADs",
                                             name, size, vaddr));
    }
    return ByteReader(image_.reader().slice(*offset, size), image_.header().order, name);
  }

  /// One search through .dynstr instead of a look at each defined symbol's name: those lie all over
  /// it, and libraries with 100,000s of them export no Python module.
  static bool has_python_names(std::string_view strings) {
    return strings.find(kPythonModule) != std::string_view::npos ||
           strings.find(kPythonItself) != std::string_view::npos;
  }

  /// Looks at the first bytes alone: to search each name's end takes for ever where many symbols
  /// share one long name.
  static bool is_python_name(std::string_view strings, std::uint32_t offset) {
    if (offset >= strings.size()) refuse("elf-string-offset", "a symbol's name is past .dynstr");
    const std::string_view rest = strings.substr(offset);
    return rest.starts_with(kPythonModule) ||
           (rest.starts_with(kPythonItself) && rest[kPythonItself.size()] == '\0');
  }

  void add_python_export(std::uint64_t index, std::string_view name) {
    reading_.facts.python_exports.push_back(texts_.copy(name));
    reading_.symbols.push_back(index);
  }

  void add_import(std::uint64_t index, std::string_view name, bool is_weak, std::uint16_t version) {
    ImportedSymbol import;
    import.name = texts_.copy(name);
    import.weak = is_weak;
    const std::size_t version_index = version & ~std::size_t{ver::kHidden};
    if (version_index > ver::kGlobal) {
      // The loader's table of versions ends with the largest index; it would read behind it.
      if (version_index >= reading_.versions.names.size()) {
        refuse("elf-version-index", fmt::format("the version of symbol {} is in no table", index));
      }
      const VersionName& found = reading_.versions.names[version_index];
      import.version = texts_.copy(found.name);
      import.file = texts_.copy(found.file);
    }
    if (reading_.facts.imports.size() == kMostImports) {
      refuse("elf-symbol-count", "there are over a million undefined symbols");
    }
    reading_.facts.imports.push_back(std::move(import));
    reading_.symbols.push_back(index);
  }

  const ElfImage& image_;
  NativeReading& reading_;
  TextCopier& texts_;
};

}  // namespace

NativeReading read_natively(const ElfImage& image) {
  NativeReading reading;
  TextCopier texts;
  read_header(image, reading.facts);
  reading.facts.kind = kind_of(image);
  // What no loader works on has no more facts: the segments of a separate debug file describe bytes
  // that are elsewhere, and objects and core files are passed through (E34, E38).
  if (!has_program_facts(reading.facts.kind)) return reading;
  read_segments(image, reading.facts, texts);
  reading.notes = known_notes(image);
  for (const Note& note : reading.notes) add_note(note, reading.facts);
  if (image.dynamic().empty()) return reading;
  read_dynamic(image, reading.facts, texts);
  check_relocations(image);
  reading.versions = read_version_tables(image);
  copy_versions(reading.versions, reading.facts, texts);
  SymbolReader(image, reading, texts).read();
  reading.facts.export_hashes = read_export_hashes(image);
  return reading;
}

}  // namespace truewheel::elf
