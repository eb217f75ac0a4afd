// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "support/zip_builder.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

#include <ctime>

namespace truewheel::wheel {
namespace {

using namespace test;

Scan scan_text(const std::string& archive) { return scan(as_bytes(archive)); }

// Names and contents of everything in an archive that passes, or nothing if it is refused.
std::optional<std::vector<std::pair<std::string, std::string>>> contents(
    const std::string& archive) {
  try {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& member : scan_text(archive).members) {
      all.emplace_back(member.name,
                       std::string(as_text(read_member(as_bytes(archive), member).bytes())));
    }
    return all;
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return std::nullopt;
  }
}

// An archive with every kind of record that the scanner knows.
std::string rich_archive() {
  ZipBuilder zip = small_archive();
  zip.items.push_back(folder_item("pkg/sub/"));
  zip.items.push_back(deflated_item("pkg/streamed.txt", std::string(300, 's')));
  use_descriptor(zip.items.back());
  zip.items.push_back(deflated_item("pkg/large.txt", std::string(300, 'l')));
  use_local_zip64(zip.items.back());
  use_descriptor(zip.items.back());
  zip.items.push_back(stored_item("pkg/caf\xC3\xA9.txt", "coffee"));
  zip.items.back().central.extra = extra_field(0x5455,
                                               "\x01"
                                               "1234");
  zip.items.push_back(stored_item("pkg/left.txt", "to ZIP64"));
  zip.items.back().central.extra = extra_field(1, le64(8) + le64(8));
  zip.items.back().central.size = zip.items.back().central.compressed_size = 0xFFFFFFFF;
  zip.zip64.emplace();
  zip.entries = zip.entries_here = 0xFFFF;
  zip.comment = "rich";
  return zip.build();
}

}  // namespace

TEST_CASE("scan gives members in file order with what both headers say") {
  ZipBuilder zip = small_archive();
  zip.items[1].central.attributes = 0100711U << 16;
  zip.items.insert(zip.items.begin(), folder_item("pkg/"));
  const std::string archive = zip.build();
  const auto members = scan_text(archive).members;
  REQUIRE(members.size() == 3);
  CHECK(members[0].name == "pkg/__init__.py");
  CHECK(members[0].method == 0);
  CHECK(!members[0].executable);
  CHECK(members[1].name == "pkg/data.txt");
  CHECK(members[1].method == 8);
  CHECK(members[1].size == 800);
  CHECK(members[1].compressed_size == zip.items[2].data.size());
  CHECK(members[1].executable);
  CHECK(as_text(packed_bytes(as_bytes(archive), members[1])) == zip.items[2].data);
}

TEST_CASE("scan takes a directory in another order than the members and returns file order") {
  ZipBuilder zip = small_archive();
  std::swap(zip.items[0], zip.items[2]);
  const std::string swapped = zip.build();
  // Swap the first two directory entries: their local headers stay.
  ZipBuilder reordered = zip;
  std::swap(reordered.items[0].central, reordered.items[1].central);
  reordered.items[0].central.offset =
      static_cast<std::uint32_t>(scan_text(swapped).members[1].data_offset - 30 - 12);
  reordered.items[1].central.offset = 0;
  const auto members = scan_text(reordered.build()).members;
  REQUIRE(members.size() == 3);
  CHECK(members[0].name == "p-1.dist-info/RECORD");
  CHECK(members[1].name == "pkg/data.txt");
}

TEST_CASE("each tolerated oddity is one note, whatever the number of members") {
  const auto notes_of = [](const auto& change) {
    ZipBuilder zip = small_archive();
    change(zip);
    auto scan = scan_text(zip.build());
    scan.notes.insert(scan.notes.end(), scan.warnings.begin(), scan.warnings.end());
    scan.notes.insert(scan.notes.end(), scan.name_notes.begin(), scan.name_notes.end());
    scan.notes.insert(scan.notes.end(), scan.collisions.begin(), scan.collisions.end());
    return scan.notes;
  };
  CHECK(notes_of([](auto&) {}).empty());
  const auto descriptors = notes_of([](auto& zip) {
    use_descriptor(zip.items[0]);
    use_descriptor(zip.items[1]);
  });
  REQUIRE(descriptors.size() == 1);
  CHECK(descriptors[0].find("2 members") == 0);
  CHECK(descriptors[0].find("'pkg/__init__.py'") != std::string::npos);
  CHECK(notes_of([](auto& zip) { zip.comment = "text"; }).size() == 1);
  CHECK(notes_of([](auto& zip) { zip.tail = std::string(3, '\0'); }).size() == 1);
  CHECK(notes_of([](auto& zip) { zip.items[0].central.comment = "text"; }).size() == 1);
  CHECK(notes_of([](auto& zip) { zip.items[0].central.attributes = 0104755U << 16; }).size() == 1);
  CHECK(notes_of([](auto& zip) { zip.items[0] = stored_item("a./b", ""); }).size() == 1);
  CHECK(notes_of([](auto& zip) { zip.items[0] = stored_item("PKG/data.TXT", ""); }).size() == 1);
  CHECK(notes_of([](auto& zip) { zip.items[0] = stored_item("Pkg/data.txt/x", ""); }).size() == 1);
  CHECK(notes_of([](auto& zip) {
          zip.items[0] = stored_item(
              "stra\xC3\x9F"
              "e",
              "");
          zip.items.push_back(stored_item("STRASSE", ""));
        }).size() == 1);
}

