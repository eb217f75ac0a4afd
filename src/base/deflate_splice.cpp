// SPDX-License-Identifier: Apache-2.0
#include "base/deflate_splice.hpp"

#include "base/bit_writer.hpp"
#include "base/deflate_run.hpp"
#include "base/splice_proof.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <utility>

namespace truewheel {
namespace {

constexpr std::uint64_t kMaxStoredBlock = 65535;

// Whether the index can be this stream's: everything that copying relies on.
bool describes(std::span<const DeflateBlock> blocks, Bytes stream, std::uint64_t old_size) {
  constexpr std::uint64_t kSmallestBlock = 10;  // an empty one with the fixed codes
  std::uint64_t bit = 0;
  std::uint64_t content = 0;
  for (const DeflateBlock& block : blocks) {
    if (block.first_bit != bit || block.content_begin != content) return false;
    if (block.end_bit < bit || block.end_bit - bit < kSmallestBlock) return false;
    if (block.end_bit > std::uint64_t{8} * stream.size()) return false;
    if (block.content_end < content) return false;
    if (block.type == DeflateBlockType::stored && block.content_end - content > kMaxStoredBlock) {
      return false;
    }
    if (block.last != (&block == &blocks.back())) return false;
    bit = block.end_bit;
    content = block.content_end;
  }
  return !blocks.empty() && content == old_size;
}

// Sorted, apart from each other, inside the new content and none empty.
std::vector<ContentRange> normalized(std::vector<ContentRange> ranges, std::uint64_t new_size) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ContentRange& a, const ContentRange& b) { return a.begin < b.begin; });
  std::vector<ContentRange> result;
  for (ContentRange range : ranges) {
    if (range.begin > range.end) {
      throw Error(ErrorKind::internal, "splice-range", "a changed range ends before it begins");
    }
    range.end = std::min(range.end, new_size);
    if (range.begin >= range.end) continue;
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

void add_part(std::vector<SplicePart>& plan, SplicePart part) {
  if (plan.empty() || plan.back().kind != part.kind) {
    plan.push_back(part);
  } else {
    plan.back().content.end = part.content.end;
    plan.back().end_block = part.end_block;
  }
}

// A stored block says its content after padding to a byte, so it cannot be copied to another bit of
// a byte, only said again.
void put_stored(BitWriter& out, Bytes content, EndsStream ends_stream) {
  constexpr unsigned kStoredType = 0;
  out.put(ends_stream == EndsStream::yes ? 1 : 0, 1);
  out.put(kStoredType, 2);
  out.align();
  const auto length = static_cast<unsigned>(content.size());
  out.put(length, 16);
  out.put(~length, 16);
  out.append(content);
}

// Copies blocks that lie one behind the other, all bits but BFINAL of the last one: the only one
// that may end the new stream, or that ended the old one.
void copy_bits(BitWriter& out, Bytes stream, std::span<const DeflateBlock> blocks,
               EndsStream ends_stream) {
  const DeflateBlock& last = blocks.back();
  out.copy(stream, blocks.front().first_bit, last.first_bit);
  out.put(ends_stream == EndsStream::yes ? 1 : 0, 1);
  out.copy(stream, last.first_bit + 1, last.end_bit);
}

// At the same bit of a byte all of them can be copied, stored blocks too; else what precedes the
// next stored block, behind which old and new stand at the same bit again.
void copy_at_once(BitWriter& out, Bytes stream, std::span<const DeflateBlock> blocks,
                  EndsStream ends_stream) {
  const auto is_stored = [](const DeflateBlock& block) {
    return block.type == DeflateBlockType::stored;
  };
  while (!blocks.empty()) {
    const DeflateBlock& block = blocks.front();
    std::size_t count = blocks.size();
    if (out.position() % 8 != block.first_bit % 8) {
      count = static_cast<std::size_t>(std::find_if(blocks.begin(), blocks.end(), is_stored) -
                                       blocks.begin());
    }
    const bool says_again = count == 0;
    count = std::max<std::size_t>(1, count);
    const auto ends_here = count == blocks.size() ? ends_stream : EndsStream::no;
    if (says_again) {
      put_stored(out, stored_bytes(stream, block), ends_here);
    } else {
      copy_bits(out, stream, blocks.first(count), ends_here);
    }
    blocks = blocks.subspan(count);
  }
}

void copy_blocks(BitWriter& out, Bytes stream, std::span<const DeflateBlock> blocks,
                 EndsStream ends_stream, const StreamUsed& used) {
  while (!blocks.empty()) {
    const auto some = blocks.first(blocks_at_once(blocks));
    blocks = blocks.subspan(some.size());
    copy_at_once(out, stream, some, blocks.empty() ? ends_stream : EndsStream::no);
    // Not block by block: the kernel maps what is around a page together with it.
    if (used) used(bytes_of(stream, some));
  }
}

// Compressing all of the content anew takes libdeflate about a third of the time that zlib takes,
// and gives a better ratio.
bool pays(std::span<const SplicePart> plan, std::uint64_t new_size) {
  std::uint64_t encoded = 0;
  for (const SplicePart& part : plan) {
    if (part.kind == SplicePart::Kind::encoded) encoded += part.content.end - part.content.begin;
  }
  return encoded <= new_size / 3;
}

}  // namespace

