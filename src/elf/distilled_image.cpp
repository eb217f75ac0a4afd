// SPDX-License-Identifier: Apache-2.0
#include "elf/distilled_image.hpp"

#include "base/byte_reader.hpp"
#include "elf/format.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace truewheel::elf {

namespace {

/// A piece of the image: where it is and how long it is.
struct Piece {
  std::uint64_t offset = 0, size = 0;
};

class Distiller {
 public:
  Distiller(const ElfImage& image, const NativeReading& reading)
      : image_(image), reading_(reading), sizes_(sizes_of(image.header().bits)) {}

  Buffer distill() {
    append(image_.file().first(static_cast<std::size_t>(sizes_.header)));
    out_.resize(out_.size() + kMostSegments * static_cast<std::size_t>(sizes_.segment));
    put_interpreter();
    put_notes();
    if (!image_.dynamic().empty()) put_dynamic_pieces();
    put_sections();
    put_segments();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMostSegments = 5;

  // --- bytes -------------------------------------------------------------------------------------
  void append(Bytes bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void append(std::string_view text) { append(as_bytes(text)); }

  template <class T>
  void put(T value) {
    append_integer(out_, value, image_.header().order);
  }
  void put_word(std::uint64_t value) {
    if (image_.is_64()) {
      put(value);
    } else {
      put(static_cast<std::uint32_t>(value));
    }
  }
  template <class T>
  void overwrite(std::uint64_t offset, T value) {
    Buffer bytes;
    append_integer(bytes, value, image_.header().order);
    std::copy(bytes.begin(), bytes.end(), out_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::uint64_t begin_piece() {
    while (out_.size() % 8 != 0) out_.push_back(0);
    return out_.size();
  }
  [[nodiscard]] Piece end_piece(std::uint64_t begin) const { return {begin, out_.size() - begin}; }

  std::uint32_t add_string(std::string_view text) {
    const auto offset = static_cast<std::uint32_t>(strings_.size());
    const Bytes bytes = as_bytes(text);
    strings_.insert(strings_.end(), bytes.begin(), bytes.end());
    strings_.push_back(0);
    return offset;
  }
  [[nodiscard]] bool has_room_for(std::string_view text) const {
    return strings_.size() + text.size() < kDistilledText;
  }

  // --- pieces outside the dynamic section
  // ----------------------------------------------------------
  void put_interpreter() {
    if (!reading_.facts.interpreter) return;
    const std::uint64_t begin = begin_piece();
    append(*reading_.facts.interpreter);
    out_.push_back(0);
    interpreter_ = end_piece(begin);
  }

  void put_notes() {
    const std::uint64_t begin = begin_piece();
    // Property notes come first: in 64-bit files they are aligned to 8 bytes, and LIEF, which knows
    // only 4, then still finds what follows.
    for (const bool properties : {true, false}) {
      std::size_t count = 0;
      for (const Note& note : reading_.notes) {
        const bool is_property = note.owner == "GNU" && note.type == nt::kGnuProperty;
        if (is_property != properties || ++count > kDistilledNotes) continue;
        put(static_cast<std::uint32_t>(note.owner.size() + 1));
        // LIEF 0.9.0 loses bytes of a last word that is not whole in big-endian files. FDO's texts
        // end at their first NUL, so theirs is made whole.
        const std::size_t size = note.description.size();
        put(static_cast<std::uint32_t>(note.owner == "FDO" ? (size + 3) & ~std::size_t{3} : size));
        put(note.type);
        append(note.owner);
        out_.push_back(0);
        append(note.description);
        while (out_.size() % 4 != 0) out_.push_back(0);
      }
    }
    notes_ = end_piece(begin);
  }

  // --- the dynamic section and what it points at
  // -----------------------------------------------------
  void put_dynamic_pieces() {
    strings_.push_back(0);
    put_symbols();
    put_version_needs();
    put_version_definitions();
    put_dynamic();
    const std::uint64_t begin = out_.size();
    append(Bytes(strings_));
    overwrite_word(string_table_field_, begin);
    overwrite_word(string_size_field_, strings_.size());
  }

  void overwrite_word(std::uint64_t offset, std::uint64_t value) {
    if (image_.is_64()) {
      overwrite(offset, value);
    } else {
      overwrite(offset, static_cast<std::uint32_t>(value));
    }
  }

  void put_symbols() {
    const auto table = image_.dynamic_value(dt::kSymTab);
    if (!table || reading_.symbols.empty()) return;
    const Bytes symbols = mapped_bytes(image_, *table);
    const auto versions_at = image_.dynamic_value(dt::kVerSym);
    const Bytes versions = versions_at ? mapped_bytes(image_, *versions_at) : Bytes{};
    Buffer kept_versions(2, 0);

    const std::uint64_t begin = begin_piece();
    out_.resize(out_.size() + static_cast<std::size_t>(sizes_.symbol));
    const ByteReader reader(symbols, image_.header().order, ".dynsym");
    const ByteReader version_reader(versions, image_.header().order, ".gnu.version");
    for (std::size_t i = 0; i < reading_.symbols.size() && i < kDistilledSymbols; ++i) {
      const std::uint64_t index = reading_.symbols[i];
      const Bytes symbol = reader.slice(index * sizes_.symbol, sizes_.symbol);
      const std::string_view name = image_.dynamic_string(reader.u32(index * sizes_.symbol));
      if (!has_room_for(name)) break;
      put(add_string(name));  // st_name is the first field of both classes
      append(symbol.subspan(4));
      if (versions_at) {
        const Bytes version = version_reader.slice(2 * index, 2);
        kept_versions.insert(kept_versions.end(), version.begin(), version.end());
      }
    }
    symbols_ = end_piece(begin);
    if (!versions_at) return;
    const std::uint64_t versions_begin = begin_piece();
    append(Bytes(kept_versions));
    symbol_versions_ = end_piece(versions_begin);
  }

  void put_version_needs() {
    std::size_t count = 0;
    for (const NeedView& need : reading_.versions.needs) count += need.versions.size();
    if (count == 0 || count > kDistilledVersions) return;
    const auto& needs = reading_.versions.needs;
    const std::uint64_t begin = begin_piece();
    for (std::size_t i = 0; i < needs.size(); ++i) {
      const std::size_t size = 16 * (1 + needs[i].versions.size());
      append(needs[i].raw.first(4));  // vn_version, vn_cnt
      put(add_string(needs[i].file));
      put(std::uint32_t{16});
      put(static_cast<std::uint32_t>(i + 1 < needs.size() ? size : 0));
      for (std::size_t j = 0; j < needs[i].versions.size(); ++j) {
        append(needs[i].versions[j].raw.first(8));  // vna_hash, vna_flags, vna_other
        put(add_string(needs[i].versions[j].name));
        put(std::uint32_t{j + 1 < needs[i].versions.size() ? 16U : 0U});
      }
    }
    version_needs_ = end_piece(begin);
  }

  void put_version_definitions() {
    const auto& definitions = reading_.versions.definitions;
    if (definitions.empty() || definitions.size() > kDistilledVersions) return;
    const std::uint64_t begin = begin_piece();
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      append(definitions[i].raw.first(4));  // vd_version, vd_flags
      // glibc names no version by the base definition, whatever its index; LIEF would.
      const bool is_base = (definitions[i].flags & ver::kFlagBase) != 0;
      put(is_base ? ver::kGlobal : definitions[i].index);
      put(std::uint16_t{1});
      append(definitions[i].raw.subspan(8, 4));  // vd_hash
      put(std::uint32_t{20});
      put(std::uint32_t{i + 1 < definitions.size() ? 28U : 0U});
      put(add_string(definitions[i].name));
      put(std::uint32_t{0});
    }
    version_definitions_ = end_piece(begin);
  }

  std::uint64_t put_entry(std::int64_t tag, std::uint64_t value) {
    put_word(static_cast<std::uint64_t>(tag));
    const std::uint64_t value_at = out_.size();
    put_word(value);
    return value_at;
  }

  void put_dynamic() {
    const std::uint64_t begin = begin_piece();
    string_table_field_ = put_entry(dt::kStrTab, 0);
    string_size_field_ = put_entry(dt::kStrSz, 0);
    if (symbols_) {
      put_entry(dt::kSymTab, symbols_->offset);
      put_entry(dt::kSymEnt, sizes_.symbol);
    }
    if (symbol_versions_) put_entry(dt::kVerSym, symbol_versions_->offset);
    if (version_needs_) {
      put_entry(dt::kVerNeed, version_needs_->offset);
      put_entry(dt::kVerNeedNum, reading_.versions.needs.size());
    }
    if (version_definitions_) {
      put_entry(dt::kVerDef, version_definitions_->offset);
      put_entry(dt::kVerDefNum, reading_.versions.definitions.size());
    }
    std::size_t count = 0;
    for (const DynamicEntry& entry : image_.dynamic()) {
      if (count == kDistilledDynamicEntries) break;
      const auto value = distilled_value(entry);
      if (!value) continue;
      put_entry(entry.tag, *value);
      ++count;
    }
    put_entry(dt::kNull, 0);
    dynamic_ = end_piece(begin);
  }

  /// The value an entry has in the distilled image; nullopt for one that is left out.
  std::optional<std::uint64_t> distilled_value(const DynamicEntry& entry) {
    constexpr std::array kTexts = {dt::kNeeded,    dt::kSoname, dt::kRpath, dt::kRunpath,
                                   dt::kAuxiliary, dt::kFilter, dt::kAudit, dt::kDepAudit};
    constexpr std::array kValues = {dt::kFlags, dt::kFlags1, dt::kTextRel};
    if (std::find(kTexts.begin(), kTexts.end(), entry.tag) != kTexts.end()) {
      const std::string_view text = image_.dynamic_string(entry.value);
      if (!has_room_for(text)) return std::nullopt;
      return add_string(text);
    }
    if (std::find(kValues.begin(), kValues.end(), entry.tag) != kValues.end()) return entry.value;
    return std::nullopt;
  }

  // --- header tables -----------------------------------------------------------------------------
  void put_section(std::uint32_t name, std::uint32_t type, Piece piece, std::uint64_t entry_size) {
    put(name);
    put(type);
    put_word(0);
    put_word(type == sht::kDynsym ? piece.offset : 0);
    put_word(piece.offset);
    put_word(piece.size);
    put(std::uint32_t{0});
    put(std::uint32_t{0});
    put_word(8);
    put_word(entry_size);
  }

  void put_sections() {
    constexpr std::string_view kNames{"\0.shstrtab\0.dynsym\0", 19};
    const std::uint64_t names_begin = out_.size();
    append(kNames);
    const Piece names = end_piece(names_begin);
    const std::uint64_t begin = begin_piece();
    put_section(0, sht::kNull, {}, 0);
    put_section(1, sht::kStrtab, names, 0);
    if (symbols_) put_section(11, sht::kDynsym, *symbols_, sizes_.symbol);
    // The last five half words of the header, before them e_flags and e_ehsize, are alike in both
    // classes: e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx.
    overwrite_word(24 + 2 * sizes_.word, begin);
    overwrite(sizes_.header - 6, static_cast<std::uint16_t>(sizes_.section));
    overwrite(sizes_.header - 4, static_cast<std::uint16_t>(symbols_ ? 3 : 2));
    overwrite(sizes_.header - 2, std::uint16_t{1});
  }

  void put_segments() {
    segment_at_ = sizes_.header;
    put_segment(pt::kLoad, pf::kRead, {0, out_.size()}, 0x1000);
    if (interpreter_) put_segment(pt::kInterp, pf::kRead, *interpreter_, 1);
    if (notes_.size != 0) put_segment(pt::kNote, pf::kRead, notes_, 4);
    if (dynamic_) put_segment(pt::kDynamic, pf::kRead, *dynamic_, 8);
    if (reading_.facts.has_stack_note) {
      const std::uint32_t execute = reading_.facts.executable_stack ? pf::kExecute : 0;
      put_segment(pt::kGnuStack, pf::kRead | pf::kWrite | execute, {}, 16);
    }
    const std::uint64_t count = (segment_at_ - sizes_.header) / sizes_.segment;
    overwrite_word(24 + sizes_.word, sizes_.header);
    overwrite(sizes_.header - 10, static_cast<std::uint16_t>(sizes_.segment));
    overwrite(sizes_.header - 8, static_cast<std::uint16_t>(count));
  }

  void put_segment(std::uint32_t type, std::uint32_t flags, Piece piece, std::uint64_t align) {
    Buffer rest = std::move(out_);
    out_.clear();
    put(type);
    if (image_.is_64()) put(flags);
    for (const std::uint64_t word :
         {piece.offset, piece.offset, piece.offset, piece.size, piece.size}) {
      put_word(word);
    }
    if (!image_.is_64()) put(flags);
    put_word(align);
    std::copy(out_.begin(), out_.end(), rest.begin() + static_cast<std::ptrdiff_t>(segment_at_));
    segment_at_ += out_.size();
    out_ = std::move(rest);
  }

  const ElfImage& image_;
  const NativeReading& reading_;
  const Sizes& sizes_;
  Buffer out_;
  Buffer strings_;
  Piece notes_;
  std::optional<Piece> interpreter_, dynamic_, symbols_, symbol_versions_, version_needs_,
      version_definitions_;
  std::uint64_t string_table_field_ = 0, string_size_field_ = 0, segment_at_ = 0;
};

}  // namespace

Buffer distill(const ElfImage& image, const NativeReading& reading) {
  return Distiller(image, reading).distill();
}

}  // namespace truewheel::elf
