// SPDX-License-Identifier: Apache-2.0
#include "repair/first_pass.hpp"

#include "base/background_hasher.hpp"
#include "base/hash.hpp"
#include "base/sparse_content.hpp"
#include "wheel/inflate_member.hpp"
#include "wheel/zip_format.hpp"

#include <optional>
#include <utility>

namespace truewheel::repair {
namespace {

/// Members above this size pass by in pieces.
constexpr std::uint64_t kStreamAbove = 32ULL << 20;
/// What is likely to be held of one of them.
constexpr std::uint64_t kStreamCost = 16ULL << 20;
/// What may be edited is held between these sizes. A smaller one is inflated again in no time, and
/// what is kept takes whole pages; a larger one is edited while it passes by once more.
constexpr std::uint64_t kHoldFrom = 512ULL << 10;
constexpr std::uint64_t kHoldUpTo = 64ULL << 20;
/// Mapped pages of the archive that it pays to give back.
constexpr std::uint64_t kDropFrom = 16ULL << 10;

/// From here on a thread of its own does the hashing.
constexpr std::uint64_t kHashBesidesFrom = 24ULL << 20;

BackgroundHasher::Thread hashing_thread(std::uint64_t size, unsigned jobs) {
  return size >= kHashBesidesFrom && jobs != 1 ? BackgroundHasher::Thread::own
                                               : BackgroundHasher::Thread::callers;
}

void look_at_elf(FirstPass& pass, Bytes content) {
  pass.identity = elf::identify(content);
  pass.facts.reset();
  pass.elf_error.reset();
  try {
    const auto kind = elf::classify(content);
    if (kind == elf::FileKind::shared_object || kind == elf::FileKind::pie ||
        kind == elf::FileKind::executable || kind == elf::FileKind::static_executable) {
      pass.facts = std::make_shared<const elf::ElfFacts>(elf::inspect(content));
    }
  } catch (const Error& error) {
    pass.elf_error = error;
  }
}

/// A large member passes by in pieces. Of an ELF file those pages are kept that an inspection is
/// likely to look at; when it looks elsewhere too, the file passes by once more.
FirstPass look_at_passing(const MappedFile& file, const wheel::Member& member, bool may_be_edited,
                          unsigned jobs) {
  constexpr int kMostPasses = 4;
  constexpr std::uint64_t kReadAhead = 1ULL << 20;
  FirstPass pass;
  BackgroundHasher hasher(hashing_thread(member.size, jobs));
  std::optional<SparseContent> kept;
  std::uint64_t offset = 0;
  const auto drop = [&](Bytes used) { file.drop(used); };
  const auto keep = [&](Bytes piece) {
    if (kept) kept->offer(offset, piece);
    offset += piece.size();
  };
  const auto look = [&](Bytes piece) {
    hasher.update(piece);
    if (offset == 0 && elf::has_elf_magic(piece)) {
      kept.emplace(member.size);
      for (const auto& range : elf::likely_ranges(piece, member.size)) {
        kept->want({range.begin, range.end});
      }
    }
    keep(piece);
  };
  if (may_be_edited) {
    pass.held = std::make_shared<HeldContent>();
    wheel::stream_member(file.bytes(), member, look, drop, pass.held->map);
  } else {
    wheel::stream_member(file.bytes(), member, look, drop);
  }
  pass.sha256 = base64url(hasher.finish());
  pass.is_elf = kept.has_value();
  if (!kept) {
    pass.held.reset();
    return pass;
  }
  for (int passes = 1;; ++passes) {
    look_at_elf(pass, kept->bytes());
    const auto missed = kept->missed();
    if (missed.empty()) break;
    // One place leads to the next; who hides many of them gets the whole file looked at.
    if (passes == kMostPasses) kept->want({0, member.size});
    for (const auto& range : missed) kept->want({range.begin, range.end + kReadAhead});
    offset = 0;
    wheel::stream_member(file.bytes(), member, keep, drop);
  }
  if (pass.held) pass.held->sparse = std::move(kept);
  return pass;
}

void drop_compressed(const MappedFile& file, const wheel::Member& member) {
  if (member.compressed_size < kDropFrom) return;
  file.drop(wheel::packed_bytes(file.bytes(), member));
}

FirstPass look_at_and_hold(const MappedFile& file, const wheel::Member& member,
                           std::shared_ptr<HeldContent> held, unsigned jobs) {
  FirstPass pass;
  BackgroundHasher hasher(hashing_thread(member.size, jobs));
  held->map.blocks = wheel::inflate_member(file.bytes(), member, held->content.bytes(),
                                           [&](Bytes piece) { hasher.update(piece); });
  pass.sha256 = base64url(hasher.finish());
  pass.is_elf = true;
  look_at_elf(pass, held->content.bytes());
  pass.held = std::move(held);
  drop_compressed(file, member);
  return pass;
}

/// Null when there is no room for it.
std::shared_ptr<HeldContent> room_for(const wheel::Member& member, HoldBudget& budget) {
  if (!budget.take(member.size)) return nullptr;
  try {
    return std::make_shared<HeldContent>(HeldContent{MappedPages::memory(member.size), {}, {}});
  } catch (const Error&) {
    return nullptr;  // it is only a matter of speed
  }
}

}  // namespace

FirstPass first_pass(const MappedFile& file, const wheel::Member& member, HoldBudget& budget,
                     unsigned jobs) {
  const bool may_be_edited = budget.is_given() && member.method == wheel::kDeflate &&
                             member.size >= kHoldFrom &&
                             elf::has_elf_magic(wheel::first_bytes(file.bytes(), member));
  if (may_be_edited && member.size <= kHoldUpTo && budget.has(member.size)) {
    if (auto held = room_for(member, budget))
      return look_at_and_hold(file, member, std::move(held), jobs);
  }
  if (member.size > kStreamAbove) return look_at_passing(file, member, may_be_edited, jobs);
  FirstPass pass;
  Hasher hasher;
  const auto content =
      wheel::read_member(file.bytes(), member, [&](Bytes piece) { hasher.update(piece); });
  pass.sha256 = base64url(hasher.finish());
  pass.is_elf = elf::has_elf_magic(content.bytes());
  if (pass.is_elf) look_at_elf(pass, content.bytes());
  drop_compressed(file, member);
  return pass;
}

std::uint64_t first_pass_cost(const wheel::Member& member) {
  if (member.size > kStreamAbove) return kStreamCost;
  return member.method == 0 ? 0 : member.size;
}

}  // namespace truewheel::repair
