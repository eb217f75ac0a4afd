// SPDX-License-Identifier: Apache-2.0
#include "elf/relocations.hpp"

#include "elf/format.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

/// MIPS64 stores a 32-bit symbol first and then four type bytes, whatever the byte order.
bool stores_symbol_first(const ElfImage& image) {
  return image.header().machine == em::kMips && image.header().order == ByteOrder::little;
}

}  // namespace

std::vector<RelocationTable> find_relocation_tables(const ElfImage& image) {
  std::vector<RelocationTable> tables;
  const auto add = [&](std::int64_t tag, std::int64_t size_tag, bool has_addend) {
    const auto vaddr = image.dynamic_value(tag);
    const std::uint64_t size = image.dynamic_value(size_tag).value_or(0);
    if (!vaddr || size == 0) return;
    const auto offset = image.offset_of(*vaddr, size);
    if (!offset || size % relocation_size(image, has_addend) != 0) {
      throw Error(
          ErrorKind::refused, "elf-relocations",
          fmt::format("the relocations of dynamic tag {} are not mapped, or no whole number", tag));
    }
    const RelocationTable table{*offset, size, has_addend};
    const bool covered =
        std::any_of(tables.begin(), tables.end(), [&](const RelocationTable& other) {
          return other.has_addend == has_addend && other.offset <= table.offset &&
                 table.end() <= other.end();
        });
    if (!covered) tables.push_back(table);
  };
  add(dt::kRela, dt::kRelaSz, true);
  add(dt::kRel, dt::kRelSz, false);
  add(dt::kJmpRel, dt::kPltRelSz, image.dynamic_value(dt::kPltRel) == dt::kRela);
  std::sort(tables.begin(), tables.end(),
            [](const RelocationTable& a, const RelocationTable& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < tables.size(); ++i) {
    if (tables[i].offset < tables[i - 1].end())
      throw Error(ErrorKind::refused, "elf-relocations", "two tables of relocations overlap");
  }
  return tables;
}

std::pair<std::uint64_t, std::uint64_t> split_relocation_info(const ElfImage& image,
                                                              std::uint64_t info) {
  if (!image.is_64()) return {info >> 8, info & 0xff};
  if (stores_symbol_first(image)) return {info & 0xffffffff, info >> 56};
  return {info >> 32, info & 0xffffffff};
}

std::uint64_t with_relocation_symbol(const ElfImage& image, std::uint64_t info,
                                     std::uint64_t symbol) {
  if (!image.is_64()) return symbol << 8 | (info & 0xff);
  if (stores_symbol_first(image)) return (info & ~std::uint64_t{0xffffffff}) | symbol;
  return symbol << 32 | (info & 0xffffffff);
}

}  // namespace truewheel::elf
