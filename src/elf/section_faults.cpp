// SPDX-License-Identifier: Apache-2.0
#include "base/checked_math.hpp"
#include "elf/format.hpp"
#include "elf/header_reader.hpp"
#include "elf/image.hpp"
#include <truewheel/elf.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

/// Looks at the section header table as it stands, whether the reader believes it or not. The
/// sentences end in the words that patchelf has for the same faults.
class SectionJudge {
 public:
  SectionJudge(const ElfImage& image, std::uint16_t count, std::uint16_t names)
      : image_(image), file_(image.file()), names_index_(names) {
    const std::uint64_t size = sizes_of(image.header().bits).section, at = image.header().shoff;
    const auto read = [&](std::uint64_t i) {
      return read_section(image.reader(), at + i * size, image.is_64());
    };
    if (at == 0 || at > file_.size() || size > file_.size() - at) return;
    const Section first = read(0);
    const std::uint64_t stated = count != 0 ? count : first.size;
    has_no_names_ = names_index_ == shn::kUndef;
    if (names_index_ == shn::kXindex) names_index_ = first.link;
    for (std::uint64_t i = 0; i < stated && i < (file_.size() - at) / size; ++i)
      sections_.push_back(read(i));
  }

  std::vector<std::string> run() {
    if (sections_.empty()) return {};
    judge_extents();
    if (judge_names()) {
      judge_name_offsets();
      judge_users_of_unnamed();
    }
    return std::move(faults_);
  }

 private:
  [[nodiscard]] static bool has_bytes(const Section& section) {
    return section.type != sht::kNull && section.type != sht::kNobits;
  }
  [[nodiscard]] bool is_inside(const Section& section) const {
    return section.offset <= file_.size() && section.size <= file_.size() - section.offset;
  }
  void judge_extents() {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Section& section = sections_[i];
      if (!has_bytes(section)) continue;
      if (!is_inside(section)) {
        const char* what = section.offset > file_.size() ? "offset" : "region";
        return add("section {}: data {} extends past file end", i, what);
      }
      // Of tables that are read in words; gABI, Sections: nothing aligns sh_offset but their use.
      if (section.type == sht::kDynamic && section.offset % image_.word_size() != 0)
        return add("section {}: section content is not naturally aligned", i);
    }
  }
  [[nodiscard]] const Section& section(std::uint64_t index) const {
    return sections_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const Section& names_section() const { return section(names_index_); }
  /// False when no section can be named.
  [[nodiscard]] bool judge_names() {
    if (has_no_names_) return false;  // gABI, e_shstrndx: SHN_UNDEF
    if (names_index_ == shn::kUndef || names_index_ >= sections_.size()) {
      add("e_shstrndx: string table index out of bounds");
      return false;
    }
    const Section& names = names_section();
    if (!is_inside(names)) return false;
    if (names.size == 0) {
      add("section names: string table size is zero");
      return false;
    }
    const std::uint64_t last = names.offset + names.size - 1;
    if (image_.reader().u8(last) == 0) return true;
    add("section names: string table is not zero terminated");
    return false;
  }
  void judge_name_offsets() {
    const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const Section& other) {
      return other.name_offset >= names_section().size;
    });
    if (found != sections_.end())
      add("section {}: section name offset out of bounds", found - sections_.begin());
  }
  [[nodiscard]] bool is_unnamed(std::uint64_t index) const {
    if (index == 0 || index >= sections_.size() || section(index).type == sht::kNull) return false;
    const Section& names = names_section();
    const std::uint32_t name = section(index).name_offset;
    return name < names.size && image_.reader().u8(names.offset + name) == 0;
  }
  void judge_users_of_unnamed() {
    const std::uint64_t size = sizes_of(image_.header().bits).symbol;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Section& table = sections_[i];
      if (is_unnamed(table.link)) return add("section {} refers to an unnamed section", i);
      if (table.type != sht::kSymtab || !is_inside(table)) continue;
      for (std::uint64_t symbol = 0; symbol < table.size / size; ++symbol) {
        const std::uint64_t at = table.offset + symbol * size + (image_.is_64() ? 6 : 14);
        if (is_unnamed(image_.reader().u16(at)))
          return add("symbol {} of section {} refers to an unnamed section", symbol, i);
      }
    }
  }
  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    faults_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  const ElfImage& image_;
  Bytes file_;
  std::uint64_t names_index_;
  bool has_no_names_ = false;
  std::vector<Section> sections_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> section_header_faults(Bytes file) {
  const ElfImage image(file);
  const std::uint64_t at = image.is_64() ? 60 : 48;  // e_shnum and e_shstrndx
  return SectionJudge(image, image.reader().u16(at), image.reader().u16(at + 2)).run();
}

}  // namespace truewheel::elf
