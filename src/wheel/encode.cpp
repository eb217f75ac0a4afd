// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"
#include "base/deflate_parts.hpp"
#include "base/hash.hpp"
#include "base/mapped_pages.hpp"
#include "base/pieces.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

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

void store(EncodedMember& member, Bytes content, const Encoding& encoding) {
  if (encoding.keeper) {
    member.compressed = content;
    member.owned = encoding.keeper;
    return;
  }
  Buffer copy;
  copy.reserve(content.size());
  for_each_piece(content, [&](Bytes piece) {
    copy.insert(copy.end(), piece.begin(), piece.end());
    if (encoding.used) encoding.used(piece);
  });
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
  for_each_piece(content, [&](Bytes piece) {
    member.crc = crc32(member.crc, piece);
    if (encoding.used) encoding.used(piece);
  });
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
