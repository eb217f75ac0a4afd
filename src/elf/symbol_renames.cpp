// SPDX-License-Identifier: Apache-2.0
#include "elf/symbol_renames.hpp"

#include "base/text.hpp"
#include "elf/encode.hpp"
#include "elf/format.hpp"
#include "elf/hash_tables.hpp"
#include "elf/relocations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace truewheel::elf {

namespace {

/// Dynamic tags of tables that hold numbers of symbols and that nothing here can write:
/// DT_ANDROID_REL and DT_ANDROID_RELA, LLVM's DT_CREL, DT_SYMTAB_SHNDX, Solaris' DT_SYMINFO.
constexpr std::int64_t kSymbolNumberTags[] = {0x6000000f, 0x60000011, 38, dt::kSymtabShndx,
                                              0x6ffffeff};

class RenamePlanner {
 public:
  RenamePlanner(const ElfImage& image, const std::map<std::string, std::string>& names)
      : image_(image), names_(names), count_(image.dynamic_symbol_count()) {
    if (count_ == 0) return;
    size_ = sizes_of(image.header().bits).symbol;
    table_ = *image.offset_of(*image.dynamic_value(dt::kSymTab));
  }

  SymbolRenames plan() {
    find_renamed();
    if (result_.empty()) return std::move(result_);
    if (image_.dynamic_value(dt::kMipsXhash) && image_.header().machine == em::kMips)
      throw Error(ErrorKind::refused, "elf-hash", "DT_MIPS_XHASH cannot be rebuilt");
    require_single_definitions();
    plan_gnu_hash();
    plan_sysv_hash();
    if (!result_.order.empty()) plan_relocations();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string_view old_name(std::uint64_t i) const {
    return image_.dynamic_string(image_.reader().u32(table_ + i * size_));
  }
  [[nodiscard]] std::string_view new_name(std::uint64_t i) const {
    const auto found = std::lower_bound(
        result_.renamed.begin(), result_.renamed.end(), i,
        [](const SymbolRenames::Renamed& item, std::uint64_t index) { return item.index < index; });
    const bool is_renamed = found != result_.renamed.end() && found->index == i;
    return is_renamed ? std::string_view(found->text) : old_name(i);
  }

  void find_renamed() {
    for (std::uint64_t i = 1; i < count_; ++i) {
      const auto found = names_.find(std::string(old_name(i)));
      if (found == names_.end() || found->first == found->second) continue;
      result_.renamed.push_back({i, found->second});
    }
  }

  /// Two definitions of one name and version: which one a loader finds would be chance.
  void require_single_definitions() const {
    std::set<std::string_view> touched;
    for (const auto& item : result_.renamed) touched.insert(item.text);
    const auto versions_at = image_.dynamic_value(dt::kVerSym);
    const auto versions = versions_at ? image_.offset_of(*versions_at, 2 * count_) : std::nullopt;
    std::map<std::tuple<std::string_view, std::uint16_t>, std::string_view> definitions;
    for (std::uint64_t i = 1; i < count_; ++i) {
      const std::string_view name = new_name(i);
      const std::uint8_t binding =
          image_.reader().u8(table_ + i * size_ + (image_.is_64() ? 4 : 12)) >> 4;
      const std::uint16_t section =
          image_.reader().u16(table_ + i * size_ + (image_.is_64() ? 6 : 14));
      if (section == shn::kUndef || binding == 0 || !touched.contains(name)) continue;
      const auto version = static_cast<std::uint16_t>(
          versions ? image_.reader().u16(*versions + 2 * i) & ~ver::kHidden : ver::kGlobal);
      const auto [other, is_first] = definitions.try_emplace({name, version}, old_name(i));
      if (!is_first && other->second != old_name(i)) {
        throw Error(ErrorKind::refused, "elf-symbol-twice",
                    fmt::format("'{}' and '{}' would both be defined as '{}'",
                                printable(other->second), printable(old_name(i)), printable(name)));
      }
    }
  }

  void plan_gnu_hash() {
    const auto table = GnuHashTable::read(image_);
    if (!table || table->end == table->first) return;
    const std::uint64_t first = table->first, end = table->end;
    std::vector<std::uint32_t> hashes;
    for (std::uint64_t i = first; i < end; ++i) hashes.push_back(gnu_hash(new_name(i)));
    // Symbols of one bucket keep their order: among those of one name the loader takes the first.
    std::vector<std::uint64_t> sorted(hashes.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint64_t a, std::uint64_t b) {
      return hashes[static_cast<std::size_t>(a)] % table->buckets <
             hashes[static_cast<std::size_t>(b)] % table->buckets;
    });
    std::vector<std::uint32_t> sorted_hashes;
    for (const std::uint64_t i : sorted)
      sorted_hashes.push_back(hashes[static_cast<std::size_t>(i)]);
    result_.tables.push_back({table->offset, table->build(image_, sorted_hashes)});
    if (std::is_sorted(sorted.begin(), sorted.end())) return;
    require_known_numbers();
    result_.order.resize(static_cast<std::size_t>(count_));
    std::iota(result_.order.begin(), result_.order.end(), 0);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      result_.order[static_cast<std::size_t>(first) + i] = first + sorted[i];
  }

