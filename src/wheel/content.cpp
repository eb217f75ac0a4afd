// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"
#include "base/hash.hpp"
#include "base/inflate.hpp"
#include "wheel/zip_fault.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::wheel {
namespace {

// The member's compressed bytes, after the claims that are checked before anything is inflated or
// allocated.
Bytes compressed_bytes(Bytes archive, const Member& member) {
  if (member.data_offset > archive.size() ||
      member.compressed_size > archive.size() - member.data_offset) {
    refuse(ZipFault::content, "the data runs past the end of the archive");
  }
  if (member.method == kStored ? member.size != member.compressed_size
                               : member.size / kMaxDeflateRatio > member.compressed_size) {
    refuse(ZipFault::content,
           fmt::format("{} bytes cannot become the {} bytes that they are said to",
                       member.compressed_size, member.size));
  }
  if (member.method != kStored && member.method != kDeflate) {
    refuse(ZipFault::content,
           fmt::format("method {} is neither stored nor deflate", member.method));
  }
  return archive.subspan(static_cast<std::size_t>(member.data_offset),
                         static_cast<std::size_t>(member.compressed_size));
}

void check_crc(std::uint32_t actual, const Member& member) {
  if (actual != member.crc) {
    refuse(ZipFault::content,
           fmt::format("the content's CRC is {:08x}, the headers say {:08x}", actual, member.crc));
  }
}

}  // namespace

Content read_member(Bytes archive, const Member& member) {
  return in_member(member.name, [&] {
    const Bytes compressed = compressed_bytes(archive, member);
    if (member.method == kStored) {
      check_crc(crc32(0, compressed), member);
      return Content(compressed);
    }
    Buffer content(static_cast<std::size_t>(member.size));
    if (const auto problem = inflate_exactly(compressed, content)) {
      refuse(ZipFault::content, std::string(*problem));
    }
    check_crc(crc32(0, content), member);
    return Content(std::move(content));
  });
}

void stream_member(Bytes archive, const Member& member, const std::function<void(Bytes)>& sink) {
  constexpr std::size_t kPiece = 1 << 20;
  in_member(member.name, [&] {
    Bytes compressed = compressed_bytes(archive, member);
    std::uint32_t crc = 0;
    const auto pass_on = [&](Bytes piece) {
      crc = crc32(crc, piece);
      sink(piece);
    };
    if (member.method == kStored) {
      while (!compressed.empty()) {
        const Bytes piece = compressed.first(std::min(kPiece, compressed.size()));
        compressed = compressed.subspan(piece.size());
        pass_on(piece);
      }
    } else if (const auto problem = inflate_in_pieces(compressed, member.size, pass_on)) {
      refuse(ZipFault::content, std::string(*problem));
    }
    check_crc(crc, member);
  });
}

}  // namespace truewheel::wheel
