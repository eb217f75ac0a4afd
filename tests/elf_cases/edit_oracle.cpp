// SPDX-License-Identifier: Apache-2.0
#include "elf_cases/edit_oracle.hpp"

#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <cstring>

namespace truewheel::elf::oracle {

namespace {

const std::string kLong = "$ORIGIN/" + std::string(300, 'l');

void add_wish(std::uint8_t wish, const ElfFacts& facts, Operation& operation) {
  ElfEdit& edit = operation.edit;
  const auto& needed = facts.needed;
  const auto first = needed.empty() ? std::string("libnone.so") : needed.front();
  switch (wish) {
    case 0:
      edit.run_path.emplace(RunPath{RunPathKind::rpath, "$ORIGIN"});
      break;
    case 1:
      edit.run_path.emplace(RunPath{RunPathKind::rpath, kLong});
      break;
    case 2:
      edit.run_path.emplace(RunPath{RunPathKind::runpath, "$ORIGIN/../lib"});
      break;
    case 3:
      edit.run_path.emplace(RunPath{RunPathKind::runpath, kLong});
      break;
    case 4:
      edit.run_path.emplace(std::nullopt);
      break;
    case 5:
      edit.run_path.emplace(RunPath{RunPathKind::rpath, ""});
      break;
    case 6:
      edit.soname = "l.so";
      break;
    case 7:
      edit.soname = "lib" + std::string(80, 's') + ".so.1";
      break;
    case 8:  // a string that is there already
      edit.soname = facts.imports.empty() ? first : facts.imports.back().name;
      break;
    case 9:
      edit.replace_needed[first] = "lib" + std::string(60, 'n') + ".so.1";
      break;
    case 10:
      edit.replace_needed[first] = "n";
      break;
    case 11:
      for (const std::string& name : needed) edit.replace_needed[name] = "new-" + name;
      for (const Filtee& filtee : facts.filtees) {
        edit.replace_filtees[filtee.name] = "new-" + filtee.name;
      }
      break;
    case 12:  // two entries of one name
      if (needed.size() > 1) edit.replace_needed[needed.back()] = first;
      break;
    case 13:
      edit.remove_needed.push_back(first);
      break;
    case 14:
      edit.remove_needed = needed;
      break;
    case 15:
      edit.add_needed = {"libadded.so.1"};
      break;
    case 16:
      edit.add_needed = {"liba" + std::string(90, 'a') + ".so", "libb.so", first};
      break;
    case 17:
      edit.interpreter = "/l";
      break;
    case 18:
      edit.interpreter = "/opt/" + std::string(120, 'i') + "/ld.so";
      break;
    case 19:
      edit.executable_stack = true;
      break;
    case 20:
      edit.executable_stack = false;
      break;
    case 21:
      edit.os_abi = 9;
      break;
    case 22:
      edit.no_default_lib = true;
      break;
    case 23:
      edit.add_debug_tag = true;
      break;
    case 24:
      edit.clear_symbol_versions = {"theirs", "puts", "printf"};
      break;
    case 25:
      for (const ImportedSymbol& symbol : facts.imports)
        edit.rename_symbols[symbol.name] = "renamed_" + symbol.name;
      break;
    case 26:  // names of the small files, one to a name that is there
      edit.rename_symbols["run"] = "r";
      edit.rename_symbols["PyInit_case"] = "dep_value";
      break;
    case 27:
      for (const std::string& name : facts.version_definitions) edit.rename_versions[name] = "V_2";
      edit.rename_versions["DEP_1"] = "VERSION_" + std::string(40, 'v');
      break;
    default:
      operation.options.page_size = 0x10000;
      edit.run_path.emplace(RunPath{RunPathKind::rpath, kLong + kLong});
      break;
  }
}

/// True for wishes that make a name which another one of them changes or drops: the second time
/// they find more to do.
bool feeds_itself(const ElfEdit& edit) {
  const auto changes = [&](const std::string& name) {
    return edit.replace_needed.contains(name) ||
           std::find(edit.remove_needed.begin(), edit.remove_needed.end(), name) !=
               edit.remove_needed.end();
  };
  return std::any_of(edit.add_needed.begin(), edit.add_needed.end(), changes) ||
         std::any_of(edit.replace_needed.begin(), edit.replace_needed.end(),
                     [&](const auto& names) { return changes(names.second); }) ||
         std::any_of(
             edit.replace_filtees.begin(), edit.replace_filtees.end(),
             [&](const auto& names) { return edit.replace_filtees.contains(names.second); });
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

std::string all(const Complaints& complaints) {
  std::string text;
  for (const std::string& complaint : complaints) text += complaint + "; ";
  return text;
}

/// check_edit() without LIEF. It says the same as a refusal where the input contradicts itself.
void check_without_lief(Bytes before, Bytes after, const ElfEdit& edit, const PatchList& patches) {
  Complaints complaints;
  const ElfImage old_image(before, DynamicBy::segment_or_section);
  const Complaints known = check_structure(old_image);
  try {
    const ElfImage new_image(after, DynamicBy::segment_or_section);
    for (std::string& complaint : check_structure(new_image)) {
      if (std::find(known.begin(), known.end(), complaint) == known.end())
        complaints.push_back(std::move(complaint));
    }
    check_headers_kept(old_image, new_image, edit, complaints);
    check_bytes_kept(old_image, new_image, patches, edit, Unpatched::compared, complaints);
    check_state(old_image, new_image, edit, complaints);
  } catch (const Error& error) {
    complaints.push_back(error.id() + ": " + error.what());
  }
  if (complaints.empty()) return;
  if (!find_contradictions(before).empty())
    throw Error(ErrorKind::refused, "elf-inconsistent", all(complaints));
  throw Broken("a sound file was damaged: " + all(complaints));
}

/// The part of I14 that needs no knowledge of tables: what the loader maps at the old addresses.
void check_memory_kept(Bytes before, Bytes after, const PatchList& patches) {
  const ElfImage old_image(before, DynamicBy::segment_or_section),
      new_image(after, DynamicBy::segment_or_section);
  Buffer expected(before.begin(), before.end());
  for (const Patch& patch : patches.patches) {
    std::copy(patch.bytes.begin(), patch.bytes.end(),
              expected.begin() + static_cast<std::ptrdiff_t>(patch.offset));
  }
  for (const Segment& load : old_image.segments()) {
    // One byte of a file without a dynamic section is changed whatever its LOADs are like.
    if (load.type != pt::kLoad || old_image.offset_of(load.vaddr, load.filesz) != load.offset)
      continue;
    // One that held only tables may have gone with them; check_headers_kept() says whether it may.
    const bool is_gone = std::none_of(
        new_image.segments().begin(), new_image.segments().end(), [&](const Segment& other) {
          return other.type == pt::kLoad && other.vaddr == load.vaddr &&
                 other.offset == load.offset;
        });
    if (is_gone) continue;
    const auto place = new_image.offset_of(load.vaddr, load.filesz);
    expect(place && std::memcmp(expected.data() + load.offset, after.data() + *place,
                                static_cast<std::size_t>(load.filesz)) == 0,
           "the memory of an old LOAD changed outside of the patches");
  }
}

Outcome edit_and_check(Bytes file, const ElfFacts& facts, std::uint8_t number, Witness witness) {
  const Operation wished = operation(number, facts);
  const PatchList patches = plan_edit(file, wished.edit, wished.options);
  Outcome outcome;
  outcome.bytes = elf::apply(file, patches);
  const Bytes after(outcome.bytes);
  expect(after.size() == file.size() + patches.growth || patches.changes_nothing(file.size()),
         "the growth is not as announced");
  if (patches.changes_nothing(file.size())) return outcome;
  check_without_lief(file, after, wished.edit, patches);
  check_memory_kept(file, after, patches);
  if (witness == Witness::lief) require_sound_edit(file, after, wished.edit, patches);
  try {
    const ElfFacts again = inspect_natively(after);
    expect(again.imports.size() == facts.imports.size(), "the edit changed the imports");
    expect(again.build_id == facts.build_id, "the edit changed the build-id");
    expect(feeds_itself(wished.edit) ||
               plan_edit(after, wished.edit, wished.options).changes_nothing(after.size()),
           "the same edit again is not empty");
  } catch (const Error& error) {
    throw Broken("the edited file is refused: " + error.id() + ": " + error.what());
  }
  return outcome;
}

}  // namespace

Operation operation(std::uint8_t number, const ElfFacts& facts) {
  Operation result;
  if (number < kSingleWishes) {
    add_wish(number, facts, result);
    return result;
  }
  // Two to four wishes; where two of them speak of the same thing the later one counts.
  std::uint32_t dice = number * 2654435761U;
  const std::uint32_t count = 2 + (dice >> 30) % 3;
  for (std::uint32_t i = 0; i < count; ++i) {
    dice = dice * 1664525U + 1013904223U;
    add_wish(static_cast<std::uint8_t>((dice >> 16) % kSingleWishes), facts, result);
  }
  return result;
}

Outcome judge(Bytes file, std::uint8_t number, Witness witness) {
  try {
    if (!has_elf_magic(file)) return {"elf-no-magic", {}};
    const ElfFacts facts = inspect_natively(file);
    return edit_and_check(file, facts, number, witness);
  } catch (const Error& error) {
    // A name that is taken from the file may be one that nobody may wish.
    const bool is_wish = error.id().starts_with("elf-wish-");
    if ((error.kind() == ErrorKind::refused && !error.id().empty()) || is_wish)
      return {error.id(), {}};
    throw Broken("an error that is no refusal: " + error.id() + ": " + error.what());
  }
}

}  // namespace truewheel::elf::oracle
