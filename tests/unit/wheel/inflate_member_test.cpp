// SPDX-License-Identifier: Apache-2.0
#include "wheel/inflate_member.hpp"

#include "base/byte_reader.hpp"
#include "support/zip_builder.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

namespace truewheel::wheel {
namespace {

using namespace test;

struct One {
  std::string archive;
  Member member;
};

One archive_of(const ZipItem& item) {
  ZipBuilder zip;
  zip.items.push_back(item);
  One one{zip.build(), {}};
  one.member = scan(as_bytes(one.archive)).members.at(0);
  return one;
}

std::string id_of(const auto& read) {
  try {
    read();
    return "taken";
  } catch (const Error& error) {
    CHECK(error.where() == "member");
    return error.id();
  }
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

std::string front_of(const One& one) {
  const auto first = first_bytes(as_bytes(one.archive), one.member);
  return std::string(as_text(Bytes(first.data(), first.size())));
}

}  // namespace

TEST_CASE("a member is inflated into its room, told in pieces, with the blocks of its stream") {
  const std::string text = numbers(60'000);
  const One one = archive_of(deflated_item("member", text));
  Buffer room(text.size());
  std::string told;
  const auto blocks = inflate_member(as_bytes(one.archive), one.member, room,
                                     [&](Bytes piece) { told += as_text(piece); });
  CHECK(as_text(room) == text);
  CHECK(told == text);
  REQUIRE(blocks.size() > 1);
  CHECK(blocks.front().first_bit == 0);
  CHECK(blocks.front().content_begin == 0);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    CHECK(blocks[i].first_bit == blocks[i - 1].end_bit);
    CHECK(blocks[i].content_begin == blocks[i - 1].content_end);
  }
  CHECK(blocks.back().content_end == text.size());
  CHECK(blocks.back().last);
}

TEST_CASE("a damaged stream or another CRC is refused, and the member named") {
  const std::string text = numbers(100);
  const auto ignored = [](Bytes) {};
  Buffer room(text.size());
  ZipItem damaged = deflated_item("member", text);
  damaged.data[0] = '\x07';  // a block of the type that there is not
  const One broken = archive_of(damaged);
  CHECK(id_of([&] {
          static_cast<void>(inflate_member(as_bytes(broken.archive), broken.member, room, ignored));
        }) == "zip-content");
  ZipItem changed = deflated_item("member", text);
  changed.local.crc ^= 1;
  changed.central.crc ^= 1;
  const One other = archive_of(changed);
  CHECK(id_of([&] {
          static_cast<void>(inflate_member(as_bytes(other.archive), other.member, room, ignored));
        }) == "zip-content");
}

TEST_CASE(
    "a member passes by on several threads as it did the first time, and is refused if it "
    "changed") {
  const std::string text = numbers(900'000);  // 6 MB: more than one place to go on from
  const One one = archive_of(deflated_item("member", text));
  StreamMap map;
  const auto ignored = [](Bytes) {};
  stream_member(as_bytes(one.archive), one.member, ignored, ignored, map);
  REQUIRE(map.blocks.size() > 1);
  for (const unsigned jobs : {1U, 3U}) {
    std::string again;
    stream_member(
        as_bytes(one.archive), one.member, map, jobs, [&](Bytes piece) { again += as_text(piece); },
        ignored);
    CHECK(again == text);
    const auto id = [&](const std::string& archive, const Member& member) {
      return id_of([&] { stream_member(as_bytes(archive), member, map, jobs, ignored, ignored); });
    };
    Member other = one.member;
    other.crc ^= 1;
    CHECK(id(one.archive, other) == "zip-content");
    std::string damaged = one.archive;
    damaged[static_cast<std::size_t>(one.member.data_offset + one.member.compressed_size / 2)] ^=
        16;
    CHECK(id(damaged, one.member) == "zip-content");
  }
}

TEST_CASE("a room of another size, or for a stored member, is a fault of the caller") {
  const std::string text = numbers(100);
  const One deflated = archive_of(deflated_item("member", text));
  const One stored = archive_of(stored_item("member", text));
  Buffer small(text.size() - 1), room(text.size());
  const auto id = [&](const One& one, Buffer& bytes) {
    return id_of([&] {
      static_cast<void>(inflate_member(as_bytes(one.archive), one.member, bytes, [](Bytes) {}));
    });
  };
  CHECK(id(deflated, small) == "inflate-member");
  CHECK(id(stored, room) == "inflate-member");
}

TEST_CASE("the first bytes of a member are those of its content, with zeros behind its end") {
  const std::string text = numbers(5000);
  CHECK(front_of(archive_of(stored_item("member", text))) == text.substr(0, 16));
  CHECK(front_of(archive_of(deflated_item("member", text))) == text.substr(0, 16));
  CHECK(front_of(archive_of(stored_item("member", "short"))) == "short" + std::string(11, '\0'));
  CHECK(front_of(archive_of(stored_item("member", ""))) == std::string(16, '\0'));
  // A match of 258 bytes starts within them.
  const std::string same(5000, 's');
  CHECK(front_of(archive_of(deflated_item("member", same))) == same.substr(0, 16));
}

}  // namespace truewheel::wheel