  void require_known_numbers() const {
    for (const std::int64_t tag : kSymbolNumberTags) {
      if (image_.dynamic_value(tag)) {
        throw Error(ErrorKind::refused, "elf-symbol-order",
                    fmt::format("DT_GNU_HASH would sort the symbols anew, and the table of dynamic "
                                "tag {:#x} goes by their old numbers",
                                tag));
      }
    }
    // From DT_MIPS_GOTSYM on the GOT has an entry for each symbol, in their order.
    if (image_.header().machine == em::kMips) {
      throw Error(ErrorKind::refused, "elf-symbol-order",
                  "DT_GNU_HASH would sort the symbols anew, and the GOT goes by their old numbers");
    }
  }

  /// DT_HASH finds the same symbols as before, by their new names and numbers.
  void plan_sysv_hash() {
    const auto table = SysvHashTable::read(image_);
    if (!table) return;
    const std::vector<std::uint64_t> numbers = new_numbers();
    std::vector<std::uint32_t> hashes(static_cast<std::size_t>(count_));
    for (std::uint64_t i = 0; i < count_; ++i)
      hashes[static_cast<std::size_t>(numbers[static_cast<std::size_t>(i)])] =
          sysv_hash(new_name(i));
    std::vector<std::uint64_t> members;
    for (const std::uint64_t member : table->members)
      members.push_back(numbers[static_cast<std::size_t>(member)]);
    result_.tables.push_back({table->offset, table->build(image_, members, hashes)});
  }

  void plan_relocations() {
    const std::vector<RelocationTable> tables = find_relocation_tables(image_);
    require_known_sections(tables);
    const std::vector<std::uint64_t> numbers = new_numbers();
    const Encoder encoder(image_.header());
    const std::uint64_t word = image_.word_size();
    for (const RelocationTable& table : tables) {
      const Bytes old = image_.reader().slice(table.offset, table.size);
      Buffer bytes(old.begin(), old.end());
      const std::uint64_t step = relocation_size(image_, table.has_addend);
      for (std::uint64_t at = 0; at < table.size; at += step) {
        const std::uint64_t place = table.offset + at + word;
        const std::uint64_t info =
            image_.is_64() ? image_.reader().u64(place) : image_.reader().u32(place);
        const std::uint64_t symbol = split_relocation_info(image_, info).first;
        if (symbol >= count_) {
          throw Error(ErrorKind::refused, "elf-relocations",
                      fmt::format("a relocation names symbol {} of {}", symbol, count_));
        }
        const Buffer changed = encoder.word(
            with_relocation_symbol(image_, info, numbers[static_cast<std::size_t>(symbol)]));
        std::copy(changed.begin(), changed.end(),
                  bytes.begin() + static_cast<std::ptrdiff_t>(at + word));
      }
      result_.tables.push_back({table.offset, std::move(bytes)});
    }
  }

  /// Sections that go by the numbers of dynamic symbols, and that no dynamic tag leads to.
  void require_known_sections(const std::vector<RelocationTable>& tables) const {
    for (const Section& section : image_.sections()) {
      const bool follows_symbols = section.link < image_.sections().size() &&
                                   image_.sections()[section.link].type == sht::kDynsym &&
                                   section.size != 0 && section.type != sht::kHash &&
                                   section.type != sht::kGnuHash && section.type != sht::kGnuVersym;
      if (!follows_symbols) continue;
      const bool is_known =
          std::any_of(tables.begin(), tables.end(), [&](const RelocationTable& table) {
            return section.offset >= table.offset && section.offset + section.size <= table.end();
          });
      if (!is_known) {
        throw Error(ErrorKind::refused, "elf-symbol-order",
                    fmt::format("DT_GNU_HASH would sort the symbols anew, and section '{}' goes by "
                                "their old numbers",
                                printable(image_.section_name(section))));
      }
    }
  }

  /// By old number the new one.
  [[nodiscard]] std::vector<std::uint64_t> new_numbers() const {
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(count_));
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t i = 0; i < result_.order.size(); ++i)
      numbers[static_cast<std::size_t>(result_.order[i])] = i;
    return numbers;
  }

  const ElfImage& image_;
  const std::map<std::string, std::string>& names_;
  std::uint64_t count_, size_ = 0, table_ = 0;
  SymbolRenames result_;
};

}  // namespace

std::vector<std::uint64_t> SymbolRenames::indices() const {
  std::vector<std::uint64_t> result;
  for (const Renamed& item : renamed) result.push_back(item.index);
  return result;
}

SymbolRenames plan_symbol_renames(const ElfImage& image,
                                  const std::map<std::string, std::string>& names) {
  if (names.empty()) return {};
  return RenamePlanner(image, names).plan();
}

}  // namespace truewheel::elf
