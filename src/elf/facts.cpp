// SPDX-License-Identifier: Apache-2.0
#include "elf/classify.hpp"
#include "elf/distilled_image.hpp"
#include "elf/hash_tables.hpp"
#include "elf/image.hpp"
#include "elf/lief_reader.hpp"
#include "elf/native_reader.hpp"
#include <truewheel/elf.hpp>

#include <utility>

namespace truewheel::elf {

namespace {

/// LIEF's facts of a file that was read natively before. It is asked only about programs and
/// libraries: other types have no facts beyond the header (E38).
ElfFacts ask_lief(const ElfImage& image, const NativeReading& reading) {
  if (!has_program_facts(reading.facts.kind)) return reading.facts;
  return read_with_lief(distill(image, reading));
}

/// Keeps a fact of LIEF where the own reader says the same, and takes the own reader's otherwise.
template <class Fact>
void settle(Fact& from_lief, Fact& from_own_reader) {
  if (!(from_lief == from_own_reader)) from_lief = std::move(from_own_reader);
}

void settle(std::vector<DlopenNote>& from_lief, std::vector<DlopenNote>& from_own_reader) {
  const auto same = [](const DlopenNote& a, const DlopenNote& b) {
    return a.sonames == b.sonames && a.feature == b.feature && a.priority == b.priority;
  };
  if (!std::equal(from_lief.begin(), from_lief.end(), from_own_reader.begin(),
                  from_own_reader.end(), same)) {
    from_lief = std::move(from_own_reader);
  }
}

ElfFacts settled(ElfFacts facts, ElfFacts own) {
  settle(facts.kind, own.kind);
  settle(facts.bits, own.bits);
  settle(facts.little_endian, own.little_endian);
  settle(facts.type, own.type);
  settle(facts.machine, own.machine);
  settle(facts.flags, own.flags);
  settle(facts.os_abi, own.os_abi);
  settle(facts.interpreter, own.interpreter);
  settle(facts.soname, own.soname);
  settle(facts.needed, own.needed);
  settle(facts.rpath, own.rpath);
  settle(facts.runpath, own.runpath);
  settle(facts.version_needs, own.version_needs);
  settle(facts.version_definitions, own.version_definitions);
  settle(facts.imports, own.imports);
  settle(facts.python_exports, own.python_exports);
  facts.export_hashes = std::move(own.export_hashes);  // LIEF sees undefined symbols alone
  settle(facts.isa_needed, own.isa_needed);
  settle(facts.dt_flags, own.dt_flags);
  settle(facts.dt_flags_1, own.dt_flags_1);
  settle(facts.build_id, own.build_id);
  settle(facts.package_note, own.package_note);
  settle(facts.dlopen_notes, own.dlopen_notes);
  settle(facts.filtees, own.filtees);
  settle(facts.auditors, own.auditors);
  settle(facts.executable_stack, own.executable_stack);
  settle(facts.has_stack_note, own.has_stack_note);
  settle(facts.has_static_tls, own.has_static_tls);
  settle(facts.has_text_relocations, own.has_text_relocations);
  settle(facts.has_relr, own.has_relr);
  return facts;
}

}  // namespace

std::uint32_t export_hash(std::string_view name) { return gnu_hash(name) | 1U; }

std::optional<RunPath> ElfFacts::run_path() const {
  if (runpath) return RunPath{RunPathKind::runpath, *runpath};
  if (rpath) return RunPath{RunPathKind::rpath, *rpath};
  return std::nullopt;
}

bool ElfFacts::is_dynamic() const {
  return kind == FileKind::shared_object || kind == FileKind::pie || kind == FileKind::executable;
}

ElfFacts inspect_natively(Bytes file) {
  if (!has_elf_magic(file)) return {};
  return read_natively(ElfImage(file)).facts;
}

ElfFacts inspect_as_edited(Bytes file) {
  if (!has_elf_magic(file)) return {};
  return read_natively(ElfImage(file, DynamicBy::segment_or_section)).facts;
}

ElfFacts inspect_with_lief(Bytes file) {
  if (!has_elf_magic(file)) return {};
  const ElfImage image(file);
  return ask_lief(image, read_natively(image));
}

ElfFacts inspect(Bytes file) {
  if (!has_elf_magic(file)) return {};
  const ElfImage image(file);
  // The own reader comes first: it refuses what is malformed, so that LIEF sees only images that
  // are right, and it decides where LIEF's silent caps lose data.
  NativeReading reading = read_natively(image);
  ElfFacts by_lief;
  try {
    by_lief = ask_lief(image, reading);
  } catch (const Error&) {
    return std::move(reading.facts);  // LIEF is a witness; without it the facts are the same
  }
  return settled(std::move(by_lief), std::move(reading.facts));
}

}  // namespace truewheel::elf
