// SPDX-License-Identifier: Apache-2.0
#include "elf/loads.hpp"

#include "base/checked_math.hpp"
#include "elf/file_map.hpp"
#include "elf/format.hpp"
#include "elf/refuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::elf {

namespace {

/// The smallest page of any machine that Linux runs on.
constexpr std::uint64_t kSmallestPage = 4096;
constexpr std::uint64_t kLargestAlign = std::uint64_t{1} << 30;

}  // namespace

void accept_stripped_loads(const Header& header, const std::vector<Section>& sections,
                           std::uint64_t file_size, std::vector<Segment>& segments) {
  const bool is_program =
      header.type == et::kExec || std::any_of(segments.begin(), segments.end(),
                                              [](const auto& s) { return s.type == pt::kInterp; });
  for (Segment& load : segments) {
    if (load.type != pt::kLoad) continue;
    const bool is_congruent = load.align <= 1 || (load.vaddr - load.offset) % load.align == 0;
    if (is_program && load.filesz == 0 && load.memsz == 0 && !is_congruent) load = {};
    // read_sections() gives none where the file does not hold one of them.
    const bool lacks_bytes = load.offset < file_size && load.filesz > file_size - load.offset;
    if (lacks_bytes && load.filesz == load.memsz && !sections.empty())
      load.filesz = load.memsz = file_size - load.offset;
  }
}

void check_loads(const std::vector<Segment>& segments, std::uint64_t file_size) {
  const Segment* previous = nullptr;
  for (const Segment& segment : segments) {
    if (segment.type != pt::kLoad) continue;
    if (segment.filesz > segment.memsz) {
      refuse(
          "elf-load-size",
          fmt::format("a LOAD at {:#x} has more bytes in the file than in memory", segment.vaddr));
    }
    if (checked_add(segment.offset, segment.filesz) > file_size) {
      refuse("elf-truncated",
             fmt::format("a LOAD at {:#x} ends past the file's end", segment.vaddr));
    }
    static_cast<void>(checked_add(segment.vaddr, segment.memsz));
    if (segment.align > 1) {
      if (!is_power_of_two(segment.align) || segment.align > kLargestAlign) {
        refuse("elf-load-align", fmt::format("p_align {:#x} is no alignment", segment.align));
      }
      if ((segment.vaddr - segment.offset) % segment.align != 0) {
        refuse("elf-load-align",
               fmt::format("a LOAD at {:#x} has file offset {:#x}: not congruent modulo {:#x}",
                           segment.vaddr, segment.offset, segment.align));
      }
    }
    if (previous != nullptr) {
      if (segment.vaddr < previous->vaddr) {
        refuse("elf-load-order", "the LOADs do not ascend in address");
      }
      if (segment.vaddr < previous->vaddr + previous->memsz) {
        refuse("elf-load-overlap", fmt::format("two LOADs overlap at {:#x}", segment.vaddr));
      }
    }
    previous = &segment;
  }
}

namespace {

/// The LOAD that such a range ends in or runs over begins where its first page does, or with the
/// bytes that no other LOAD has, if that page is nobody else's.
void extend_over_first_page(std::vector<Segment>& segments, std::uint64_t vaddr,
                            std::uint64_t length, Bytes file, Zeros zeros) {
  for (Segment& load : segments) {
    if (load.type != pt::kLoad || load.filesz == 0 || vaddr >= load.vaddr) continue;
    const std::uint64_t page = align_down(load.vaddr, kSmallestPage);
    std::uint64_t begin = load.offset - std::min(load.offset, load.vaddr - page);
    bool shares_page = false;
    for (const Segment& other : segments) {
      if (other.type != pt::kLoad || &other == &load) continue;
      shares_page = shares_page || (other.vaddr < load.vaddr && other.vaddr + other.memsz > page);
      if (other.offset < load.offset)
        begin = std::max(begin, std::min(load.offset, other.offset + other.filesz));
    }
    const std::uint64_t gain = load.offset - begin, first = load.vaddr - gain;
    if (shares_page || gain == 0 || (vaddr < first && length <= first - vaddr)) continue;
    const std::uint64_t in_range = vaddr < first ? begin : begin + (vaddr - first);
    if (zeros == Zeros::are_padding && is_zero(file, in_range, load.offset)) continue;
    load.vaddr = first;
    load.paddr -= std::min(gain, load.paddr);
    load.offset = begin;
    load.filesz += gain;
    load.memsz += gain;
  }
}

}  // namespace

bool is_writable(const std::vector<Segment>& segments, std::uint64_t vaddr) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& load) {
    return load.type == pt::kLoad && (load.flags & pf::kWrite) != 0 && vaddr >= load.vaddr &&
           vaddr < load.vaddr + load.memsz;
  });
}

void extend_over_pages(std::vector<Segment>& segments, std::uint64_t vaddr, std::uint64_t length,
                       Bytes file, Zeros zeros) {
  extend_over_first_page(segments, vaddr, length, file, zeros);
  for (Segment& load : segments) {
    if (load.type != pt::kLoad || load.filesz == 0 || load.filesz != load.memsz) continue;
    const std::uint64_t load_end = load.vaddr + load.filesz;
    const std::uint64_t page_end = align_up(load_end, kSmallestPage);
    if (vaddr < load.vaddr || vaddr >= page_end) continue;
    std::uint64_t end = std::min(page_end - load.vaddr, file.size() - load.offset);
    for (const Segment& other : segments) {
      if (other.type != pt::kLoad || &other == &load) continue;
      if (other.vaddr >= load_end && align_down(other.vaddr, kSmallestPage) < page_end) return;
      if (other.filesz != 0 && other.offset >= load.offset + load.filesz)
        end = std::min(end, other.offset - load.offset);
    }
    const std::uint64_t inside = vaddr - load.vaddr;
    if (inside >= end) return;
    const std::uint64_t here = std::min(length, end - inside);
    // What is more than that is the next LOAD's.
    const bool goes_on =
        here == length || std::any_of(segments.begin(), segments.end(), [&](const Segment& other) {
          return other.type == pt::kLoad && other.vaddr == load.vaddr + end &&
                 other.offset == load.offset + end;
        });
    if (!goes_on || inside + here <= load.filesz) return;
    const bool is_padding = here == length && zeros == Zeros::are_padding &&
                            is_zero(file, load.offset + load.filesz, load.offset + inside + here);
    if (!is_padding) load.filesz = load.memsz = end;
    return;
  }
}

void join_loads(std::vector<Segment>& segments, std::uint64_t vaddr, std::uint64_t length) {
  for (Segment& load : segments) {
    if (load.type != pt::kLoad || vaddr < load.vaddr || vaddr - load.vaddr >= load.filesz) continue;
    while (length > load.filesz - (vaddr - load.vaddr) && load.filesz == load.memsz) {
      const auto next = std::find_if(segments.begin(), segments.end(), [&](const Segment& other) {
        return other.type == pt::kLoad && other.filesz != 0 && other.flags == load.flags &&
               other.vaddr == load.vaddr + load.filesz && other.offset == load.offset + load.filesz;
      });
      if (next == segments.end()) return;
      load.memsz += next->memsz;
      load.filesz += next->filesz;
      load.align = std::max(load.align, next->align);
      *next = {};
    }
    return;
  }
}

}  // namespace truewheel::elf
