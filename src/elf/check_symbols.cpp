// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/hash_tables.hpp"
#include "elf/relocations.hpp"
#include "elf/symbol_versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace truewheel::elf {

namespace {

const char* const kDynamic = "_DYNAMIC";

bool same_bytes(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

/// Every dynamic symbol with its version number.
struct SymbolView {
  explicit SymbolView(const ElfImage& the_image)
      : image(the_image), count(the_image.dynamic_symbol_count()) {
    size = sizes_of(image.header().bits).symbol;
    table = count == 0 ? 0 : *image.offset_of(*image.dynamic_value(dt::kSymTab));
    const auto versions_at = image.dynamic_value(dt::kVerSym);
    if (versions_at && count != 0) versions = image.offset_of(*versions_at, count * 2);
  }
  [[nodiscard]] std::string_view name(std::uint64_t i) const {
    return image.dynamic_string(image.reader().u32(table + i * size));
  }
  [[nodiscard]] Bytes rest(std::uint64_t i) const {
    return image.reader().slice(table + i * size + 4, size - 4);
  }
  [[nodiscard]] bool is_local(std::uint64_t i) const {
    return image.reader().u8(table + i * size + (image.is_64() ? 4 : 12)) >> 4 == 0;
  }
  [[nodiscard]] std::uint16_t version(std::uint64_t i) const {
    return versions ? image.reader().u16(*versions + 2 * i) : std::uint16_t{1};
  }

  const ElfImage& image;
  std::uint64_t count, size = 0, table = 0;
  std::optional<std::uint64_t> versions;
};

/// The versions that symbols shall have, by what goes with a removed library and what is cleared.
class WishedVersions {
 public:
  WishedVersions(const SymbolView& before, const SymbolView& after, const ElfEdit& edit)
      : edit_(edit) {
    const auto old_needs = read_version_needs(before.image).records;
    const auto needs = read_version_needs(after.image).records;
    const auto definitions = read_version_definitions(after.image).records;
    lost_need_ = std::any_of(old_needs.begin(), old_needs.end(), [&](const auto& record) {
      return contains(edit.remove_needed, before.image.dynamic_string(record.file));
    });
    named_ = named_versions(needs, definitions);
    // Without any version left the whole table of versions goes.
    tell_nothing_ = !after.versions && lost_need_ && needs.empty() && definitions.empty();
  }
  [[nodiscard]] std::uint16_t of(const SymbolView& before, std::uint64_t i) const {
    const std::uint16_t version = before.version(i);
    const auto index = static_cast<std::uint16_t>(version & ~ver::kHidden);
    const bool dropped = tell_nothing_ || (index > ver::kGlobal &&
                                           ((lost_need_ && !named_.contains(index)) ||
                                            contains(edit_.clear_symbol_versions, before.name(i))));
    return dropped ? ver::kGlobal : version;
  }

 private:
  const ElfEdit& edit_;
  std::set<std::uint16_t> named_;  ///< indices that have a version after the edit
  bool lost_need_ = false;
  bool tell_nothing_ = false;
};

/// Without renames every symbol keeps its number.
void check_kept_symbols(const SymbolView& a, const SymbolView& b, const WishedVersions& versions,
                        Complaints& complaints) {
  for (std::uint64_t i = 0; i < a.count; ++i) {
    if (a.name(i) != b.name(i) || (!same_bytes(a.rest(i), b.rest(i)) && a.name(i) != kDynamic)) {
      complaints.push_back(
          fmt::format("I13: dynamic symbol {} ('{}') changed", i, printable(a.name(i))));
    }
    if (b.version(i) != versions.of(a, i))
      complaints.push_back(fmt::format("I13: the version of dynamic symbol {} changed", i));
  }
}

/// Tables that find symbols: their bytes are the same wherever they are.
void check_kept_hash_tables(const ElfImage& before, const ElfImage& after, Complaints& complaints) {
  for (const std::int64_t tag : {dt::kHash, dt::kGnuHash}) {
    const auto a = before.dynamic_value(tag), b = after.dynamic_value(tag);
    if (a.has_value() != b.has_value()) {
      complaints.emplace_back("I13: a hash table is gone");
      continue;
    }
    if (!a) continue;
    const auto old_offset = before.offset_of(*a, 16), new_offset = after.offset_of(*b, 16);
    if (old_offset.has_value() != new_offset.has_value())
      complaints.emplace_back("I13: a hash table is not mapped");
    if (!old_offset || !new_offset) continue;
    std::uint64_t size = 16;
    for (const Section& section : before.sections()) {
      if (section.addr == *a && (section.type == sht::kHash || section.type == sht::kGnuHash))
        size = std::max(size, section.size);
    }
    if (!same_bytes(before.reader().slice(*old_offset, size),
                    after.reader().slice(*new_offset, size))) {
      complaints.emplace_back("I13: a hash table changed");
    }
  }
}

/// A word of a hash table that nobody may have read before: it may not be in the file.
std::optional<std::uint64_t> word_at(const ElfImage& image, std::uint64_t at, std::uint64_t size) {
  if (at > image.reader().size() || size > image.reader().size() - at) return std::nullopt;
  return size == 8 ? image.reader().u64(at) : image.reader().u32(at);
}

/// Does a lookup by the loader's rules meet symbol `i`? By nothing but the bytes of the table
/// (glibc `elf/dl-lookup.c`, do_lookup_x).
bool gnu_hash_meets(const SymbolView& view, std::uint64_t i) {
  const auto vaddr = view.image.dynamic_value(dt::kGnuHash);
  const auto table = vaddr ? view.image.offset_of(*vaddr, 16) : std::nullopt;
  if (!table) return false;
  const ByteReader& reader = view.image.reader();
  const std::uint64_t word = view.image.word_size(), bits = 8 * word;
  const std::uint32_t hash = gnu_hash(view.name(i)), buckets = reader.u32(*table),
                      first = reader.u32(*table + 4), blooms = reader.u32(*table + 8),
                      shift = reader.u32(*table + 12);
  if (buckets == 0 || blooms == 0) return false;
  const std::uint64_t bloom_at = *table + 16 + (hash / bits & (blooms - 1)) * word;
  const auto bloom = word_at(view.image, bloom_at, word);
  if (!bloom || (*bloom >> hash % bits & *bloom >> (hash >> (shift & 31)) % bits & 1) == 0)
    return false;
  const std::uint64_t buckets_at = *table + 16 + blooms * word;
  const auto start = word_at(view.image, buckets_at + std::uint64_t{4} * (hash % buckets), 4);
  if (!start || *start == 0 || *start < first) return false;
  for (std::uint64_t symbol = *start; symbol < view.count; ++symbol) {
    const auto chain =
        word_at(view.image, buckets_at + std::uint64_t{4} * buckets + 4 * (symbol - first), 4);
    if (!chain) return false;
    if (symbol == i) return ((*chain ^ hash) | 1) == 1;
    if ((*chain & 1) != 0) return false;
  }
  return false;
}

bool sysv_hash_meets(const SymbolView& view, std::uint64_t i) {
  const auto vaddr = view.image.dynamic_value(dt::kHash);
  const auto table = vaddr ? view.image.offset_of(*vaddr, 16) : std::nullopt;
  if (!table) return false;
  const std::uint64_t size = view.image.hash_word_size(*table);
  const std::uint64_t most = view.image.reader().size() / size;
  const auto word = [&](std::uint64_t index) {
    return index > most ? std::nullopt : word_at(view.image, *table + size * index, size);
  };
  const std::uint64_t buckets = word(0).value_or(0), chains = word(1).value_or(0);
  if (buckets == 0 || buckets > most || chains > most) return false;
  auto symbol = word(2 + sysv_hash(view.name(i)) % buckets);
  for (std::uint64_t steps = 0; symbol.value_or(0) != 0 && steps <= view.count; ++steps) {
    if (*symbol == i) return true;
    // What is behind the table does not move with it.
    if (*symbol >= chains) return false;
    symbol = word(2 + buckets + *symbol);
  }
  return false;
}

/// All there is to a symbol but its number, so that it is known again under another one. `dynamic`:
/// the name that the symbol `_DYNAMIC` of the input has in this file.
std::string description(const SymbolView& view, std::uint64_t i, std::string_view name,
                        std::uint16_t version, const std::optional<std::string>& dynamic) {
  std::string text(name);
  text += fmt::format("\n{} {:d}{:d} ", version, gnu_hash_meets(view, i), sysv_hash_meets(view, i));
  // .dynamic may have moved.
  if (view.name(i) != dynamic) text += as_text(view.rest(i));
  return text;
}

/// By number.
using Descriptions = std::vector<std::string>;

void check_renamed_relocations(const ElfImage& before, const ElfImage& after,
                               const Descriptions& old_symbols, const Descriptions& new_symbols,
                               Complaints& complaints) {
  const auto a = find_relocation_tables(before), b = find_relocation_tables(after);
  const auto is_same = [](const RelocationTable& x, const RelocationTable& y) {
    return x.offset == y.offset && x.size == y.size && x.has_addend == y.has_addend;
  };
  if (!std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same)) {
    complaints.emplace_back("the tables of relocations are not where they were");
    return;
  }
  const std::uint64_t word = before.word_size();
  const auto info_of = [&](const ElfImage& image, std::uint64_t at) {
    return split_relocation_info(
        image, image.is_64() ? image.reader().u64(at + 8) : image.reader().u32(at + 4));
  };
  for (const RelocationTable& table : a) {
    const std::uint64_t size = relocation_size(before, table.has_addend);
    for (std::uint64_t at = table.offset; at < table.end(); at += size) {
      const auto [old_symbol, old_type] = info_of(before, at);
      const auto [new_symbol, new_type] = info_of(after, at);
      const bool same_symbol =
          old_symbol == new_symbol ||
          (old_symbol < old_symbols.size() && new_symbol < new_symbols.size() &&
           old_symbols[static_cast<std::size_t>(old_symbol)] ==
               new_symbols[static_cast<std::size_t>(new_symbol)]);
      const auto same_at = [&](std::uint64_t place, std::uint64_t length) {
        return same_bytes(before.reader().slice(place, length),
                          after.reader().slice(place, length));
      };
      if (!same_symbol || old_type != new_type || !same_at(at, word) ||
          !same_at(at + 2 * word, size - 2 * word)) {
        complaints.push_back(fmt::format("the relocation at file offset {:#x} changed", at));
        return;
      }
    }
  }
}

/// With renames: the same symbols by their new names, found by the same tables, and each relocation
/// leads to the one it led to.
void check_renamed_symbols(const SymbolView& a, const SymbolView& b, const WishedVersions& versions,
                           const ElfEdit& edit, Complaints& complaints) {
  Descriptions wished, found;
  std::optional<std::string> dynamic;
  for (std::uint64_t i = 0; i < a.count; ++i) {
    const auto renamed = edit.rename_symbols.find(std::string(a.name(i)));
    const bool keeps = i == 0 || renamed == edit.rename_symbols.end();
    if (a.name(i) == kDynamic) dynamic = keeps ? kDynamic : renamed->second;
    wished.push_back(description(a, i, keeps ? a.name(i) : std::string_view(renamed->second),
                                 versions.of(a, i), kDynamic));
  }
  for (std::uint64_t i = 0; i < a.count; ++i) {
    found.push_back(description(b, i, b.name(i), b.version(i), dynamic));
    // Local symbols come first (gABI, sh_info of .dynsym).
    if (a.is_local(i) && wished[static_cast<std::size_t>(i)] != found.back())
      complaints.push_back(fmt::format("I13: local dynamic symbol {} changed its place", i));
  }
  check_renamed_relocations(a.image, b.image, wished, found, complaints);
  std::sort(wished.begin(), wished.end());
  std::sort(found.begin(), found.end());
  const auto [missing, other] = std::mismatch(wished.begin(), wished.end(), found.begin());
  if (missing != wished.end()) {
    complaints.push_back(fmt::format("I13: dynamic symbol '{}' is not as wished",
                                     printable(missing->substr(0, missing->find('\n')))));
  }
}

}  // namespace

void check_symbols(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                   Complaints& complaints) {
  const SymbolView a(before), b(after);
  if (a.count != b.count) {
    complaints.push_back(fmt::format("I13: {} dynamic symbols became {}", a.count, b.count));
    return;
  }
  const WishedVersions versions(a, b, edit);
  if (edit.rename_symbols.empty()) {
    check_kept_symbols(a, b, versions, complaints);
    check_kept_hash_tables(before, after, complaints);
  } else {
    check_renamed_symbols(a, b, versions, edit, complaints);
  }
}

}  // namespace truewheel::elf
