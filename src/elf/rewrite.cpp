// SPDX-License-Identifier: Apache-2.0
#include "elf/rewrite.hpp"

#include "elf/check.hpp"
#include "elf/encode.hpp"
#include "elf/format.hpp"
#include "elf/hash_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace truewheel::elf {

namespace {

/// Differing bytes that are closer together than this become one patch.
constexpr std::size_t kPatchGap = 16;
/// EI_OSABI: its byte in e_ident.
constexpr std::uint64_t kOsAbiPlace = 7;

class Rewriter {
 public:
  Rewriter(const ElfImage& image, const Wish& wish, const StringPlan& strings, const Layout& layout)
      : image_(image), wish_(wish), strings_(strings), layout_(layout), encoder_(image.header()) {}

  PatchList run() {
    // Small changes inside tables and sections come first, by their old places: a table that moves
    // takes them along.
    edit_version_needs();
    edit_version_names();
    edit_version_symbols();
    edit_dynamic_symbols();
    edit_symbol_values();
    edit_interpreter();
    write_tables();
    write_strings();
    write_dynamic();
    write_headers();
    return assemble();
  }

 private:
  struct Write {
    std::uint64_t offset = 0;
    Buffer bytes;
  };

  void change(std::uint64_t old_offset, Buffer bytes) {
    changes_.push_back({old_offset, std::move(bytes)});
  }
  void write(std::uint64_t new_offset, Buffer bytes) {
    if (!bytes.empty()) writes_.push_back({new_offset, std::move(bytes)});
  }

