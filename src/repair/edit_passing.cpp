// SPDX-License-Identifier: Apache-2.0
#include "repair/edit_passing.hpp"

#include "base/hash.hpp"
#include "base/mapped_file.hpp"
#include "base/sparse_content.hpp"
#include "wheel/inflate_member.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace truewheel::repair {
namespace {

/// The edited content, made of pieces of the old one that come in order.
class EditedPieces {
 public:
  EditedPieces(const elf::PatchList& patches, std::function<void(std::uint64_t, Bytes)> sink)
      : patches_(patches), sink_(std::move(sink)) {}

  void put(Bytes piece) {
    const std::uint64_t begin = offset_;
    offset_ += piece.size();
    if (begin >= patches_.keep) return;
    piece = piece.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), patches_.keep - begin)));
    sink_(begin, patched(begin, piece));
  }
  void finish() {
    if (!patches_.tail.empty()) sink_(patches_.keep, patches_.tail);
  }

 private:
  Bytes patched(std::uint64_t begin, Bytes piece) {
    const std::uint64_t end = begin + piece.size();
    // The patches are in order and apart from each other.
    const auto& all = patches_.patches;
    while (next_ < all.size() && all[next_].offset + all[next_].bytes.size() <= begin) ++next_;
    if (next_ == all.size() || all[next_].offset >= end) return piece;
    copy_.assign(piece.begin(), piece.end());
    for (std::size_t i = next_; i < all.size() && all[i].offset < end; ++i) {
      const std::uint64_t from = std::max(all[i].offset, begin);
      const std::uint64_t to = std::min(all[i].offset + all[i].bytes.size(), end);
      const auto part = std::span(all[i].bytes)
                            .subspan(static_cast<std::size_t>(from - all[i].offset),
                                     static_cast<std::size_t>(to - from));
      std::copy(part.begin(), part.end(),
                copy_.begin() + static_cast<std::ptrdiff_t>(from - begin));
    }
    return copy_;
  }

  const elf::PatchList& patches_;
  std::function<void(std::uint64_t, Bytes)> sink_;
  std::uint64_t offset_ = 0;
  std::size_t next_ = 0;
  Buffer copy_;
};

/// Wants of the edited content what its checks look at, and what the splice encodes.
/// False when that is so much that the content may as well be held.
bool want_pages(SparseContent& after, const SparseContent& before, const elf::PatchList& patches,
                std::span<const DeflateBlock> blocks) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20U;
  const std::uint64_t old_size = before.bytes().size();
  std::uint64_t wanted = 0;
  const auto want = [&](std::uint64_t begin, std::uint64_t end) {
    after.want({begin, end});
    wanted += end - begin;
  };
  for (const auto& range : elf::likely_ranges(before.bytes(), old_size)) {
    want(range.begin, range.end);
  }
  for (const auto& range : changed_ranges(patches, old_size)) want(range.begin, range.end);
  for (const auto& part :
       plan_splice(blocks, old_size, after.bytes().size(), changed_ranges(patches, old_size))) {
    if (part.kind == SplicePart::Kind::encoded) {
      want(part.content.begin - std::min(part.content.begin, kDeflateWindow), part.content.end);
    }
  }
  return wanted <= kMost;
}

std::optional<PassedEdit> edit_by_what_was_kept(const ElfSource& source, const elf::ElfEdit& edit,
                                                const Options& options) {
  const auto& member = *source.member;
  const auto& held = *source.held;
  const auto& before = *held.sparse;
  const auto drop = [&](Bytes used) { source.archive->drop(used); };
  PassedEdit result;
  result.patches = elf::plan_edit(before.bytes(), edit);
  if (!before.missed().empty()) return std::nullopt;

  SparseContent after(result.patches.keep + result.patches.tail.size());
  if (!want_pages(after, before, result.patches, held.map.blocks)) return std::nullopt;
  Hasher hasher;
  EditedPieces edited(result.patches, [&](std::uint64_t offset, Bytes piece) {
    hasher.update(piece);
    result.encoded.crc = crc32(result.encoded.crc, piece);
    after.offer(offset, piece);
  });
  wheel::stream_member(
      source.archive->bytes(), member, held.map, options.inspect.jobs,
      [&](Bytes piece) { edited.put(piece); }, drop);
  edited.finish();
  require_sound(before.bytes(), after.bytes(), edit, result.patches);

  const auto stream = wheel::packed_bytes(source.archive->bytes(), member);
  auto spliced = splice_deflate(stream, held.map.blocks, after.bytes(), member.size,
                                changed_ranges(result.patches, member.size),
                                options.compression_level, drop, NotSmaller::taken);
  result.facts = std::make_shared<const elf::ElfFacts>(elf::inspect(after.bytes()));
  // What was read and is not there was zeros to all of the above.
  if (!spliced || !before.missed().empty() || !after.missed().empty()) return std::nullopt;
  result.encoded.method = wheel::kDeflate;
  result.encoded.size = after.bytes().size();
  result.encoded.own(std::move(*spliced));
  result.sha256 = base64url(hasher.finish());
  return result;
}

}  // namespace

std::optional<PassedEdit> edit_passing(const ElfSource& source, const elf::ElfEdit& edit,
                                       const Options& options) {
  // Level 0 asks for no compression at all.
  if (source.held->map.blocks.empty() || options.compression_level == 0) return std::nullopt;
  try {
    return edit_by_what_was_kept(source, edit, options);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    return std::nullopt;
  }
}

}  // namespace truewheel::repair
