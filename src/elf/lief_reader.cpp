// SPDX-License-Identifier: Apache-2.0
//
// The only file that includes LIEF. Two generations of its API are supported: 0.9.0, which Debian
// 12 has, and 0.16 to 1.x. What differs is in namespace `api`; the rest is written once.
#include "elf/lief_reader.hpp"

#include "base/byte_reader.hpp"
#include "elf/classify.hpp"
#include "elf/format.hpp"
#include "elf/notes.hpp"
#include <LIEF/ELF.hpp>
#include <LIEF/logging.hpp>

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#if __has_include(<LIEF/ELF/ParserConfig.hpp>)
#define TRUEWHEEL_LIEF_HAS_PARSER_CONFIG 1
#else
#define TRUEWHEEL_LIEF_HAS_PARSER_CONFIG 0
#endif

namespace truewheel::elf {

namespace {

namespace api {

using LIEF::ELF::Binary;

#if TRUEWHEEL_LIEF_HAS_PARSER_CONFIG

void silence() { LIEF::logging::disable(); }

std::unique_ptr<const Binary> parse(const Buffer& image) {
  LIEF::ELF::ParserConfig config;
  config.parse_relocations = false;
  config.parse_symtab_symbols = false;
  config.parse_overlay = false;
  config.count_mtd = LIEF::ELF::ParserConfig::DYNSYM_COUNT::SECTION;
  return LIEF::ELF::Parser::parse(image, config);
}

std::uint32_t note_type(const LIEF::ELF::Note& note) { return note.original_type(); }

template <class Entry>
const Entry* narrow(const LIEF::ELF::DynamicEntry& entry) {
  return Entry::classof(&entry) ? static_cast<const Entry*>(&entry) : nullptr;
}

std::string_view run_path(const LIEF::ELF::DynamicEntryRpath& entry) { return entry.rpath(); }
std::string_view run_path(const LIEF::ELF::DynamicEntryRunPath& entry) { return entry.runpath(); }

#else

void silence() { LIEF::Logger::disable(); }

std::unique_ptr<const Binary> parse(const Buffer& image) {
  return LIEF::ELF::Parser::parse(image, "distilled",
                                  LIEF::ELF::DYNSYM_COUNT_METHODS::COUNT_SECTION);
}

std::uint32_t note_type(const LIEF::ELF::Note& note) {
  return static_cast<std::uint32_t>(note.type());
}

template <class Entry>
const Entry* narrow(const LIEF::ELF::DynamicEntry& entry) {
  return dynamic_cast<const Entry*>(&entry);
}

std::string_view run_path(const LIEF::ELF::DynamicEntryRpath& entry) { return entry.name(); }
std::string_view run_path(const LIEF::ELF::DynamicEntryRunPath& entry) { return entry.name(); }

#endif

// 0.9.0 gives references to related objects, later versions pointers.
template <class T>
const T* pointer_to(const T& reference) {
  return &reference;
}
template <class T>
const T* pointer_to(const T* pointer) {
  return pointer;
}

/// The number behind an enumerator. Later versions add discriminators above 32 bits to numbers that
/// belong to a processor.
template <class Enumerator>
std::uint32_t number(Enumerator value) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value));
}

}  // namespace api

using VersionFiles = std::unordered_map<const LIEF::ELF::SymbolVersionAux*, const std::string*>;

void read_header(const api::Binary& binary, ElfFacts& facts) {
  const auto& header = binary.header();
  facts.bits = api::number(header.identity_class()) == 2 ? 64 : 32;
  facts.little_endian = api::number(header.identity_data()) == 1;
  facts.type = static_cast<std::uint16_t>(header.file_type());
  facts.machine = static_cast<std::uint16_t>(header.machine_type());
  facts.flags = api::number(header.processor_flag());
  facts.os_abi = static_cast<std::uint8_t>(header.identity_os_abi());
}

void read_segments(const api::Binary& binary, ElfFacts& facts) {
  for (const auto& segment : binary.segments()) {
    const std::uint32_t type = api::number(segment.type());
    if (type == pt::kInterp) {
      // LIEF takes an empty name for none.
      facts.interpreter = binary.has_interpreter() ? binary.interpreter() : std::string{};
    } else if (type == pt::kGnuStack) {
      facts.has_stack_note = true;
      facts.executable_stack = (api::number(segment.flags()) & pf::kExecute) != 0;
    }
  }
}

/// Names of DT_AUXILIARY and its like are no objects of 0.9.0, only offsets.
std::string plain_text(const Buffer& image, std::uint64_t string_table, std::uint64_t offset) {
  return std::string(ByteReader(image).c_string(string_table + offset));
}