std::size_t blocks_at_once(std::span<const DeflateBlock> blocks) {
  constexpr std::uint64_t kBits = std::uint64_t{8} << 23U;  // 8 MiB
  const auto end = std::partition_point(blocks.begin(), blocks.end(), [&](const auto& block) {
    return block.end_bit - blocks.front().first_bit <= kBits;
  });
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - blocks.begin()));
}

Bytes bytes_of(Bytes stream, std::span<const DeflateBlock> blocks) {
  const auto begin = static_cast<std::size_t>(blocks.front().first_bit / 8);
  return stream.subspan(begin, static_cast<std::size_t>(blocks.back().end_bit / 8) - begin);
}

Bytes stored_bytes(Bytes stream, const DeflateBlock& block) {
  const std::uint64_t begin = (block.first_bit + 3 + 7) / 8 + 4;
  const std::uint64_t length = block.content_end - block.content_begin;
  if (begin > stream.size() || length > stream.size() - begin) return {};
  return stream.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(length));
}

std::vector<SplicePart> plan_splice(std::span<const DeflateBlock> blocks, std::uint64_t old_size,
                                    std::uint64_t new_size, std::vector<ContentRange> changed) {
  const std::vector<ContentRange> ranges = normalized(std::move(changed), new_size);
  std::vector<SplicePart> plan;
  auto range = ranges.begin();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const DeflateBlock& block = blocks[i];
    if (new_size < old_size && block.content_begin >= new_size) break;
    const std::uint64_t reach = block.content_begin - std::min(block.content_begin, kDeflateWindow);
    while (range != ranges.end() && range->end <= reach) ++range;
    const bool touched =
        (range != ranges.end() && range->begin < block.content_end) || block.content_end > new_size;
    add_part(plan, {touched ? SplicePart::Kind::encoded : SplicePart::Kind::copied,
                    {block.content_begin, std::min(block.content_end, new_size)},
                    touched ? 0 : i,
                    touched ? 0 : i + 1});
  }
  if (new_size > old_size) {
    add_part(plan, {SplicePart::Kind::encoded, {old_size, new_size}, 0, 0});
  }
  // Nothing is left, and that has to be said too.
  if (plan.empty()) plan.push_back({SplicePart::Kind::encoded, {0, 0}, 0, 0});
  return plan;
}

Buffer write_splice(Bytes stream, std::span<const DeflateBlock> blocks, Bytes new_content,
                    std::span<const SplicePart> plan, int level,
                    std::vector<std::uint64_t>* part_ends, const StreamUsed& used) {
  DeflateRunEncoder encoder(level);
  std::size_t room = stream.size() + 1;
  for (const SplicePart& part : plan) {
    if (part.kind == SplicePart::Kind::encoded) {
      room += encoder.bound(part.content.end - part.content.begin);
    }
  }
  BitWriter out(room);
  for (const SplicePart& part : plan) {
    const EndsStream ends_stream = &part == &plan.back() ? EndsStream::yes : EndsStream::no;
    if (part.kind == SplicePart::Kind::encoded) {
      encoder.encode(out, new_content, part.content, ends_stream);
    } else {
      copy_blocks(out, stream, blocks.subspan(part.first_block, part.end_block - part.first_block),
                  ends_stream, used);
    }
    if (part_ends != nullptr) part_ends->push_back(out.position());
  }
  return out.finish();
}

std::optional<Buffer> splice_deflate(Bytes stream, const std::vector<DeflateBlock>& blocks,
                                     Bytes new_content, std::uint64_t old_size,
                                     std::vector<ContentRange> changed, int level,
                                     const StreamUsed& used, NotSmaller not_smaller) {
  if (!describes(blocks, stream, old_size)) return std::nullopt;
  const std::vector<SplicePart> plan =
      plan_splice(blocks, old_size, new_content.size(), std::move(changed));
  const bool all_copied = plan.size() == 1 && plan.front().kind == SplicePart::Kind::copied &&
                          new_content.size() == old_size;
  if (all_copied) return Buffer(stream.begin(), stream.end());
  if (!pays(plan, new_content.size())) return std::nullopt;
  std::vector<std::uint64_t> part_ends;
  Buffer spliced = write_splice(stream, blocks, new_content, plan, level, &part_ends, used);
  // What is not smaller than its content is better stored.
  if (spliced.size() >= new_content.size() && not_smaller == NotSmaller::refused) {
    return std::nullopt;
  }
  if (!is_proven(spliced, part_ends, plan, stream, blocks, new_content, used)) return std::nullopt;
  return spliced;
}

}  // namespace truewheel