  void edit_version_needs() {
    const auto& records = wish_.needs.records;
    for (const RenamedNeed& need : wish_.renamed_needs) {
      renamed_[need.record] = static_cast<std::uint32_t>(strings_.offsets.at(need.text));
    }
    if (wish_.removed_needs.empty()) {
      for (const auto& [record, name] : renamed_)
        change(records[record].file_offset + 4, encoder_.word32(name));
      return;
    }
    // Relink what is left. If the first record goes, the first one left takes its place, so that
    // DT_VERNEED stays.
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!std::binary_search(wish_.removed_needs.begin(), wish_.removed_needs.end(), i))
        left.push_back(i);
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      const VersionNeedRecord& record = records[left[i]];
      const std::uint64_t place = i == 0 ? records.front().file_offset : record.file_offset;
      const std::uint64_t next =
          i + 1 == left.size() ? 0 : records[left[i + 1]].file_offset - place;
      const auto renamed = renamed_.find(left[i]);
      Buffer bytes = encoder_.half(1);
      const auto append = [&](const Buffer& more) {
        bytes.insert(bytes.end(), more.begin(), more.end());
      };
      append(encoder_.half(image_.reader().u16(record.file_offset + 2)));
      append(encoder_.word32(renamed == renamed_.end() ? record.file : renamed->second));
      append(
          encoder_.word32(static_cast<std::uint32_t>(record.aux + (record.file_offset - place))));
      append(encoder_.word32(static_cast<std::uint32_t>(next)));
      change(place, std::move(bytes));
    }
  }

  /// A shorter name leaves PT_INTERP its size, so that a later, longer one finds it; loaders read
  /// up to the NUL, and what stands behind the old one's is left alone. A longer one is written
  /// with its table.
  void edit_interpreter() {
    if (!wish_.interpreter) return;
    const Table table = *interpreter_table(image_);
    const Bytes old = image_.reader().slice(table.offset, table.size);
    const auto length =
        static_cast<std::size_t>(std::find(old.begin(), old.end(), std::uint8_t{0}) - old.begin());
    Buffer bytes(wish_.interpreter->begin(), wish_.interpreter->end());
    bytes.resize(std::max(length, wish_.interpreter->size()) + 1);
    change(table.offset, std::move(bytes));
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

  /// New names and hashes of versions.
  void edit_version_names() {
    for (const RenamedVersion& version : wish_.renamed_versions) {
      change(version.name_offset,
             encoder_.word32(static_cast<std::uint32_t>(strings_.offsets.at(version.text))));
      if (version.hash_offset)
        change(*version.hash_offset, encoder_.word32(sysv_hash(version.text)));
    }
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

  void write_tables() {
    std::vector<bool> done(changes_.size(), false);
    for (const Move& move : layout_.moves) {
      if (move.table.kind == TableKind::strings || move.table.kind == TableKind::dynamic) continue;
      const Bytes old = image_.reader().slice(move.table.offset, move.table.size);
      Buffer bytes(old.begin(), old.end());
      bytes.resize(static_cast<std::size_t>(move.size));
      for (std::size_t i = 0; i < changes_.size(); ++i) {
        if (changes_[i].offset < move.table.offset || changes_[i].offset >= move.table.end())
          continue;
        std::copy(
            changes_[i].bytes.begin(), changes_[i].bytes.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(changes_[i].offset - move.table.offset));
        done[i] = true;
      }
      write(move.offset, std::move(bytes));
    }
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (done[i]) continue;
      const std::uint64_t shift = changes_[i].offset >= layout_.keep ? layout_.tail_shift : 0;
      write(changes_[i].offset + shift, std::move(changes_[i].bytes));
    }
  }

  void write_strings() {
    const Move* move = layout_.find(TableKind::strings);
    const std::uint64_t start = move == nullptr ? image_.dynstr_offset() : move->offset;
    if (move == nullptr || move->offset == move->table.offset) {
      const std::uint64_t old_size = move == nullptr ? strings_.size : move->table.size;
      Buffer growth(static_cast<std::size_t>(move == nullptr ? 0 : move->size - old_size));
      for (const StringPiece& piece : strings_.pieces) {
        // A piece may begin in unused bytes of the old table and go on into its growth.
        for (std::size_t i = 0; i < piece.bytes.size(); ++i) {
          const std::uint64_t at = piece.offset + i;
          if (at >= old_size)
            growth[static_cast<std::size_t>(at - old_size)] =
                static_cast<std::uint8_t>(piece.bytes[i]);
        }
        if (piece.offset >= old_size) continue;
        const auto length = std::min<std::uint64_t>(piece.bytes.size(), old_size - piece.offset);
        write(
            start + piece.offset,
            Buffer(piece.bytes.begin(), piece.bytes.begin() + static_cast<std::ptrdiff_t>(length)));
      }
      write(start + old_size, std::move(growth));
      return;
    }
    const Bytes old = image_.reader().slice(move->table.offset, move->table.size);
    Buffer bytes(old.begin(), old.end());
    bytes.resize(static_cast<std::size_t>(move->size));
    for (const StringPiece& piece : strings_.pieces) {
      std::copy(piece.bytes.begin(), piece.bytes.end(),
                bytes.begin() + static_cast<std::ptrdiff_t>(piece.offset));
    }
    write(start, std::move(bytes));
  }

  [[nodiscard]] std::uint64_t new_strings_size() const {
    if (const Move* move = layout_.find(TableKind::strings)) return move->size;
    std::uint64_t size = image_.dynstr_size();
    for (const auto& [text, offset] : strings_.offsets) {
      if (offset + text.size() + 1 > size) size = strings_.size;
    }
    return size;
  }

  void write_dynamic() {
    if (layout_.moves.empty() && !wish_.entries_change) return;
    const Segment* segment = image_.dynamic_segment();
    const Move* move = layout_.find(TableKind::dynamic);
    const std::uint64_t start = move == nullptr ? segment->offset : move->offset;
    const std::uint64_t vaddr = move == nullptr ? segment->vaddr : move->vaddr;
    const std::uint64_t entry_size = sizes_of(image_.header().bits).dynamic;
    Buffer bytes;
    for (std::size_t i = 0; i < wish_.entries.size(); ++i) {
      const WantedEntry& entry = wish_.entries[i];
      std::uint64_t value = entry.text ? strings_.offsets.at(*entry.text) : entry.value;
      if (entry.tag == dt::kStrSz) value = new_strings_size();
      for (const Move& table : layout_.moves) {
        if (address_tag(table.table.kind) == entry.tag && value == table.table.vaddr) {
          value = table.vaddr;
          break;
        }
      }
      if (entry.tag == dt::kMipsRldMapRel && image_.header().machine == em::kMips &&
          entry.old_index) {
        // Its value is relative to the place of the entry itself.
        value += segment->vaddr + *entry.old_index * entry_size - (vaddr + i * entry_size);
      }
      encoder_.append_dynamic(bytes, entry.tag, value);
    }
    // A moved .dynamic is NULs up to its end; one that stays gets NULs where entries were, and one
    // behind them.
    const std::size_t slots = move == nullptr
                                  ? std::max(wish_.entries.size(), image_.dynamic().size()) + 1
                                  : static_cast<std::size_t>(move->size / entry_size);
    bytes.resize(slots * static_cast<std::size_t>(entry_size));
    write(start, std::move(bytes));
  }

  /// A file whose e_shoff leads nowhere is one without section headers. Where the edited file has
  /// bytes there that were written for something else, readers would take them for the table.
  [[nodiscard]] bool section_headers_would_appear() const {
    const Header& header = image_.header();
    const Sizes& sizes = sizes_of(header.bits);
    if (!image_.sections().empty() || header.shoff < sizes.header) return false;
    if (layout_.size > image_.file().size() && layout_.size > header.shoff) return true;
    // A table that was not believed for what it says of version needs would be, without them.
    if (!wish_.removed_needs.empty() && header.shoff < image_.file().size()) return true;
    return layout_.phoff != header.phoff ||
           std::any_of(writes_.begin(), writes_.end(), [&](const Write& item) {
             return item.offset < header.shoff + sizes.section &&
                    header.shoff < item.offset + item.bytes.size();
           });
  }

  void write_headers() {
    const Header& header = image_.header();
    const bool is_64 = image_.is_64();
    if (layout_.phoff != header.phoff) write(is_64 ? 32 : 28, encoder_.word(layout_.phoff));
    if (layout_.shoff != header.shoff) write(is_64 ? 40 : 32, encoder_.word(layout_.shoff));
    if (layout_.segments.size() != image_.segments().size()) {
      write(is_64 ? 56 : 44, encoder_.half(static_cast<std::uint16_t>(layout_.segments.size())));
    }
    if (section_headers_would_appear()) {
      write(is_64 ? 40 : 32, encoder_.word(0));
      // e_shnum and e_shstrndx.
      write(is_64 ? 60 : 48, Buffer(4));
    }
    if (wish_.os_abi) write(kOsAbiPlace, {*wish_.os_abi});
    std::vector<Segment> segments = layout_.segments;
    for (Segment& segment : segments) {
      if (segment.type != pt::kGnuStack || !wish_.executable_stack) continue;
      segment.flags =
          *wish_.executable_stack ? segment.flags | pf::kExecute : segment.flags & ~pf::kExecute;
    }
    write(layout_.phoff, encoder_.segments(segments));
    if (layout_.sections.empty()) return;
    std::vector<Section> sections = layout_.sections;
    if (!wish_.removed_needs.empty()) {
      const Table needs{TableKind::version_needs, wish_.needs.vaddr, wish_.needs.offset,
                        wish_.needs.size};
      if (const auto index = section_of(image_, needs)) {
        Section& section = sections[*index];
        section.info =
            static_cast<std::uint32_t>(wish_.needs.records.size() - wish_.removed_needs.size());
        // BFD refuses a table of needed versions with no entry; as plain data its bytes harm
        // nobody.
        if (section.info == 0) {
          section.type = sht::kProgbits;
          section.link = 0;
        }
      }
    }
    write(layout_.shoff, encoder_.sections(sections));
  }

  PatchList assemble() {
    const Bytes file = image_.file();
    PatchList result;
    result.keep = layout_.keep;
    result.growth = layout_.growth;
    result.tail.resize(static_cast<std::size_t>(layout_.size - layout_.keep));
    if (layout_.keep < file.size()) {
      std::copy(file.begin() + static_cast<std::ptrdiff_t>(layout_.keep), file.end(),
                result.tail.begin() + static_cast<std::ptrdiff_t>(layout_.tail_shift));
    }
    std::sort(writes_.begin(), writes_.end(),
              [](const Write& a, const Write& b) { return a.offset < b.offset; });
    std::uint64_t end = 0;
    for (Write& item : writes_) {
      if (item.offset < end || item.offset + item.bytes.size() > layout_.size) {
        const std::string what =
            fmt::format("two parts of the edited file meet at {:#x}", item.offset);
        // In a file that contradicts itself they overlap already.
        if (!check_structure(image_).empty())
          throw Error(ErrorKind::refused, "elf-inconsistent", what);
        throw Error(ErrorKind::internal, "elf-writes-overlap", what);
      }
      end = item.offset + item.bytes.size();
      const std::uint64_t head =
          item.offset >= layout_.keep ? 0 : std::min(end, layout_.keep) - item.offset;
      if (head < item.bytes.size()) {
        std::copy(
            item.bytes.begin() + static_cast<std::ptrdiff_t>(head), item.bytes.end(),
            result.tail.begin() + static_cast<std::ptrdiff_t>(item.offset + head - layout_.keep));
      }
      item.bytes.resize(static_cast<std::size_t>(head));
      append_differences(item, result.patches);
    }
    result.moves_headers = layout_.moves_headers;
    result.steps = wish_.steps;
    result.steps.insert(result.steps.end(), strings_.steps.begin(), strings_.steps.end());
    result.steps.insert(result.steps.end(), layout_.steps.begin(), layout_.steps.end());
    return result;
  }

  /// Only what differs becomes a patch: a program header that stays as it is is no change.
  void append_differences(const Write& item, std::vector<Patch>& patches) const {
    const Bytes file = image_.file();
    const auto differs = [&](std::size_t i) {
      return file[static_cast<std::size_t>(item.offset) + i] != item.bytes[i];
    };
    for (std::size_t i = 0; i < item.bytes.size(); ++i) {
      if (!differs(i)) continue;
      std::size_t last = i;
      for (std::size_t k = i + 1; k < item.bytes.size() && k - last <= kPatchGap; ++k) {
        if (differs(k)) last = k;
      }
      patches.push_back(
          {item.offset + i, Buffer(item.bytes.begin() + static_cast<std::ptrdiff_t>(i),
                                   item.bytes.begin() + static_cast<std::ptrdiff_t>(last + 1))});
      i = last;
    }
  }

  const ElfImage& image_;
  const Wish& wish_;
  const StringPlan& strings_;
  const Layout& layout_;
  Encoder encoder_;
  std::map<std::size_t, std::uint32_t> renamed_;
  std::vector<Write> changes_;  ///< by old offset
  std::vector<Write> writes_;   ///< by new offset
};

}  // namespace

PatchList rewrite(const ElfImage& image, const Wish& wish, const StringPlan& strings,
                  const Layout& layout) {
  return Rewriter(image, wish, strings, layout).run();
}

}  // namespace truewheel::elf
