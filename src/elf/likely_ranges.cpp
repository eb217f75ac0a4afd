// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "elf/format.hpp"
#include <truewheel/elf.hpp>

#include <algorithm>

namespace truewheel::elf {
namespace {

// Linkers put the dynamic symbols, their strings and their versions first; a tool that moved them
// put them last.
constexpr std::uint64_t kHead = std::uint64_t{8} << 20U;
constexpr std::uint64_t kMostOfOne = std::uint64_t{4} << 20U;
// Section names stand before the section headers.
constexpr std::uint64_t kBeforeSections = std::uint64_t{64} << 10U;

}  // namespace

std::vector<FileRange> likely_ranges(Bytes head, std::uint64_t size) {
  std::vector<FileRange> ranges{{0, std::min(kHead, size)}};
  const auto add = [&](std::uint64_t begin, std::uint64_t length) {
    if (begin < size)
      ranges.push_back({begin, begin + std::min({length, kMostOfOne, size - begin})});
  };
  const auto identity = identify(head);
  if (!identity) return ranges;
  const bool is_64 = identity->bits == 64;
  const ByteReader reader(head, identity->little_endian ? ByteOrder::little : ByteOrder::big);
  const auto word = [&](std::uint64_t offset) {
    return is_64 ? reader.u64(offset) : reader.u32(offset);
  };
  // Where e_phoff and e_phnum, p_offset and p_filesz stand in each class.
  const Sizes& sizes = sizes_of(identity->bits);
  const std::uint64_t first = word(is_64 ? 32 : 28);
  const std::uint64_t sections = word(is_64 ? 40 : 32);
  const std::uint16_t count = reader.u16(is_64 ? 56 : 44);
  std::uint64_t last_load = 0;
  std::uint64_t last_load_size = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = first + i * sizes.segment;
    if (at > head.size() || sizes.segment > head.size() - at) break;
    const std::uint32_t type = reader.u32(at);
    const std::uint64_t offset = word(at + (is_64 ? 8 : 4));
    const std::uint64_t length = word(at + (is_64 ? 32 : 16));
    if (type == pt::kDynamic || type == pt::kInterp || type == pt::kNote) add(offset, length);
    if (type == pt::kLoad && offset >= last_load) {
      last_load = offset;
      last_load_size = length;
    }
  }
  add(last_load, last_load_size);
  add(sections - std::min(sections, kBeforeSections), kMostOfOne);
  return ranges;
}

}  // namespace truewheel::elf
