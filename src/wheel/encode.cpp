// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"
#include "base/deflate_parts.hpp"
#include "base/hash.hpp"
#include "base/mapped_pages.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace truewheel::wheel {
namespace {

/// From here on a content is cut into parts, and its compressed form lies in pages of its own.
constexpr std::size_t kLarge = 2 * kDeflatePart;

/// False when that is not smaller.
bool deflate(EncodedMember& member, Bytes content, const Encoding& encoding) {
  if (content.size() < kLarge) {
    auto smaller = deflate_smaller(content, encoding.level);
    if (smaller) member.own(std::move(*smaller));
    return smaller.has_value();
  }
  auto smaller = deflate_in_parts(content, encoding.level, encoding.jobs, encoding.used);
  if (!smaller) return false;
  const auto kept = std::make_shared<const MappedPages>(std::move(*smaller));
  member.compressed = kept->bytes();
  member.owned = kept;
  return true;
}

/// Gives `take` the content in pieces, and says of each when it is done with.
void in_pieces(Bytes content, const std::function<void(Bytes)>& used,
               const std::function<void(Bytes)>& take) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  while (!content.empty()) {
    const Bytes piece = content.first(std::min(kPiece, content.size()));
    content = content.subspan(piece.size());
    take(piece);
    if (used) used(piece);
  }
}

void store(EncodedMember& member, Bytes content, const Encoding& encoding) {
  if (encoding.keeper) {
    member.compressed = content;
    member.owned = encoding.keeper;
    return;
  }
  Buffer copy;
  copy.reserve(content.size());
  in_pieces(content, encoding.used,
            [&](Bytes piece) { copy.insert(copy.end(), piece.begin(), piece.end()); });
  member.own(std::move(copy));
}

}  // namespace

void EncodedMember::own(Buffer bytes) {
  const auto kept = std::make_shared<const Buffer>(std::move(bytes));
  compressed = *kept;
  owned = kept;
}

EncodedMember encode_member(std::string name, bool executable, Bytes content,
                            const Encoding& encoding) {
  if (encoding.level < 0 || encoding.level > 9) {
    throw Error(ErrorKind::internal, "compression-level",
                "the compression level is not one of 0 to 9");
  }
  EncodedMember member;
  member.name = std::move(name);
  member.executable = executable;
  in_pieces(content, encoding.used, [&](Bytes piece) { member.crc = crc32(member.crc, piece); });
  member.size = content.size();
  if (encoding.level != 0 && deflate(member, content, encoding)) {
    member.method = kDeflate;
  } else {
    member.method = kStored;
    store(member, content, encoding);
  }
  return member;
}

}  // namespace truewheel::wheel
