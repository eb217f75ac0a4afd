// SPDX-License-Identifier: Apache-2.0
#include "elf/emptied_load.hpp"

#include "elf/format.hpp"
#include "elf/references.hpp"

#include <algorithm>
#include <cstdint>

namespace truewheel::elf {

namespace {

/// Zeros between two tables of a file without section headers that can only be alignment.
constexpr std::uint64_t kLargestAlignmentGap = 16;

class FillingTables {
 public:
  FillingTables(const ElfImage& image, const FileMap& map, const std::vector<Table>& tables,
                const Segment& load)
      : image_(image), map_(map), tables_(tables), load_(load), end_(load.offset + load.filesz) {}

  std::vector<std::size_t> find() {
    if (is_of_linker() || !collect() || !has_only_their_sections() || !has_only_their_segments())
      return {};
    if (find_reference(image_, load_.vaddr, load_.vaddr + load_.memsz)) return {};
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_of_linker() const {
    const Segment* first = image_.find_segment(pt::kLoad);
    const auto holds = [&](std::uint64_t offset) {
      return offset >= load_.offset && offset < end_;
    };
    return first == nullptr || first->vaddr == load_.vaddr || load_.filesz == 0 ||
           load_.filesz != load_.memsz || holds(image_.header().phoff);
  }

  /// The tables inside, if nothing but padding is between them.
  [[nodiscard]] bool collect() {
    std::uint64_t at = load_.offset;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const Table& table = tables_[i];
      if (table.end() <= load_.offset || table.offset >= end_) continue;
      if (table.offset < at || table.end() > end_ || !table.movable || table.shared ||
          table.vaddr - table.offset != load_.vaddr - load_.offset ||
          !is_padding(at, table.offset)) {
        return false;
      }
      found_.push_back(i);
      at = table.end();
    }
    return !found_.empty() && is_padding(at, end_);
  }

  /// What no section has is left from earlier edits: patchelf's LOADs hold copies of the section
  /// headers, eu-strip puts an unloaded section right behind .dynstr. Without sections only a few
  /// zeros are known to be nothing.
  [[nodiscard]] bool is_padding(std::uint64_t begin, std::uint64_t end) const {
    if (sections_agree(image_)) return true;
    const std::uint64_t gap = image_.distrusts_sections() ? 1 : kLargestAlignmentGap;
    return end - begin < gap && map_.is_zero(begin, end);
  }

  [[nodiscard]] bool is_in_table(std::uint64_t begin, std::uint64_t end) const {
    return std::any_of(found_.begin(), found_.end(), [&](std::size_t index) {
      return begin >= tables_[index].offset && end <= tables_[index].end();
    });
  }

  [[nodiscard]] bool has_only_their_sections() const {
    return std::all_of(
        image_.sections().begin(), image_.sections().end(), [&](const Section& section) {
          const bool counts = (section.flags & shf::kAlloc) != 0 && section.size != 0 &&
                              section.addr >= load_.vaddr &&
                              section.addr < load_.vaddr + load_.memsz;
          return !counts || is_in_table(section.offset, section.offset + section.size);
        });
  }

  /// Only such as follow their tables.
  [[nodiscard]] bool has_only_their_segments() const {
    return std::all_of(
        image_.segments().begin(), image_.segments().end(), [&](const Segment& other) {
          if (other.type == pt::kLoad || other.type == pt::kNull || other.filesz == 0) return true;
          if (other.offset + other.filesz <= load_.offset || other.offset >= end_) return true;
          return (other.type == pt::kDynamic || other.type == pt::kInterp ||
                  other.type == pt::kNote || other.type == pt::kGnuProperty) &&
                 is_in_table(other.offset, other.offset + other.filesz);
        });
  }

  const ElfImage& image_;
  const FileMap& map_;
  const std::vector<Table>& tables_;
  const Segment& load_;
  std::uint64_t end_;
  std::vector<std::size_t> found_;
};

}  // namespace

std::vector<std::size_t> tables_that_fill(const ElfImage& image, const FileMap& map,
                                          const std::vector<Table>& tables, const Segment& load) {
  return FillingTables(image, map, tables, load).find();
}

}  // namespace truewheel::elf
