// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_parts.hpp"

#include "base/deflate.hpp"
#include "base/deflate_blocks.hpp"
#include "base/parallel.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace truewheel {
namespace {

/// An empty stored block without its header's three bits: nothing, and its complement (RFC 1951,
/// 3.2.4).
constexpr std::array<std::uint8_t, 4> kEmptyStored{0x00, 0x00, 0xFF, 0xFF};

/// Room for a part of any content and the flush behind it.
std::size_t room_for_part() { return deflate_bound(kDeflatePart) + 1 + kEmptyStored.size(); }

/// Makes a stream one that goes on at a byte's start: its last block is no longer the last one, and
/// an empty stored block follows. The new length.
std::size_t leave_open(std::span<std::uint8_t> room, std::size_t length) {
  // libdeflate does not tell where its last block begins.
  const auto blocks = index_deflate(room.first(length), {});
  if (blocks.empty() || !blocks.back().last) {
    throw Error(ErrorKind::internal, "deflate-part", "a part was compressed to no stream");
  }
  const auto clear = [&](std::uint64_t bit) {
    room[static_cast<std::size_t>(bit / 8)] &= static_cast<std::uint8_t>(~(1U << (bit % 8)));
  };
  clear(blocks.back().first_bit);
  const std::uint64_t end = blocks.back().end_bit;
  for (std::uint64_t bit = end; bit < end + 3; ++bit) clear(bit);
  const auto at = static_cast<std::size_t>((end + 3 + 7) / 8);
  std::copy(kEmptyStored.begin(), kEmptyStored.end(),
            room.begin() + static_cast<std::ptrdiff_t>(at));
  return at + kEmptyStored.size();
}

}  // namespace

std::optional<MappedPages> deflate_in_parts(Bytes content, int level, unsigned jobs,
                                            const std::function<void(Bytes)>& used) {
  const std::size_t count = (content.size() + kDeflatePart - 1) / kDeflatePart;
  if (count == 0) return std::nullopt;
  const std::size_t room = room_for_part();
  auto pages = MappedPages::memory(count * room);
  std::vector<std::size_t> lengths(count);
  parallel_for(
      count, jobs, std::numeric_limits<std::uint64_t>::max(), [](std::size_t) { return 1; },
      [&](std::size_t i) {
        const Bytes rest = content.subspan(i * kDeflatePart);
        const Bytes part = rest.first(std::min(kDeflatePart, rest.size()));
        const auto own = pages.bytes().subspan(i * room, room);
        const std::size_t length = deflate_into(own, part, level);
        lengths[i] = i + 1 == count ? length : leave_open(own, length);
        if (used) used(part);
      });
  std::size_t end = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::memmove(pages.bytes().data() + end, pages.bytes().data() + i * room, lengths[i]);
    end += lengths[i];
  }
  if (end >= content.size()) return std::nullopt;
  pages.resize(end);
  return pages;
}

}  // namespace truewheel