void read_dynamic(const api::Binary& binary, const Buffer& image, ElfFacts& facts) {
  std::uint64_t string_table = 0;
  for (const auto& entry : binary.dynamic_entries()) {
    const std::uint32_t tag = api::number(entry.tag());
    const auto value = static_cast<std::uint32_t>(entry.value());
    if (const auto* needed = api::narrow<LIEF::ELF::DynamicEntryLibrary>(entry)) {
      facts.needed.push_back(needed->name());
    } else if (const auto* soname = api::narrow<LIEF::ELF::DynamicSharedObject>(entry)) {
      facts.soname = soname->name();
    } else if (const auto* rpath = api::narrow<LIEF::ELF::DynamicEntryRpath>(entry)) {
      facts.rpath = api::run_path(*rpath);
    } else if (const auto* runpath = api::narrow<LIEF::ELF::DynamicEntryRunPath>(entry)) {
      facts.runpath = api::run_path(*runpath);
    } else if (tag == dt::kStrTab) {
      string_table = entry.value();
    } else if (tag == dt::kFlags) {
      facts.dt_flags = value;
    } else if (tag == dt::kFlags1) {
      facts.dt_flags_1 = value;
    } else if (tag == dt::kTextRel) {
      facts.has_text_relocations = true;
    } else if (tag == dt::kAuxiliary || tag == dt::kFilter) {
      facts.filtees.push_back({plain_text(image, string_table, entry.value()), tag == dt::kFilter,
                               facts.needed.size()});
    } else if (tag == dt::kAudit || tag == dt::kDepAudit) {
      facts.auditors.push_back(plain_text(image, string_table, entry.value()));
    }
  }
  facts.has_text_relocations |= (facts.dt_flags & df::kTextRel) != 0;
  facts.has_static_tls = (facts.dt_flags & df::kStaticTls) != 0;
}

VersionFiles read_versions(const api::Binary& binary, ElfFacts& facts) {
  VersionFiles files;
  for (const auto& requirement : binary.symbols_version_requirement()) {
    VersionNeed need;
    need.file = requirement.name();
    for (const auto& version : requirement.auxiliary_symbols()) {
      need.versions.push_back({version.name(), (version.flags() & ver::kFlagWeak) != 0});
      files.emplace(&version, &requirement.name());
    }
    facts.version_needs.push_back(std::move(need));
  }
  for (const auto& definition : binary.symbols_version_definition()) {
    if ((definition.flags() & ver::kFlagBase) != 0) continue;
    for (const auto& name : definition.symbols_aux()) {
      facts.version_definitions.push_back(name.name());
    }
  }
  return files;
}

/// Imports are the dynamic symbols with section 0 and a name: imported_symbols() of 0.9.0 leaves
/// out those without a type.
void read_symbols(const api::Binary& binary, const VersionFiles& files, ElfFacts& facts) {
  for (const auto& symbol : binary.dynamic_symbols()) {
    if (symbol.name().empty()) continue;
    if (symbol.shndx() != shn::kUndef) {
      facts.python_exports.push_back(symbol.name());
      continue;
    }
    ImportedSymbol import;
    import.name = symbol.name();
    import.weak = api::number(symbol.binding()) == 2;
    if (symbol.has_version()) {
      const auto* version = api::pointer_to(symbol.symbol_version());
      if (version->has_auxiliary_version()) {
        const auto* name = api::pointer_to(version->symbol_version_auxiliary());
        import.version = name->name();
        if (const auto found = files.find(name); found != files.end()) import.file = *found->second;
      }
    }
    facts.imports.push_back(std::move(import));
  }
}

/// LIEF hands descriptions out as words of the machine's order, so those of a big-endian file are
/// turned around word by word; 0.9.0 then has lost bytes of a last word that is not whole.
void read_notes(const api::Binary& binary, ElfFacts& facts) {
  for (const auto& lief_note : binary.notes()) {
    std::string_view owner = lief_note.name();
    while (!owner.empty() && owner.back() == '\0') owner.remove_suffix(1);
    Buffer description(lief_note.description().begin(), lief_note.description().end());
    if (!facts.little_endian) {
      if (description.size() % 4 != 0) continue;
      for (std::size_t i = 0; i < description.size(); i += 4) {
        std::swap(description[i], description[i + 3]);
        std::swap(description[i + 1], description[i + 2]);
      }
    }
    add_note({api::note_type(lief_note), owner, description}, facts);
  }
}

FileKind kind_by(const api::Binary& binary, const ElfFacts& facts) {
  ProgramTraits traits;
  traits.type = facts.type;
  traits.has_dynamic = binary.dynamic_entries().size() != 0;
  traits.has_interpreter = facts.interpreter.has_value();
  traits.has_entry_point = binary.header().entrypoint() != 0;
  traits.says_pie = (facts.dt_flags_1 & df::kPie1) != 0;
  traits.has_soname = facts.soname.has_value();
  traits.has_needed = !facts.needed.empty();
  return kind_from(traits);
}

}  // namespace

ElfFacts read_with_lief(const Buffer& distilled) {
  static const bool silenced = (api::silence(), true);
  static_cast<void>(silenced);
  std::string reason;
  try {
    const std::unique_ptr<const api::Binary> binary = api::parse(distilled);
    if (binary != nullptr) {
      ElfFacts facts;
      read_header(*binary, facts);
      read_segments(*binary, facts);
      read_dynamic(*binary, distilled, facts);
      const VersionFiles files = read_versions(*binary, facts);
      read_symbols(*binary, files, facts);
      read_notes(*binary, facts);
      facts.kind = kind_by(*binary, facts);
      return facts;
    }
    reason = "it is no ELF file to it";
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    reason = error.what();
  }
  throw Error(ErrorKind::internal, "elf-lief", "LIEF cannot read the distilled image: " + reason);
}

}  // namespace truewheel::elf
