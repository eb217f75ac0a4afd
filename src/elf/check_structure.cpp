// SPDX-License-Identifier: Apache-2.0
#include "base/checked_math.hpp"
#include "elf/check.hpp"
#include "elf/format.hpp"
#include "elf/symbol_versions.hpp"
#include "elf/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

class StructureChecker {
 public:
  explicit StructureChecker(const ElfImage& image) : image_(image) {}

  Complaints run() {
    check_loads();
    check_program_headers();
    check_phdr_segment();
    check_strings();
    check_sections();
    check_dynamic_section();
    return std::move(complaints_);
  }

 private:
  template <class... Arguments>
  void complain(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    complaints_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  // I1, I2 and I4 are refused by ElfImage itself.
  void check_loads() {
    const Segment* previous = nullptr;
    std::size_t number = 0;
    for (const Segment& segment : image_.segments()) {
      if (segment.type != pt::kLoad) continue;
      ++number;
      const std::uint64_t alignment =
          std::max({std::uint64_t{1}, segment.align, previous == nullptr ? 0 : previous->align});
      const bool shares = previous != nullptr && previous->memsz != 0 &&
                          align_down(segment.vaddr, alignment) <
                              align_up(previous->vaddr + previous->memsz, alignment);
      if (shares) complain("I3: LOAD {} shares a page with the one before it", number);
      constexpr std::uint32_t kBoth = pf::kWrite | pf::kExecute;
      if ((segment.flags & kBoth) == kBoth)
        complain("I11: LOAD {} is writable and executable", number);
      if (!image_.is_64() && (segment.vaddr + segment.memsz) >> 32 != 0)
        complain("I1: LOAD {} leaves the address space", number);
      previous = &segment;
    }
  }

  void check_program_headers() {
    for (std::size_t i = 0; i < image_.segments().size(); ++i) {
      const Segment& segment = image_.segments()[i];
      if (segment.type == pt::kLoad || segment.type == pt::kNull || segment.filesz == 0) continue;
      if (image_.offset_of(segment.vaddr, segment.filesz) != segment.offset) {
        complain("I7: a program header of type {:#x} is not inside a LOAD", segment.type);
      }
      for (std::size_t k = i + 1; k < image_.segments().size(); ++k) {
        const Segment& load = image_.segments()[k];
        if (load.type == pt::kLoad && load.offset == segment.offset) {
          complain("a program header of type {:#x} stands before a LOAD that begins at its offset",
                   segment.type);
        }
      }
    }
    const std::uint64_t size = image_.header().phnum * sizes_of(image_.header().bits).segment;
    if (size > 4096) complain("I6: the program headers need more than a page");
    const Segment* first = image_.find_segment(pt::kLoad);
    const Segment* around = nullptr;
    for (const Segment& load : image_.segments()) {
      if (load.type == pt::kLoad && load.offset <= image_.header().phoff &&
          image_.header().phoff + size <= load.offset + load.filesz) {
        around = &load;
        break;
      }
    }
    if (around == nullptr) {
      complain("I7: no LOAD maps the program headers");
    } else if (image_.find_segment(pt::kInterp) != nullptr &&
               first->vaddr - first->offset != around->vaddr - around->offset) {
      complain("I8: AT_PHDR of kernels before 5.18 would miss the program headers");
    }
  }

  void check_phdr_segment() {
    bool load_seen = false;
    const std::uint64_t size = image_.header().phnum * sizes_of(image_.header().bits).segment;
    for (const Segment& segment : image_.segments()) {
      load_seen = load_seen || segment.type == pt::kLoad;
      if (segment.type != pt::kPhdr) continue;
      if (segment.offset != image_.header().phoff || segment.filesz != size ||
          segment.memsz != size) {
        complain("I6: PT_PHDR is not the program header table");
      }
      if (load_seen) complain("I6: PT_PHDR stands behind a LOAD");
    }
  }

  void check_strings() {
    const std::uint64_t count = image_.dynamic_symbol_count();
    const std::uint64_t size = sizes_of(image_.header().bits).symbol;
    const std::uint64_t table =
        count == 0 ? 0 : *image_.offset_of(*image_.dynamic_value(dt::kSymTab));
    for (std::uint64_t i = 0; i < count; ++i) {
      if (image_.reader().u32(table + i * size) >= image_.dynstr_size()) {
        complain("I12: dynamic symbol {} has its name past DT_STRSZ", i);
      }
    }
    static_cast<void>(read_version_needs(image_));
    static_cast<void>(read_version_definitions(image_));
  }

  void check_sections() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (std::size_t i = 0; i < image_.sections().size(); ++i) {
      const Section& section = image_.sections()[i];
      if (section.type == sht::kNull || section.type == sht::kNobits || section.size == 0) continue;
      if (section.offset > image_.file().size() ||
          section.size > image_.file().size() - section.offset) {
        complain("section {} ends past the file's end", i);
        continue;
      }
      if ((section.flags & shf::kAlloc) != 0 &&
          image_.offset_of(section.addr, section.size) != section.offset) {
        complain("section {} is not where a LOAD maps it", i);
      }
      ranges.emplace_back(section.offset, section.offset + section.size);
    }
    if (!image_.sections().empty()) {
      const std::uint64_t begin = image_.header().shoff;
      ranges.emplace_back(
          begin, begin + image_.sections().size() * sizes_of(image_.header().bits).section);
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].first < ranges[i - 1].second) complain("sections overlap in the file");
    }
  }

  /// What ld, strip and bionic go by: section headers that say the same as the dynamic section.
  void check_dynamic_section() {
    const Segment* dynamic = image_.dynamic_segment();
    for (std::size_t i = 0; i < image_.sections().size() && dynamic != nullptr; ++i) {
      const Section& section = image_.sections()[i];
      if ((section.flags & shf::kAlloc) == 0) continue;  // not the loaded table, whatever it says
      if (section.type == sht::kDynamic &&
          (section.addr != dynamic->vaddr || section.offset != dynamic->offset ||
           section.size != dynamic->filesz)) {
        complain("section {} of type DYNAMIC is not PT_DYNAMIC", i);
      }
      for (const auto& [type, tag] : {std::pair{sht::kDynsym, dt::kSymTab},
                                      {sht::kHash, dt::kHash},
                                      {sht::kGnuHash, dt::kGnuHash},
                                      {sht::kGnuVersym, dt::kVerSym},
                                      {sht::kGnuVerdef, dt::kVerDef},
                                      {sht::kGnuVerneed, dt::kVerNeed}}) {
        const auto value = image_.dynamic_value(tag);
        if (section.type == type && section.size != 0 && value && *value != section.addr) {
          complain("section {} is not where its dynamic tag says", i);
        }
      }
      const bool is_strings = section.type == sht::kStrtab &&
                              section.addr == image_.dynamic_value(dt::kStrTab).value_or(0);
      if (is_strings && section.size != image_.dynstr_size())
        complain("I12: section {} has not DT_STRSZ bytes", i);
      if (section.type == sht::kDynsym && section.link < image_.sections().size()) {
        if (image_.sections()[section.link].addr != image_.dynamic_value(dt::kStrTab).value_or(0)) {
          complain("section {} links to strings that are not DT_STRTAB's", i);
        }
      }
    }
  }

  const ElfImage& image_;
  Complaints complaints_;
};

}  // namespace

Complaints check_structure(const ElfImage& image) { return StructureChecker(image).run(); }

}  // namespace truewheel::elf
