// SPDX-License-Identifier: Apache-2.0
#include "check/large_member.hpp"

#include "base/deflate_index.hpp"
#include "base/hash.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"
#include "elf/payload.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace truewheel::check {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;  ///< begin and end, in the file

/// Zeros that take memory only where something is written.
class SparseBuffer {
 public:
  explicit SparseBuffer(std::size_t size) : size_(size) {
    void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::uint8_t*>(at);
  }
  ~SparseBuffer() { ::munmap(data_, size_); }
  SparseBuffer(const SparseBuffer&) = delete;
  SparseBuffer& operator=(const SparseBuffer&) = delete;
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

constexpr std::uint64_t kHead = 64 << 10;
constexpr std::uint64_t kMaxTail = 8 << 20;
/// Sections smaller than this are read whatever they are: .interp, notes, version tables.
constexpr std::uint64_t kSmall = 64 << 10;

/// What the headers say a loader's tables are.
std::vector<Range> wanted_ranges(const elf::ElfImage& image) {
  namespace pt = elf::pt;
  namespace sht = elf::sht;
  std::vector<Range> ranges;
  for (const auto& segment : image.segments()) {
    if (segment.type == pt::kLoad || segment.filesz > kMaxTail) continue;
    ranges.emplace_back(segment.offset, segment.offset + segment.filesz);
  }
  constexpr std::array kTables = {sht::kDynsym,    sht::kHash,       sht::kGnuHash, sht::kGnuVersym,
                                  sht::kGnuVerdef, sht::kGnuVerneed, sht::kDynamic, sht::kStrtab};
  for (const auto& section : image.sections()) {
    if (section.type == sht::kNobits) continue;
    const bool is_table = std::find(kTables.begin(), kTables.end(), section.type) != kTables.end();
    // Static symbols' names are not loaded, and can be as large as all the rest.
    const bool is_loaded = (section.flags & elf::shf::kAlloc) != 0;
    if (section.size <= kSmall || (is_table && is_loaded)) {
      ranges.emplace_back(section.offset, section.offset + section.size);
    }
  }
  const auto size = static_cast<std::uint64_t>(image.file().size());
  std::erase_if(ranges, [&](const Range& range) {
    return range.first >= range.second || range.second > size;
  });
  std::sort(ranges.begin(), ranges.end());
  // Neighbours are read in one go.
  std::vector<Range> merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().second + kSmall) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

/// True when every table that the dynamic section names lies in a part that was read.
bool covers_dynamic_section(const elf::ElfImage& image, const std::vector<Range>& read) {
  namespace dt = elf::dt;
  for (const auto tag : {dt::kStrTab, dt::kSymTab, dt::kHash, dt::kGnuHash, dt::kVerSym,
                         dt::kVerDef, dt::kVerNeed}) {
    const auto address = image.dynamic_value(tag);
    if (!address) continue;
    const auto offset = image.offset_of(*address);
    if (!offset || std::none_of(read.begin(), read.end(), [&](const Range& range) {
          return range.first <= *offset && *offset < range.second;
        })) {
      return false;
    }
  }
  return !image.dynamic().empty();
}

/// The bytes of a piece, which stands at `at` in its file, that are in the range.
Bytes part_of(std::uint64_t at, Bytes piece, const Range& range) {
  const auto begin = std::max(at, range.first);
  const auto end = std::min(at + piece.size(), range.second);
  if (begin >= end) return {};
  return piece.subspan(static_cast<std::size_t>(begin - at), static_cast<std::size_t>(end - begin));
}

/// Puts them where they stand in the file.
void keep(std::uint64_t at, Bytes piece, const Range& range, std::span<std::uint8_t> file) {
  const Bytes part = part_of(at, piece, range);
  if (part.empty()) return;
  std::memcpy(file.data() + std::max(at, range.first), part.data(), part.size());
}

constexpr Range kHeadRange{0, kHead};
/// Where section headers are as a rule.
Range tail_of(const wheel::Member& member) {
  return {member.size - std::min(member.size, kMaxTail), member.size};
}

}  // namespace

bool inspect_large_member(Bytes archive, const wheel::Member& member, const Options& options,
                          Inspected& inspected) {
  const Bytes compressed = wheel::packed_bytes(archive, member);
  const SparseBuffer content(static_cast<std::size_t>(member.size));
  const auto bytes = content.bytes();

  // Everything once, for its digest; the head and, where they are last, the section headers stay.
  InflateIndex index;
  Hasher hasher;
  std::uint32_t crc = 0;
  std::uint64_t at = 0;
  const auto problem = index.build(compressed, member.size, [&](Bytes piece) {
    hasher.update(piece);
    crc = crc32(crc, piece);
    keep(at, piece, kHeadRange, bytes);
    keep(at, piece, tail_of(member), bytes);
    at += piece.size();
  });
  if (problem || crc != member.crc) return false;  // the ordinary way says what is wrong

  const auto read = [&](const std::vector<Range>& ranges) {
    return std::all_of(ranges.begin(), ranges.end(), [&](const Range& range) {
      return index.read(compressed, range.first,
                        bytes.subspan(static_cast<std::size_t>(range.first),
                                      static_cast<std::size_t>(range.second - range.first)));
    });
  };
  try {
    const elf::ElfImage headers{Bytes(bytes)};
    if (headers.sections().empty()) return false;
    auto ranges = wanted_ranges(headers);
    if (!read(ranges)) return false;
    if (!covers_dynamic_section(elf::ElfImage{Bytes(bytes)}, ranges)) return false;
  } catch (const Error&) {
    return false;
  }
  inspected.member.sha256 = base64url(hasher.finish());
  inspect_content(Bytes(bytes), options, inspected);
  return true;
}

std::string payload_of_large_member(Bytes archive, const wheel::Member& member) {
  const SparseBuffer headers(static_cast<std::size_t>(member.size));
  const auto stream = [&](const std::function<void(std::uint64_t at, Bytes piece)>& sink) {
    std::uint64_t at = 0;
    wheel::stream_member(archive, member, [&](Bytes piece) {
      sink(at, piece);
      at += piece.size();
    });
  };
  stream([&](std::uint64_t at, Bytes piece) {
    keep(at, piece, kHeadRange, headers.bytes());
    keep(at, piece, tail_of(member), headers.bytes());
  });
  const auto ranges = elf::payload_ranges(elf::ElfImage{Bytes(headers.bytes())});
  if (ranges.empty()) return {};
  Hasher hasher;
  stream([&](std::uint64_t at, Bytes piece) {
    for (const auto& range : ranges) {
      const Bytes part = part_of(at, piece, range);
      if (!part.empty()) hasher.update(part);
    }
  });
  return hex(hasher.finish());
}

}  // namespace truewheel::check
