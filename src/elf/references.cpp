// SPDX-License-Identifier: Apache-2.0
#include "elf/references.hpp"

#include "base/text.hpp"
#include "elf/format.hpp"
#include "elf/relocations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace truewheel::elf {

namespace {

constexpr std::int64_t kAndroidRel = 0x6000000f, kAndroidRela = 0x60000011,
                       kAndroidRelr = 0x6fffe000;

/// Relocations without a symbol that hold an address: RELATIVE and IRELATIVE. Others without a
/// symbol hold offsets into the TLS block. For machines not listed every relocation without a
/// symbol counts.
bool may_hold_address(std::uint16_t machine, std::uint64_t type) {
  const auto is_one_of = [&](std::initializer_list<std::uint64_t> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  switch (machine) {
    case em::kX86_64:
      return is_one_of({8, 37, 38});
    case em::k386:
      return is_one_of({8, 42});
    case em::kAarch64:
      return is_one_of({1027, 1032, 183, 188});
    case em::kArm:
      return is_one_of({23, 160});
    case em::kPpc:
    case em::kPpc64:
      return is_one_of({22, 248});
    case em::kS390:
      return is_one_of({12, 61});
    case em::kRiscv:
      return is_one_of({3, 58});
    case em::kMips:
      return (type & 0xff) == 3;
    default:
      return true;
  }
}

/// Mapping symbols tell a disassembler where code and data begin; nobody refers to them. crt1.o of
/// AArch64 and ARM has one for the note of the ABI (AAELF64 and AAELF32, mapping symbols; RISC-V
/// psABI).
bool is_mapping_symbol(std::uint16_t machine, std::uint8_t info, std::string_view name) {
  constexpr std::uint8_t kLocalWithoutType = 0;
  const bool has_such = machine == em::kAarch64 || machine == em::kArm || machine == em::kRiscv;
  return has_such && info == kLocalWithoutType && name.size() >= 2 && name[0] == '$' &&
         std::string_view("adtx").find(name[1]) != std::string_view::npos;
}

class ReferenceFinder {
 public:
  ReferenceFinder(const ElfImage& image, std::uint64_t begin, std::uint64_t end)
      : image_(image), reader_(image.reader()), begin_(begin), end_(end) {}

  std::optional<std::string> find() {
    if (is_inside(image_.header().entry)) return "the entry point lies there";
    for (const std::int64_t tag : {kAndroidRel, kAndroidRela, kAndroidRelr}) {
      if (image_.dynamic_value(tag)) return "the packed relocations cannot be read";
    }
    for (const std::int64_t tag :
         {dt::kInit, dt::kFini, dt::kInitArray, dt::kFiniArray, dt::kPreinitArray, dt::kPltGot,
          dt::kRela, dt::kRel, dt::kRelr, dt::kJmpRel}) {
      const auto value = image_.dynamic_value(tag);
      if (value && is_inside(*value)) return fmt::format("dynamic tag {} points there", tag);
    }
    if (auto found = in_arrays()) return found;
    if (auto found = in_dynamic_symbols()) return found;
    if (auto found = in_symbol_table()) return found;
    if (auto found = in_table(dt::kRela, dt::kRelaSz, true)) return found;
    if (auto found = in_table(dt::kRel, dt::kRelSz, false)) return found;
    if (auto found =
            in_table(dt::kJmpRel, dt::kPltRelSz, image_.dynamic_value(dt::kPltRel) == dt::kRela))
      return found;
    return in_relative_bitmaps();
  }

 private:
  [[nodiscard]] bool is_inside(std::uint64_t vaddr) const {
    return vaddr >= begin_ && vaddr < end_;
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t offset) const {
    return image_.is_64() ? reader_.u64(offset) : reader_.u32(offset);
  }
  [[nodiscard]] bool word_points_there(std::uint64_t vaddr) const {
    const auto offset = image_.offset_of(vaddr, image_.word_size());
    return offset && is_inside(word(*offset));
  }

  /// In an executable the arrays hold final addresses, without relocations.
  std::optional<std::string> in_arrays() const {
    for (const auto& [array, size] : {std::pair{dt::kInitArray, dt::kInitArraySz},
                                      {dt::kFiniArray, dt::kFiniArraySz},
                                      {dt::kPreinitArray, dt::kPreinitArraySz}}) {
      const auto start = image_.dynamic_value(array);
      const std::uint64_t length = image_.dynamic_value(size).value_or(0);
      if (!start || !image_.offset_of(*start, length)) continue;
      for (std::uint64_t i = 0; i + image_.word_size() <= length; i += image_.word_size()) {
        if (word_points_there(*start + i)) return "an init or fini function lies there";
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> in_dynamic_symbols() const {
    const std::uint64_t count = image_.dynamic_symbol_count();
    if (count == 0) return std::nullopt;
    const std::uint64_t size = sizes_of(image_.header().bits).symbol;
    const std::uint64_t table = *image_.offset_of(*image_.dynamic_value(dt::kSymTab));
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = table + i * size;
      if (section_index(at) != shn::kUndef && section_index(at) != shn::kAbs &&
          is_inside(value(at))) {
        return fmt::format("dynamic symbol {} lies there", i);
      }
    }
    return std::nullopt;
  }

  /// Named symbols of .symtab: code that names them reaches them relative to itself. glibc's crt1.o
  /// has `__abi_tag` for the note that nothing but PT_NOTE leads to.
  std::optional<std::string> in_symbol_table() const {
    const std::uint64_t size = sizes_of(image_.header().bits).symbol;
    for (const Section& table : image_.sections()) {
      if (table.type != sht::kSymtab || table.link >= image_.sections().size()) continue;
      const Section& names = image_.sections()[table.link];
      for (std::uint64_t i = 0; i < table.size / size; ++i) {
        const std::uint64_t at = table.offset + i * size;
        if (!is_inside(value(at)) || section_index(at) == shn::kUndef ||
            section_index(at) == shn::kAbs)
          continue;
        constexpr std::uint8_t kSectionType = 3;
        if ((info(at) & 0xf) == kSectionType) continue;
        const std::uint32_t name_offset = reader_.u32(at);
        if (name_offset >= names.size) return "a symbol without a readable name lies there";
        const std::string_view name = reader_.c_string(names.offset + name_offset);
        if (name == "__abi_tag" || name == "_DYNAMIC") continue;
        if (is_mapping_symbol(image_.header().machine, info(at), name)) continue;
        return fmt::format("symbol '{}' lies there", printable(name));
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> in_table(std::int64_t tag, std::int64_t size_tag,
                                      bool has_addend) const {
    const auto start = image_.dynamic_value(tag);
    const std::uint64_t length = image_.dynamic_value(size_tag).value_or(0);
    if (!start || length == 0) return std::nullopt;
    const auto offset = image_.offset_of(*start, length);
    if (!offset) return "the relocations are not mapped";
    const std::uint64_t word_size = image_.word_size();
    const std::uint64_t entry = word_size * (has_addend ? 3 : 2);
    for (std::uint64_t at = *offset; at + entry <= *offset + length; at += entry) {
      const std::uint64_t info_word = word(at + word_size);
      const auto [symbol, type] = split_relocation_info(image_, info_word);
      if (symbol != 0 || !may_hold_address(image_.header().machine, type)) continue;
      const bool points =
          has_addend ? is_inside(word(at + 2 * word_size)) : word_points_there(word(at));
      if (points) return fmt::format("the relocation of {:#x} points there", word(at));
    }
    return std::nullopt;
  }

  /// DT_RELR: an even word is an address, an odd one a bitmap of the words behind it.
  std::optional<std::string> in_relative_bitmaps() const {
    const auto start = image_.dynamic_value(dt::kRelr);
    const std::uint64_t length = image_.dynamic_value(dt::kRelrSz).value_or(0);
    if (!start || length == 0) return std::nullopt;
    const auto offset = image_.offset_of(*start, length);
    if (!offset) return "the relative relocations are not mapped";
    const std::uint64_t word_size = image_.word_size();
    std::uint64_t where = 0;
    for (std::uint64_t at = *offset; at + word_size <= *offset + length; at += word_size) {
      std::uint64_t entry = word(at);
      if ((entry & 1) == 0) {
        if (word_points_there(entry))
          return fmt::format("the relative relocation of {:#x} points there", entry);
        where = entry + word_size;
        continue;
      }
      for (std::uint64_t place = where; (entry >>= 1) != 0; place += word_size) {
        if ((entry & 1) != 0 && word_points_there(place)) {
          return fmt::format("the relative relocation of {:#x} points there", place);
        }
      }
      where += (8 * word_size - 1) * word_size;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t value(std::uint64_t symbol) const {
    return image_.is_64() ? reader_.u64(symbol + 8) : reader_.u32(symbol + 4);
  }
  [[nodiscard]] std::uint8_t info(std::uint64_t symbol) const {
    return reader_.u8(symbol + (image_.is_64() ? 4 : 12));
  }
  [[nodiscard]] std::uint16_t section_index(std::uint64_t symbol) const {
    return reader_.u16(symbol + (image_.is_64() ? 6 : 14));
  }

  const ElfImage& image_;
  const ByteReader& reader_;
  std::uint64_t begin_, end_;
};

}  // namespace

std::optional<std::string> find_reference(const ElfImage& image, std::uint64_t begin,
                                          std::uint64_t end) {
  try {
    return ReferenceFinder(image, begin, end).find();
  } catch (const Error& error) {
    return fmt::format("the references cannot be read ({})", error.what());
  }
}

}  // namespace truewheel::elf
