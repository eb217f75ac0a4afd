// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"
#include "base/hash.hpp"
#include "base/mapped_pages.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <memory>
#include <utility>

namespace truewheel::wheel {
namespace {

/// False when that is not smaller.
bool deflate(EncodedMember& member, Bytes content, int level) {
  // From here on pages of their own: shortening them copies nothing.
  constexpr std::size_t kLarge = std::size_t{8} << 20U;
  if (content.size() < kLarge) {
    auto smaller = deflate_smaller(content, level);
    if (smaller) member.own(std::move(*smaller));
    return smaller.has_value();
  }
  auto pages = MappedPages::memory(content.size() - 1);
  const std::size_t length = deflate_into(pages.bytes(), content, level);
  if (length == 0) return false;
  pages.resize(length);
  const auto owned = std::make_shared<const MappedPages>(std::move(pages));
  member.compressed = owned->bytes();
  member.owned = owned;
  return true;
}

}  // namespace

void EncodedMember::own(Buffer bytes) {
  const auto kept = std::make_shared<const Buffer>(std::move(bytes));
  compressed = *kept;
  owned = kept;
}

EncodedMember encode_member(std::string name, bool executable, Bytes content, int level,
                            std::shared_ptr<const void> keeper) {
  if (level < 0 || level > 9) {
    throw Error(ErrorKind::internal, "compression-level",
                "the compression level is not one of 0 to 9");
  }
  EncodedMember member;
  member.name = std::move(name);
  member.executable = executable;
  member.crc = crc32(0, content);
  member.size = content.size();
  if (level != 0 && deflate(member, content, level)) {
    member.method = kDeflate;
    return member;
  }
  member.method = kStored;
  if (keeper) {
    member.compressed = content;
    member.owned = std::move(keeper);
  } else {
    member.own(Buffer(content.begin(), content.end()));
  }
  return member;
}

}  // namespace truewheel::wheel
