// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"
#include "base/hash.hpp"
#include "base/inflate.hpp"
#include "base/inflate_in_order.hpp"
#include "wheel/inflate_member.hpp"
#include "wheel/zip_fault.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

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
  return packed_bytes(archive, member);
}

void check_crc(std::uint32_t actual, const Member& member) {
  if (actual != member.crc) {
    refuse(ZipFault::content,
           fmt::format("the content's CRC is {:08x}, the headers say {:08x}", actual, member.crc));
  }
}

constexpr std::size_t kStoredPiece = std::size_t{256} * 1024;
constexpr std::size_t kUsedStep = std::size_t{1} << 20U;

template <class Sink>
void in_pieces(Bytes bytes, const Sink& sink) {
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(kStoredPiece, bytes.size()));
    bytes = bytes.subspan(piece.size());
    sink(piece);
  }
}

}  // namespace

Content read_member(Bytes archive, const Member& member, const std::function<void(Bytes)>& sink) {
  return in_member(member.name, [&] {
    const Bytes compressed = compressed_bytes(archive, member);
    std::uint32_t crc = 0;
    const auto pass_on = [&](Bytes piece) {
      crc = crc32(crc, piece);
      if (sink) sink(piece);
    };
    if (member.method == kStored) {
      in_pieces(compressed, pass_on);
      check_crc(crc, member);
      return Content(compressed);
    }
    // Not cleared: each byte is written before it is read, and memory that a false size asks for
    // is never touched.
    const auto size = static_cast<std::size_t>(member.size);
    auto content = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    if (const auto problem = inflate_whole(compressed, {content.get(), size}, nullptr, pass_on)) {
      refuse(ZipFault::content, std::string(*problem));
    }
    check_crc(crc, member);
    return Content(std::move(content), size);
  });
}

std::vector<DeflateBlock> inflate_member(Bytes archive, const Member& member,
                                         std::span<std::uint8_t> room,
                                         const std::function<void(Bytes)>& sink) {
  return in_member(member.name, [&] {
    const Bytes compressed = compressed_bytes(archive, member);
    if (member.method != kDeflate || room.size() != member.size) {
      throw Error(ErrorKind::internal, "inflate-member", "the room is not a deflated member's");
    }
    std::uint32_t crc = 0;
    std::vector<DeflateBlock> blocks;
    const auto pass_on = [&](Bytes piece) {
      crc = crc32(crc, piece);
      if (sink) sink(piece);
    };
    if (const auto problem = inflate_whole(compressed, room, &blocks, pass_on)) {
      refuse(ZipFault::content, std::string(*problem));
    }
    check_crc(crc, member);
    return blocks;
  });
}

std::array<std::uint8_t, 16> first_bytes(Bytes archive, const Member& member) {
  return in_member(member.name, [&] {
    const Bytes compressed = compressed_bytes(archive, member);
    std::array<std::uint8_t, 16> first{};
    if (member.method == kStored) {
      std::copy_n(compressed.begin(), std::min(compressed.size(), first.size()), first.begin());
      return first;
    }
    // The decoder pauses once it is past the bytes that are asked for, a match at most.
    std::array<std::uint8_t, 1024> front{};
    DecoderRoom room{front.data(), front.data(), front.data() + front.size(),
                     front.data() + first.size()};
    static_cast<void>(Inflater(compressed).run(room));
    std::copy_n(front.begin(), first.size(), first.begin());
    return first;
  });
}

namespace {

constexpr std::uint64_t kRestartEvery = std::uint64_t{8} << 20U;

void pass_by(Bytes archive, const Member& member, const std::function<void(Bytes)>& sink,
             const std::function<void(Bytes)>& used, StreamMap* map) {
  in_member(member.name, [&] {
    const Bytes compressed = compressed_bytes(archive, member);
    std::uint32_t crc = 0;
    std::uint64_t left = member.size;
    std::size_t told = 0;
    const auto pass_on = [&](Bytes piece, std::uint64_t consumed) {
      if (piece.size() > left) {
        refuse(ZipFault::content, "the content is longer than the size it is given");
      }
      left -= piece.size();
      crc = crc32(crc, piece);
      sink(piece);
      if (used && consumed - told >= kUsedStep) {
        used(compressed.subspan(told, static_cast<std::size_t>(consumed) - told));
        told = static_cast<std::size_t>(consumed);
      }
    };
    if (member.method == kStored) {
      std::uint64_t consumed = 0;
      in_pieces(compressed, [&](Bytes piece) { pass_on(piece, consumed += piece.size()); });
    } else {
      PiecewiseInflater inflater(compressed, map ? BlockIndex::made : BlockIndex::left_out);
      if (map != nullptr) inflater.keep_restarts(kRestartEvery);
      for (Bytes piece = inflater.next(); !piece.empty(); piece = inflater.next()) {
        pass_on(piece, inflater.consumed());
      }
      if (inflater.problem()) refuse(ZipFault::content, std::string(*inflater.problem()));
      if (left != 0) {
        refuse(ZipFault::content, "the content is shorter than the size it is given");
      }
      if (map != nullptr) *map = {inflater.take_blocks(), inflater.take_restarts()};
    }
    if (used) used(compressed.subspan(told));
    check_crc(crc, member);
  });
}

}  // namespace

void stream_member(Bytes archive, const Member& member, const std::function<void(Bytes)>& sink,
                   const std::function<void(Bytes)>& used) {
  pass_by(archive, member, sink, used, nullptr);
}

void stream_member(Bytes archive, const Member& member, const std::function<void(Bytes)>& sink,
                   const std::function<void(Bytes)>& used, StreamMap& map) {
  pass_by(archive, member, sink, used, &map);
}

void stream_member(Bytes archive, const Member& member, const StreamMap& map, unsigned jobs,
                   const std::function<void(Bytes)>& sink, const std::function<void(Bytes)>& used) {
  in_member(member.name, [&] {
    std::uint32_t crc = 0;
    const auto pass_on = [&](Bytes piece) {
      crc = crc32(crc, piece);
      sink(piece);
    };
    if (const auto problem = inflate_in_order(compressed_bytes(archive, member), member.size,
                                              map.restarts, jobs, pass_on, used)) {
      refuse(ZipFault::content, std::string(*problem));
    }
    check_crc(crc, member);
  });
}

}  // namespace truewheel::wheel
