// SPDX-License-Identifier: Apache-2.0
#include "elf/symbol_edits.hpp"

#include "base/text.hpp"
#include "elf/encode.hpp"
#include "elf/format.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace truewheel::elf {

namespace {

class SymbolEditor {
 public:
  SymbolEditor(const ElfImage& image, const Wish& wish, const StringPlan& strings,
               const Layout& layout)
      : image_(image), wish_(wish), strings_(strings), layout_(layout), encoder_(image.header()) {}

  std::vector<Write> run() {
    edit_version_symbols();
    edit_dynamic_symbols();
    edit_symbol_values();
    return std::move(changes_);
  }

 private:
  void change(std::uint64_t old_offset, Buffer bytes) {
    changes_.push_back({old_offset, std::move(bytes)});
  }

  /// Symbols of a version that is no longer needed become unversioned, global ones; so do those
  /// that shall lose theirs. With a version need goes room in the loader's table of versions, so
  /// that an index that never had a version must not stay either. All follow their symbols.
  void edit_version_symbols() {
    if (wish_.removed_needs.empty() && wish_.unversioned_symbols.empty() &&
        wish_.symbols.order.empty()) {
      return;
    }
    std::vector<VersionNeedRecord> left;
    for (std::size_t i = 0; i < wish_.needs.records.size(); ++i) {
      if (!std::binary_search(wish_.removed_needs.begin(), wish_.removed_needs.end(), i))
        left.push_back(wish_.needs.records[i]);
    }
    const auto named = named_versions(left, read_version_definitions(image_).records);
    const auto table = image_.dynamic_value(dt::kVerSym);
    const std::uint64_t count = image_.dynamic_symbol_count();
    const auto offset = table ? image_.offset_of(*table, count * 2) : std::nullopt;
    if (!offset) return;
    Buffer versions = copy_of(*offset, count * 2);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint16_t version = image_.reader().u16(*offset + 2 * i);
      const auto index = static_cast<std::uint16_t>(version & ~ver::kHidden);
      const bool is_gone =
          !wish_.removed_needs.empty() && index > ver::kGlobal && !named.contains(index);
      if (is_gone || std::binary_search(wish_.unversioned_symbols.begin(),
                                        wish_.unversioned_symbols.end(), i)) {
        put(versions, 2 * i, encoder_.half(ver::kGlobal));
      }
    }
    change(*offset, in_new_order(versions, 2));
  }

  /// New names, and what follows from them; and `_DYNAMIC`, if .dynamic moves.
  void edit_dynamic_symbols() {
    const Move* dynamic = layout_.find(TableKind::dynamic);
    const std::uint64_t count = image_.dynamic_symbol_count();
    if (count == 0 || (dynamic == nullptr && wish_.symbols.empty())) return;
    const std::uint64_t size = sizes_of(image_.header().bits).symbol;
    const std::uint64_t table = *image_.offset_of(*image_.dynamic_value(dt::kSymTab));
    Buffer symbols = copy_of(table, count * size);
    for (std::uint64_t i = 0; dynamic != nullptr && i < count; ++i) {
      const std::uint64_t at = table + i * size;
      if (value_at(at) != dynamic->table.vaddr) continue;
      if (image_.dynamic_string(image_.reader().u32(at)) != "_DYNAMIC") continue;
      put(symbols, i * size + value_place(), encoder_.word(dynamic->vaddr));
    }
    for (const SymbolRenames::Renamed& item : wish_.symbols.renamed) {
      put(symbols, item.index * size,
          encoder_.word32(static_cast<std::uint32_t>(strings_.offsets.at(item.text))));
    }
    change(table, in_new_order(symbols, size));
    for (const SymbolRenames::NewTable& other : wish_.symbols.tables)
      change(other.offset, other.bytes);
  }

  [[nodiscard]] Buffer copy_of(std::uint64_t offset, std::uint64_t size) const {
    const Bytes bytes = image_.reader().slice(offset, size);
    return {bytes.begin(), bytes.end()};
  }
  static void put(Buffer& to, std::uint64_t at, const Buffer& bytes) {
    std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
  }
  /// A table with one entry a symbol, by the symbols' new numbers.
  [[nodiscard]] Buffer in_new_order(const Buffer& table, std::uint64_t size) const {
    Buffer result = table;
    for (std::size_t i = 0; i < wish_.symbols.order.size(); ++i) {
      std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(wish_.symbols.order[i] * size), size,
                  result.begin() + static_cast<std::ptrdiff_t>(i * size));
    }
    return result;
  }

  /// Symbols in a section that moved follow it: section symbols, `_DYNAMIC`, `__abi_tag`.
  void edit_symbol_values() {
    std::map<std::size_t, std::uint64_t> shifts;
    for (std::size_t i = 0; i < layout_.sections.size(); ++i) {
      const std::uint64_t shift = layout_.sections[i].addr - image_.sections()[i].addr;
      if (shift != 0) shifts[i] = shift;
    }
    const std::uint64_t size = sizes_of(image_.header().bits).symbol;
    for (const Section& table : image_.sections()) {
      if (table.type != sht::kSymtab || shifts.empty()) continue;
      if (table.offset > image_.file().size() || table.size > image_.file().size() - table.offset)
        continue;
      for (std::uint64_t i = 0; i < table.size / size; ++i) {
        shift_symbol(table.offset + i * size, shifts);
        follow_dynamic(table.offset + i * size, table);
      }
    }
  }
  void shift_symbol(std::uint64_t at, const std::map<std::size_t, std::uint64_t>& shifts) {
    const std::uint16_t index = image_.reader().u16(at + (image_.is_64() ? 6 : 14));
    const auto shift = shifts.find(index);
    if (shift == shifts.end()) return;
    const Section& section = image_.sections()[index];
    const std::uint64_t value = value_at(at);
    if (value < section.addr || value > section.addr + section.size) return;
    change(at + value_place(), encoder_.word(value + shift->second));
  }
  /// On most machines GNU ld makes `_DYNAMIC` an absolute symbol, with no section to follow.
  void follow_dynamic(std::uint64_t at, const Section& table) {
    constexpr std::string_view kName("_DYNAMIC\0", 9);
    const Move* move = layout_.find(TableKind::dynamic);
    const bool is_its_value = move != nullptr && value_at(at) == move->table.vaddr &&
                              image_.reader().u16(at + (image_.is_64() ? 6 : 14)) == shn::kAbs;
    if (!is_its_value || table.link >= image_.sections().size()) return;
    const Section& names = image_.sections()[table.link];
    const std::uint64_t size = image_.file().size(), name = image_.reader().u32(at);
    if (names.offset > size || name > size - names.offset ||
        size - names.offset - name < kName.size())
      return;
    if (as_text(image_.reader().slice(names.offset + name, kName.size())) != kName) return;
    change(at + value_place(), encoder_.word(move->vaddr));
  }
  [[nodiscard]] std::uint64_t value_place() const { return image_.is_64() ? 8 : 4; }
  [[nodiscard]] std::uint64_t value_at(std::uint64_t symbol) const {
    return image_.is_64() ? image_.reader().u64(symbol + 8) : image_.reader().u32(symbol + 4);
  }

  const ElfImage& image_;
  const Wish& wish_;
  const StringPlan& strings_;
  const Layout& layout_;
  Encoder encoder_;
  std::vector<Write> changes_;
};

}  // namespace

std::vector<Write> edit_symbols(const ElfImage& image, const Wish& wish, const StringPlan& strings,
                                const Layout& layout) {
  return SymbolEditor(image, wish, strings, layout).run();
}

}  // namespace truewheel::elf
