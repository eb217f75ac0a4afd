// SPDX-License-Identifier: Apache-2.0
#include "edit_support.hpp"
#include "elf/format.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace truewheel::elf::test {
namespace {

using Faults = std::vector<std::string>;

constexpr std::uint64_t kShoff = 40, kShstrndx = 62;
constexpr std::uint64_t kSectionSize = 64;
// Fields of a section header (gABI, Sections).
constexpr std::uint64_t kName = 0, kType = 4, kOffset = 24, kSize = 32, kLink = 40;

void put(Buffer& file, std::uint64_t offset, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    file[static_cast<std::size_t>(offset) + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

/// A library and where its section headers are.
struct Library {
  Buffer bytes = build("static int hidden; int run(void) { return hidden; }\n", "-shared -fPIC");
  std::uint64_t table = ElfImage(bytes).header().shoff;
  std::uint64_t names = bytes[kShstrndx];

  [[nodiscard]] std::uint64_t index_of(std::uint32_t type) const {
    const ElfImage image(bytes);
    const auto& sections = image.sections();
    for (std::size_t i = 1; i < sections.size(); ++i) {
      if (sections[i].type == type) return i;
    }
    FAIL("no section of that type");
    return 0;
  }
  void set(std::uint64_t section, std::uint64_t field, std::uint64_t value, std::size_t size) {
    put(bytes, table + section * kSectionSize + field, value, size);
  }
  [[nodiscard]] Faults faults() const { return section_header_faults(bytes); }
};

std::string section(std::uint64_t index, const std::string& what) {
  return "section " + std::to_string(index) + what;
}

TEST_CASE("a sound file, and one without section headers, has no faults of sections") {
  Library library;
  CHECK(library.faults().empty());
  put(library.bytes, kShoff, 0, 8);
  CHECK(library.faults().empty());
}

TEST_CASE("section headers behind the end of the file are not looked at") {
  Library library;
  put(library.bytes, kShoff, library.bytes.size() + 1, 8);
  CHECK(library.faults().empty());
}

TEST_CASE("a section that the file does not hold is told, be it by its offset or its size") {
  const std::uint64_t far = 0x7fffffff;
  Library library;
  const auto dynamic = library.index_of(sht::kDynamic);
  library.set(dynamic, kOffset, far, 8);
  CHECK(library.faults() == Faults{section(dynamic, ": data offset extends past file end")});
  Library larger;
  larger.set(dynamic, kSize, far, 8);
  CHECK(larger.faults() == Faults{section(dynamic, ": data region extends past file end")});
  // A section without bytes in the file may have any size.
  Library zeros;
  zeros.set(zeros.index_of(sht::kNobits), kSize, far, 8);
  CHECK(zeros.faults().empty());
}

TEST_CASE("a dynamic section that does not start at a word is told") {
  Library library;
  const auto dynamic = library.index_of(sht::kDynamic);
  const auto offset = ElfImage(library.bytes).sections().at(dynamic).offset;
  library.set(dynamic, kOffset, offset + 4, 8);
  CHECK(library.faults() == Faults{section(dynamic, ": section content is not naturally aligned")});
}

TEST_CASE("names that are not there, end nowhere or are passed by an offset are told") {
  Library without;
  put(without.bytes, kShstrndx, 0, 2);  // SHN_UNDEF: there are no names
  CHECK(without.faults().empty());

  Library past;
  put(past.bytes, kShstrndx, 0xfe, 2);
  CHECK(past.faults() == Faults{"e_shstrndx: string table index out of bounds"});

  Library empty;
  empty.set(empty.names, kSize, 0, 8);
  CHECK(empty.faults() == Faults{"section names: string table size is zero"});

  Library open;
  const auto size = ElfImage(open.bytes).sections().at(open.names).size;
  open.set(open.names, kSize, size - 1, 8);
  CHECK(open.faults() == Faults{"section names: string table is not zero terminated"});

  Library offset;
  offset.set(2, kName, size, 4);
  CHECK(offset.faults() == Faults{section(2, ": section name offset out of bounds")});
}

TEST_CASE("the index of the names may stand in the first section header") {
  Library library;
  put(library.bytes, kShstrndx, 0xffff, 2);  // SHN_XINDEX
  library.set(0, kLink, library.names, 4);
  CHECK(library.faults().empty());
  library.set(0, kLink, 1000, 4);
  CHECK(library.faults() == Faults{"e_shstrndx: string table index out of bounds"});
}

TEST_CASE("a section that a table or a symbol refers to has to have a name") {
  Library library;
  const auto symbols = library.index_of(sht::kSymtab);
  const auto strings = ElfImage(library.bytes).sections().at(symbols).link;
  const auto user = [&](const Faults& faults) { return faults.empty() ? "" : faults.front(); };
  library.set(strings, kName, 0, 4);
  CHECK(user(library.faults()) == section(symbols, " refers to an unnamed section"));

  // .bss holds `hidden`; nothing but symbols refers to it.
  Library other;
  other.set(other.index_of(sht::kNobits), kName, 0, 4);
  const auto told = user(other.faults());
  CHECK(told.starts_with("symbol "));
  CHECK(told.ends_with(" of " + section(symbols, " refers to an unnamed section")));

  // A section of no type is none, whatever its name.
  other.set(other.index_of(sht::kNobits), kType, sht::kNull, 4);
  CHECK(other.faults().empty());
}

}  // namespace
}  // namespace truewheel::elf::test