TEST_CASE("the ratio rule is on the sum of sizes and can be raised") {
  ZipBuilder zip = small_archive();
  for (int i = 0; i < 3; ++i) {
    zip.items.push_back(deflated_item("n" + std::to_string(i), std::string(200, 'z')));
    zip.items.back().local.size = zip.items.back().central.size = 30U << 20;
  }
  const std::string archive = zip.build();
  CHECK_THROWS_AS(static_cast<void>(scan(as_bytes(archive))), Error);
  CHECK(scan(as_bytes(archive), ScanLimits{1e9, 1ULL << 40}).members.size() == 6);
  CHECK_THROWS_AS(static_cast<void>(scan(as_bytes(archive), ScanLimits{1e9, 90U << 20})), Error);
}

TEST_CASE("a refusal names the member it is about") {
  ZipBuilder zip = small_archive();
  zip.items[1].local.crc ^= 1;
  try {
    static_cast<void>(scan_text(zip.build()));
    FAIL("the archive was taken");
  } catch (const Error& error) {
    CHECK(error.where() == "pkg/data.txt");
  }
}

TEST_CASE("a hostile name reaches messages escaped") {
  ZipBuilder zip = small_archive();
  zip.items[0] = stored_item("a\x1b[2J\xE2\x80\xAE", "");
  try {
    static_cast<void>(scan_text(zip.build()));
    FAIL("the archive was taken");
  } catch (const Error& error) {
    CHECK(error.where() == "a\\x1b[2J\\u202e");
  }
}

TEST_CASE("an archive cut short anywhere is refused") {
  for (const auto& archive : {small_archive().build(), rich_archive()}) {
    REQUIRE(contents(archive));
    for (std::size_t length = 0; length < archive.size(); ++length) {
      CAPTURE(length);
      CHECK(!contents(archive.substr(0, length)));
    }
  }
}

TEST_CASE("a changed byte is refused or changes no name and no content") {
  const std::string archive = rich_archive();
  const auto expected = contents(archive);
  REQUIRE(expected);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < archive.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF, 0x10}) {
      std::string changed = archive;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      const auto got = contents(changed);
      CAPTURE(at);
      CAPTURE(flip);
      if (got) CHECK(*got == *expected);
      refused += got ? 0 : 1;
    }
  }
  CHECK(refused > archive.size() * 2);
}

TEST_CASE("a byte that is put in or taken out is refused") {
  const std::string archive = rich_archive();
  for (std::size_t at = 0; at < archive.size(); ++at) {
    CAPTURE(at);
    CHECK(!contents(std::string(archive).erase(at, 1)));
    CHECK(!contents(std::string(archive).insert(at, 1, 'x')));
  }
}

TEST_CASE("scanning a hundred thousand members has no quadratic step") {
  ZipBuilder zip;
  for (int i = 0; i < 100'000; ++i) {
    zip.items.push_back(stored_item(
        "pkg/sub" + std::to_string(i % 100) + "/module" + std::to_string(i) + ".py", "x"));
  }
  zip.zip64.emplace();
  zip.entries = zip.entries_here = 0xFFFF;
  const std::string archive = zip.build();
  const std::clock_t start = std::clock();
  CHECK(scan_text(archive).members.size() == 100'000);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  // 0.2 s of processor time in a release build. An instrumented one takes longer, a quadratic step
  // takes minutes.
  CHECK(seconds < 20);
}

TEST_CASE("65,539 members that are said to be 3 are refused") {
  ZipBuilder zip;
  for (int i = 0; i < 65'539; ++i) zip.items.push_back(stored_item("m" + std::to_string(i), ""));
  try {
    static_cast<void>(scan_text(zip.build()));
    FAIL("the archive was taken");
  } catch (const Error& error) {
    CHECK(error.id() == "zip-entry-count");
  }
}

}  // namespace truewheel::wheel
