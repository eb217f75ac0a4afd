// SPDX-License-Identifier: Apache-2.0
//
// Any bytes are a stream or a refusal. A stream spliced after any edit inflates to the edited
// content, and an index that is not the stream's does no harm.
#include "base/deflate.hpp"
#include "base/deflate_splice.hpp"
#include "base/splice_proof.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace truewheel;

constexpr std::size_t kControl = 8;
constexpr std::size_t kMaxContent = 1U << 20U;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::size_t scaled(std::uint8_t part, std::size_t whole) { return whole * part / 255; }

void splice(Bytes control, Bytes stream, const Buffer& content,
            const std::vector<DeflateBlock>& blocks) {
  Buffer edited = content;
  std::vector<ContentRange> changed;
  const int level = control[0] % 10;
  edited.resize(control[1] < 64 ? scaled(static_cast<std::uint8_t>(control[1] * 4), edited.size())
                : control[1] < 128 ? edited.size() + control[1]
                                   : edited.size(),
                control[2]);
  for (std::size_t i = 3; i < 6 && !edited.empty(); ++i) {
    const std::size_t at = std::min(scaled(control[i], edited.size()), edited.size() - 1);
    edited[at] = static_cast<std::uint8_t>(edited[at] ^ (control[i] | 1U));
    changed.push_back({at, at + 1 + control[i] % 3});
  }
  const auto check = [&](const Buffer& spliced) {
    Buffer again(edited.size());
    expect(!inflate_exactly(spliced, again), "libdeflate does not take the spliced stream");
    expect(again == edited, "the spliced stream is not the new content's");
    std::vector<DeflateBlock> new_blocks;
    expect(inflate_and_index(spliced, edited.size(), new_blocks) == edited,
           "the two inflaters differ");
  };
  const auto plan = plan_splice(blocks, content.size(), edited.size(), changed);
  std::vector<std::uint64_t> part_ends;
  Buffer spliced_anyway = write_splice(stream, blocks, edited, plan, level, &part_ends);
  check(spliced_anyway);
  const auto proven = [&] {
    return is_proven(spliced_anyway, part_ends, plan, stream, blocks, edited);
  };
  expect(proven(), "a right splice is not proven");
  auto& one = spliced_anyway[scaled(control[6], spliced_anyway.size() - 1)];
  one = static_cast<std::uint8_t>(one ^ (control[7] | 1U));
  if (proven()) check(spliced_anyway);
  if (const auto spliced = splice_deflate(stream, blocks, edited, content.size(), changed, level)) {
    check(*spliced);
  }
  std::vector<DeflateBlock> odd = blocks;
  DeflateBlock& block = odd[scaled(control[6], odd.size() - 1)];
  const std::array<std::uint64_t*, 4> fields = {&block.first_bit, &block.end_bit,
                                                &block.content_begin, &block.content_end};
  *fields[control[7] % 4] += std::uint64_t{control[7]} << (control[7] % 57);
  block.type = static_cast<DeflateBlockType>(control[7] % 3);
  static_cast<void>(splice_deflate(stream, odd, edited, content.size(), changed, level));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kControl) return 0;
  const Bytes control(data, kControl);
  const Bytes stream(data + kControl, size - kControl);
  Buffer content;
  std::vector<DeflateBlock> blocks;
  try {
    blocks = index_deflate(stream, [&](Bytes piece) {
      content.insert(content.end(), piece.begin(), piece.end());
      if (content.size() > kMaxContent) {
        throw Error(ErrorKind::refused, "fuzz", "more content than a run has time for");
      }
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::refused) throw;
    return 0;
  }
  std::vector<DeflateBlock> same;
  expect(inflate_and_index(stream, content.size(), same) == content, "the contents differ");
  expect(same == blocks, "the indexes differ");
  if (!blocks.empty()) splice(control, stream, content, blocks);
  return 0;
}
