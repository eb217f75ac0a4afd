// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "support/zip_builder.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

namespace truewheel::wheel {
namespace {

using namespace test;

std::string streamed(const std::string& archive, const Member& member) {
  std::string content;
  stream_member(as_bytes(archive), member, [&](Bytes piece) { content += as_text(piece); });
  return content;
}

// Both ways of reading must refuse the one member of the archive, and name it.
void check_refused(const ZipItem& item) {
  ZipBuilder zip;
  zip.items.push_back(item);
  const std::string archive = zip.build();
  const auto members = scan(as_bytes(archive)).members;
  REQUIRE(members.size() == 1);
  const auto id_of = [&](const auto& read) -> std::string {
    try {
      read();
      return "taken";
    } catch (const Error& error) {
      CHECK(error.where() == item.central.name);
      return error.id();
    }
  };
  CHECK(id_of([&] { static_cast<void>(read_member(as_bytes(archive), members[0])); }) ==
        "zip-content");
  CHECK(id_of([&] { static_cast<void>(streamed(archive, members[0])); }) == "zip-content");
}

void set_sizes(ZipItem& item, std::size_t size) {
  for (ZipHeader* header : {&item.local, &item.central}) {
    header->compressed_size = static_cast<std::uint32_t>(item.data.size());
    header->size = static_cast<std::uint32_t>(size);
  }
}

const std::string kText = std::string(5000, 'a') + "end" + std::string(5000, 'b');

}  // namespace

TEST_CASE("read_member and stream_member give the same content") {
  ZipBuilder zip;
  std::string large;
  for (int i = 0; i < 200'000; ++i) large += std::to_string(i * 7919) + "\n";
  zip.items.push_back(stored_item("stored", large));
  zip.items.push_back(deflated_item("deflated", large));
  zip.items.push_back(stored_item("empty", ""));
  const std::string archive = zip.build();
  for (const auto& member : scan(as_bytes(archive)).members) {
    const Content content = read_member(as_bytes(archive), member);
    CHECK(as_text(content.bytes()) == (member.size == 0 ? "" : large));
    CHECK(streamed(archive, member) == as_text(content.bytes()));
  }
}

TEST_CASE("a stored member is a view of the archive") {
  ZipBuilder zip = small_archive();
  const std::string archive = zip.build();
  const auto members = scan(as_bytes(archive)).members;
  const Content content = read_member(as_bytes(archive), members[0]);
  CHECK(content.bytes().data() == as_bytes(archive).data() + members[0].data_offset);
}

TEST_CASE("content stays where it is when its holder moves") {
  ZipBuilder zip = small_archive();
  const std::string archive = zip.build();
  Content first = read_member(as_bytes(archive), scan(as_bytes(archive)).members[1]);
  const auto* data = first.bytes().data();
  const Content second = std::move(first);
  CHECK(second.bytes().data() == data);
  CHECK(second.bytes().size() == 800);
}

TEST_CASE("content that is not what its headers say is refused") {
  SUBCASE("another CRC in both headers, stored") {
    auto item = stored_item("m", "text");
    item.local.crc = item.central.crc = 1;
    check_refused(item);
  }
  SUBCASE("another CRC in both headers, deflated") {
    auto item = deflated_item("m", kText);
    item.local.crc = item.central.crc = 1;
    check_refused(item);
  }
  SUBCASE("a CRC of zero with content") {
    auto item = stored_item("m", "text");
    item.local.crc = item.central.crc = 0;
    check_refused(item);
  }
  SUBCASE("a CRC on an empty file") {
    auto item = stored_item("m", "");
    item.local.crc = item.central.crc = 7;
    check_refused(item);
  }
  SUBCASE("a size smaller than what is inflated") {
    auto item = deflated_item("m", kText);
    set_sizes(item, kText.size() - 1);
    check_refused(item);
  }
  SUBCASE("a size larger than what is inflated") {
    auto item = deflated_item("m", kText);
    set_sizes(item, kText.size() + 1);
    check_refused(item);
  }
  SUBCASE("a size of zero for a stream that holds something") {
    auto item = deflated_item("m", kText);
    item.local.crc = item.central.crc = 0;
    set_sizes(item, 0);
    check_refused(item);
  }
  SUBCASE("a stream that ends early") {
    auto item = deflated_item("m", kText);
    item.data.pop_back();
    set_sizes(item, kText.size());
    check_refused(item);
  }
  SUBCASE("a byte behind the final block") {
    auto item = deflated_item("m", kText);
    item.data += '\0';
    set_sizes(item, kText.size());
    check_refused(item);
  }
  SUBCASE("two streams") {
    auto item = deflated_item("m", kText);
    item.data += item.data;
    set_sizes(item, kText.size());
    check_refused(item);
  }
  SUBCASE("no stream at all") {
    auto item = deflated_item("m", kText);
    item.data.clear();
    set_sizes(item, 0);
    check_refused(item);
  }
  SUBCASE("a block type that does not exist") {
    auto item = deflated_item("m", kText);
    item.data = "\x07";
    set_sizes(item, 5);
    check_refused(item);
  }
  SUBCASE("a distance before the start") {
    // Fixed Huffman block: match of length 3 at distance 1 with nothing before it.
    auto item = deflated_item("m", kText);
    item.data = std::string("\x03\x02\x00", 3);
    set_sizes(item, 3);
    check_refused(item);
  }
  SUBCASE("a size that no deflate stream of that length can have") {
    auto item = deflated_item("m", kText);
    item.data = std::string("\x03\x00", 2);
    set_sizes(item, 50U << 20);
    check_refused(item);
  }
}

TEST_CASE("a size without proportion is refused before memory is asked for") {
  Member member{"m", 8, 0, 100, 1ULL << 62, 0, false};
  const std::string archive(100, '\0');
  CHECK_THROWS_AS(static_cast<void>(read_member(as_bytes(archive), member)), Error);
  CHECK_THROWS_AS(static_cast<void>(streamed(archive, member)), Error);
}

TEST_CASE("a member that lies outside the archive is refused") {
  const std::string archive(100, '\0');
  CHECK_THROWS_AS(static_cast<void>(read_member(as_bytes(archive), {"m", 0, 0, 1, 1, 101, false})),
                  Error);
  CHECK_THROWS_AS(
      static_cast<void>(read_member(as_bytes(archive), {"m", 0, 0, ~0ULL, ~0ULL, 50, false})),
      Error);
}

TEST_CASE("a refusal of content says why") {
  const std::string archive(100, '\0');
  CHECK_THROWS_WITH(static_cast<void>(read_member(as_bytes(archive), {"m", 12, 0, 1, 1, 0, false})),
                    "method 12 is neither stored nor deflate");
  CHECK_THROWS_WITH(
      static_cast<void>(read_member(as_bytes(archive), {"m", 0, 0, 1, 1, 100, false})),
      "the data runs past the end of the archive");
}

TEST_CASE("an exception of the sink passes through stream_member") {
  ZipBuilder zip = small_archive();
  const std::string archive = zip.build();
  const auto members = scan(as_bytes(archive)).members;
  struct Stop {};
  for (const auto& member : members) {
    CHECK_THROWS_AS(stream_member(as_bytes(archive), member, [](Bytes) { throw Stop(); }), Stop);
  }
}

}  // namespace truewheel::wheel
