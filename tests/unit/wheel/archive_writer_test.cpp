// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "base/file_descriptor.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_builder.hpp"
#include "wheel/dos_time.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

namespace truewheel::wheel {
namespace {

using namespace test;

const std::string kText = std::string(3000, 'a') + std::string(3000, 'b');

std::vector<EncodedMember> sample() {
  std::vector<EncodedMember> members;
  members.push_back(encode_member("pkg/text.txt", false, as_bytes(kText), {.level = 6}));
  members.push_back(encode_member("pkg/tool", true, as_bytes("#!/bin/sh\n"), {.level = 6}));
  members.push_back(encode_member("pkg/caf\xC3\xA9.py", false, as_bytes("x"), {.level = 9}));
  members.push_back(encode_member("pkg/empty", false, {}, {.level = 6}));
  members.push_back(encode_member("p-1.dist-info/RECORD", false,
                                  as_bytes("p-1.dist-info/RECORD,,\n"), {.level = 0}));
  return members;
}

std::string written(const std::vector<EncodedMember>& members, const ArchiveTime& time = {}) {
  const TemporaryFolder folder;
  const FileDescriptor file(::open((folder / "a.zip").c_str(), O_RDWR | O_CREAT, 0600));
  write_archive(file.get(), members, time);
  const std::string archive = read_text(folder / "a.zip");
  CHECK(::lseek(file.get(), 0, SEEK_CUR) == static_cast<off_t>(archive.size()));
  return archive;
}

// Calls `look(reader, local, central)` with the offsets of each member's two headers, walking both
// by their own lengths.
void for_each_header(
    const std::string& archive,
    const std::function<void(const ByteReader&, std::uint64_t, std::uint64_t)>& look) {
  const ByteReader reader(as_bytes(archive));
  std::uint64_t local = 0;
  std::uint64_t central = reader.u32(archive.size() - 6);
  const unsigned count = reader.u16(archive.size() - 12);
  for (unsigned i = 0; i < count; ++i) {
    CHECK(reader.u32(local) == 0x04034b50);
    CHECK(reader.u32(central) == 0x02014b50);
    CHECK(reader.u32(central + 42) == local);
    look(reader, local, central);
    local += 30 + reader.u16(local + 26) + reader.u16(local + 28) + reader.u32(local + 18);
    central += 46 + reader.u16(central + 28) + reader.u16(central + 30) + reader.u16(central + 32);
  }
  CHECK(local == reader.u32(archive.size() - 6));
  CHECK(central == archive.size() - 22);
}

int run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()); }

}  // namespace

TEST_CASE("encode_member stores what deflate does not make smaller") {
  CHECK(encode_member("m", false, as_bytes(kText), {.level = 6}).method == 8);
  CHECK(encode_member("m", false, as_bytes(kText), {.level = 1}).method == 8);
  CHECK(encode_member("m", false, as_bytes(kText), {.level = 0}).method == 0);
  CHECK(encode_member("m", false, as_bytes("ab"), {.level = 9}).method == 0);
  CHECK(encode_member("m", false, {}, {.level = 9}).method == 0);
  const auto stored = encode_member("m", true, as_bytes("ab"), {.level = 9});
  CHECK(as_text(stored.compressed) == "ab");
  CHECK(stored.size == 2);
  CHECK(stored.executable);
}

TEST_CASE("encode_member gives the same bytes each time") {
  const auto first = encode_member("m", false, as_bytes(kText), {.level = 6});
  const auto second = encode_member("m", false, as_bytes(kText), {.level = 6});
  CHECK(as_text(first.compressed) == as_text(second.compressed));
}

TEST_CASE("what write_archive writes reads back the same, in the order given") {
  const auto members = sample();
  const std::string archive = written(members);
  const auto result = scan(as_bytes(archive));
  CHECK(result.notes.empty());
  REQUIRE(result.members.size() == members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    CHECK(result.members[i].name == members[i].name);
    CHECK(result.members[i].executable == members[i].executable);
    CHECK(result.members[i].method == members[i].method);
    CHECK(result.members[i].crc == members[i].crc);
    CHECK(as_text(packed_bytes(as_bytes(archive), result.members[i])) ==
          as_text(members[i].compressed));
  }
  CHECK(as_text(read_member(as_bytes(archive), result.members[0]).bytes()) == kText);
}

TEST_CASE("compressed bytes of another archive are copied as they are") {
  ZipBuilder zip = small_archive();
  use_descriptor(zip.items[1]);
  const std::string input = zip.build();
  std::vector<EncodedMember> members;
  for (const auto& member : scan(as_bytes(input)).members) {
    members.push_back({member.name, member.executable, member.method, member.crc, member.size,
                       packed_bytes(as_bytes(input), member), nullptr});
  }
  const std::string output = written(members);
  const auto result = scan(as_bytes(output));
  REQUIRE(result.members.size() == 3);
  CHECK(as_text(packed_bytes(as_bytes(output), result.members[1])) == zip.items[1].data);
}

