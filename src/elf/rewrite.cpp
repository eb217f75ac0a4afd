// SPDX-License-Identifier: Apache-2.0
#include "elf/rewrite.hpp"

#include "elf/encode.hpp"
#include "elf/format.hpp"
#include "elf/hash_tables.hpp"
#include "elf/symbol_edits.hpp"
#include "elf/writes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace truewheel::elf {

namespace {

/// EI_OSABI: its byte in e_ident.
constexpr std::uint64_t kOsAbiPlace = 7;

class Rewriter {
 public:
  Rewriter(const ElfImage& image, const Wish& wish, const StringPlan& strings, const Layout& layout)
      : image_(image),
        wish_(wish),
        strings_(strings),
        layout_(layout),
        encoder_(image.header()),
        changes_(edit_symbols(image, wish, strings, layout)) {}

  PatchList run() {
    // Small changes inside tables and sections come first, by their old places: a table that moves
    // takes them along.
    edit_version_needs();
    edit_version_names();
    edit_interpreter();
    write_tables();
    write_strings();
    write_dynamic();
    write_headers();
    PatchList result = assemble(image_, layout_, std::move(writes_));
    result.steps = wish_.steps;
    result.steps.insert(result.steps.end(), strings_.steps.begin(), strings_.steps.end());
    result.steps.insert(result.steps.end(), layout_.steps.begin(), layout_.steps.end());
    return result;
  }

 private:
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

  /// New names and hashes of versions.
  void edit_version_names() {
    for (const RenamedVersion& version : wish_.renamed_versions) {
      change(version.name_offset,
             encoder_.word32(static_cast<std::uint32_t>(strings_.offsets.at(version.text))));
      if (version.hash_offset)
        change(*version.hash_offset, encoder_.word32(sysv_hash(version.text)));
    }
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