TEST_CASE("the headers have the normal form") {
  const auto members = sample();
  const std::string archive = written(members, {1'000'000'000});  // 2001-09-09 01:46:40
  std::size_t i = 0;
  for_each_header(
      archive, [&](const ByteReader& reader, std::uint64_t local, std::uint64_t central) {
        const auto& member = members[i++];
        CAPTURE(member.name);
        const bool ascii = member.name.find('\xC3') == std::string::npos;
        CHECK(reader.u16(local + 6) == (ascii ? 0 : 1 << 11));
        CHECK(reader.u16(central + 8) == (ascii ? 0 : 1 << 11));
        CHECK(reader.u16(local + 8) == member.method);
        CHECK(reader.u16(local + 10) == (1 << 11 | 46 << 5 | 20));
        CHECK(reader.u16(local + 12) == (21 << 9 | 9 << 5 | 9));
        CHECK(reader.u32(central + 12) == reader.u32(local + 10));
        CHECK(reader.u32(local + 14) == member.crc);
        CHECK(reader.u32(local + 18) == member.compressed.size());
        CHECK(reader.u32(local + 22) == member.size);
        CHECK(reader.u16(local + 28) == 0);    // no extra field
        CHECK(reader.u16(central + 30) == 0);  // no extra field
        CHECK(reader.u16(central + 32) == 0);  // no comment
        CHECK(reader.u8(central + 5) == 3);    // made on Unix
        CHECK((reader.u32(central + 38) >> 16) == (member.executable ? 0100755U : 0100644U));
        CHECK((reader.u32(central + 38) & 0xFFFF) == 0);
      });
  CHECK(i == members.size());
}

TEST_CASE("the bytes do not depend on the time zone, not even in an hour that it skips") {
  const ArchiveTime skipped{1'678'588'200};  // 2023-03-12 02:30:00, which New York did not have
  const auto members = sample();
  std::vector<std::string> archives;
  for (const char* zone :
       {"UTC", "America/New_York", "Australia/Lord_Howe", "EST5EDT,M3.2.0,M11.1.0"}) {
    ::setenv("TZ", zone, 1);
    ::tzset();
    archives.push_back(written(members, skipped));
  }
  ::unsetenv("TZ");
  ::tzset();
  for (const auto& archive : archives) CHECK(archive == archives.front());
  for_each_header(archives.back(),
                  [](const ByteReader& reader, std::uint64_t local, std::uint64_t central) {
                    CHECK(reader.u16(local + 10) == (2 << 11 | 30 << 5));
                    CHECK(reader.u32(central + 12) == reader.u32(local + 10));
                  });
}

TEST_CASE("times are clamped to what zip can say") {
  const auto text = [](std::int64_t seconds) {
    const auto dos = to_dos_time({seconds});
    return std::to_string((dos.date >> 9) + 1980) + "-" + std::to_string(dos.date >> 5 & 15) + "-" +
           std::to_string(dos.date & 31) + " " + std::to_string(dos.time >> 11) + ":" +
           std::to_string(dos.time >> 5 & 63) + ":" + std::to_string((dos.time & 31) * 2);
  };
  CHECK(text(315532800) == "1980-1-1 0:0:0");
  CHECK(text(0) == "1980-1-1 0:0:0");
  CHECK(text(-5) == "1980-1-1 0:0:0");
  CHECK(text(1'709'210'096) == "2024-2-29 12:34:56");
  CHECK(text(4'354'819'199) == "2107-12-31 23:59:58");
  CHECK(text(1LL << 62) == "2107-12-31 23:59:58");
}

TEST_CASE("independent readers accept the archive") {
  const TemporaryFolder folder;
  {
    const FileDescriptor file(::open((folder / "a.zip").c_str(), O_RDWR | O_CREAT, 0600));
    write_archive(file.get(), sample(), {});
  }
  const std::string path = (folder / "a.zip").native();
  const bool has_unzip = run("command -v unzip zipinfo") == 0;
  const bool has_python = run("command -v python3") == 0;
  if (has_unzip) {
    CHECK(run("unzip -tqq " + path) == 0);
    CHECK(run("zipinfo -l " + path + " pkg/tool | grep -q '^-rwxr-xr-x.*unx'") == 0);
    CHECK(run("zipinfo -l " + path + " pkg/text.txt | grep -q '^-rw-r--r--.*unx'") == 0);
  }
  if (has_python) {
    write_text(folder / "check.py",
               "import sys, zipfile\n"
               "z = zipfile.ZipFile(sys.argv[1])\n"
               "assert z.testzip() is None\n"
               "assert z.namelist()[2] == 'pkg/caf\\u00e9.py', z.namelist()\n"
               "assert z.read('pkg/text.txt') == b'a' * 3000 + b'b' * 3000\n"
               "assert {i.date_time for i in z.infolist()} == {(1980, 1, 1, 0, 0, 0)}\n"
               "assert all(not i.extra and not i.comment and i.create_system == 3 for i in "
               "z.infolist())\n");
    CHECK(run("python3 " + (folder / "check.py").native() + " " + path) == 0);
  }
  const bool has_any = has_unzip || has_python;
  CHECK(has_any);
}

TEST_CASE("more than 65,535 members get ZIP64 records, and 65,535 get none") {
  std::vector<EncodedMember> members;
  for (int i = 0; i < 65'536; ++i)
    members.push_back(encode_member("m" + std::to_string(i), false, {}, {.level = 0}));
  const std::string large = written(members);
  CHECK(scan(as_bytes(large)).members.size() == 65'536);
  CHECK(large.substr(large.size() - 22 - 20, 4) == "PK\x06\x07");
  members.pop_back();
  const std::string small = written(members);
  CHECK(scan(as_bytes(small)).members.size() == 65'535);
  CHECK(small.substr(small.size() - 22 - 20, 4) != "PK\x06\x07");
}

TEST_CASE("a size of 4 GiB gets a ZIP64 field, in both headers as far as each needs one") {
  const Buffer compressed(1000, 0);
  EncodedMember large{"large", false, 8, 0, 1ULL << 32, compressed, nullptr};
  const std::string archive =
      written({large, encode_member("small", false, as_bytes("x"), {.level = 0})});
  const auto members = scan(as_bytes(archive), {1e9, 1ULL << 40}).members;
  REQUIRE(members.size() == 2);
  CHECK(members[0].size == 1ULL << 32);
  CHECK(members[0].compressed_size == 1000);
  const ByteReader reader(as_bytes(archive));
  CHECK(reader.u16(28) == 20);  // local: both sizes

  large.size = 0xFFFFFFFE;
  const std::string classic = written({large});
  CHECK(ByteReader(as_bytes(classic)).u16(28) == 0);
  CHECK(scan(as_bytes(classic), {1e9, 1ULL << 40}).members[0].size == 0xFFFFFFFE);
}

TEST_CASE("an archive that libzip writes wrongly is withheld") {
  // libzip 1.7.3 marks a size of 4 GiB - 1 as left to a ZIP64 field and leaves the field empty.
  const Buffer compressed(1000, 0);
  try {
    const auto archive = written({{"m", false, 8, 0, 0xFFFFFFFF, compressed, nullptr}});
    // A libzip that gets it right.
    CHECK(scan(as_bytes(archive), {1e9, 1ULL << 40}).members[0].size == 0xFFFFFFFF);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::withheld);
    CHECK(error.id() == "archive-reread");
  }
}

TEST_CASE("an archive without members is not written") { CHECK_THROWS_AS(written({}), Error); }

TEST_CASE("what the file held before does not stay behind the archive") {
  const TemporaryFolder folder;
  write_text(folder / "a.zip", std::string(100'000, 'x'));
  const FileDescriptor file(::open((folder / "a.zip").c_str(), O_RDWR));
  write_archive(file.get(), sample(), {});
  const std::string archive = read_text(folder / "a.zip");
  CHECK(scan(as_bytes(archive)).members.size() == 5);
}

TEST_CASE("a full disk is an error with the system's reason") {
  const FileDescriptor full(::open("/dev/full", O_RDWR));
  REQUIRE(full.is_open());
  try {
    write_archive(full.get(), sample(), {});
    FAIL("writing to a full device worked");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::io);
    CHECK(std::string(error.what()).find("No space left on device") != std::string::npos);
  }
}

TEST_CASE("a descriptor that cannot be written is an error") {
  const TemporaryFolder folder;
  write_text(folder / "a.zip", "");
  const FileDescriptor read_only(::open((folder / "a.zip").c_str(), O_RDONLY));
  CHECK_THROWS_AS(write_archive(read_only.get(), sample(), {}), Error);
  int ends[2] = {-1, -1};
  REQUIRE(::pipe(ends) == 0);
  const FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  CHECK_THROWS_AS(write_archive(writing.get(), sample(), {}), Error);
}

TEST_CASE("two members of one name are not written") {
  auto members = sample();
  members.push_back(members[0]);
  CHECK_THROWS_AS(written(members), Error);
}

}  // namespace truewheel::wheel
