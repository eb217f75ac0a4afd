// SPDX-License-Identifier: Apache-2.0
#include "repair/rpm_header.hpp"

#include "base/byte_reader.hpp"
#include "repair/rpm_database.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <random>

namespace {

using namespace truewheel;
using repair::parse_rpm_header;

/// Makes a header blob: what rpm itself writes is tested with rpm (tests/cli).
class Blob {
 public:
  Blob& text(std::uint32_t tag, std::uint32_t type, const std::vector<std::string>& values) {
    begin(tag, type, static_cast<std::uint32_t>(values.size()));
    for (const auto& value : values) {
      data_.insert(data_.end(), value.begin(), value.end());
      data_.push_back(0);
    }
    return *this;
  }
  Blob& numbers(std::uint32_t tag, const std::vector<std::uint32_t>& values) {
    while (data_.size() % 4 != 0) data_.push_back(0);
    begin(tag, 4, static_cast<std::uint32_t>(values.size()));
    for (const auto value : values) append_integer(data_, value, ByteOrder::big);
    return *this;
  }
  [[nodiscard]] Buffer bytes() const {
    Buffer blob;
    append_integer(blob, static_cast<std::uint32_t>(entries_.size() / 16), ByteOrder::big);
    append_integer(blob, static_cast<std::uint32_t>(data_.size()), ByteOrder::big);
    blob.insert(blob.end(), entries_.begin(), entries_.end());
    blob.insert(blob.end(), data_.begin(), data_.end());
    return blob;
  }

 private:
  void begin(std::uint32_t tag, std::uint32_t type, std::uint32_t count) {
    append_integer(entries_, tag, ByteOrder::big);
    append_integer(entries_, type, ByteOrder::big);
    append_integer(entries_, static_cast<std::uint32_t>(data_.size()), ByteOrder::big);
    append_integer(entries_, count, ByteOrder::big);
  }
  Buffer entries_;
  Buffer data_;
};

Blob example() {
  Blob blob;
  blob.text(1000, 6, {"zlib"}).text(1001, 6, {"1.2"}).text(1002, 6, {"3.el9"});
  blob.numbers(1116, {0, 1}).text(1117, 8, {"libz.so.1", "README"});
  blob.text(1118, 8, {"/usr/lib64/", "/usr/share/"}).numbers(1037, {0, 128});
  return blob;
}

}  // namespace

TEST_CASE("a header's name, version and files are read") {
  const auto package = parse_rpm_header(example().bytes());
  REQUIRE(package);
  CHECK(package->name == "zlib");
  CHECK(package->version == "1.2-3.el9");
  REQUIRE(package->files.size() == 2);
  CHECK(package->files[0].path == "/usr/lib64/libz.so.1");
  CHECK_FALSE(package->files[0].is_licence);
  CHECK(package->files[1].is_licence);
}

TEST_CASE("a header whose numbers point outside of it is none") {
  CHECK_FALSE(parse_rpm_header({}));
  Blob folder = example();
  folder.numbers(1116, {0, 7});
  CHECK_FALSE(parse_rpm_header(folder.bytes()));
  const auto sound = example().bytes();
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const auto cut = parse_rpm_header(Bytes(sound).first(size));
    CHECK_FALSE(cut);
  }
}

TEST_CASE("damaged rpm databases are read without harm") {
  const test::TemporaryFolder folder;
  std::mt19937 random(7);
  const auto use = [](Bytes header) { static_cast<void>(parse_rpm_header(header)); };
  for (int round = 0; round < 300; ++round) {
    Buffer file(4096 * 3);
    for (auto& byte : file) byte = static_cast<std::uint8_t>(random() % (round % 3 == 0 ? 256 : 4));
    // The magic numbers of both forms, so that reading goes on; a sound page size now and then.
    const std::uint32_t magic = 0x061561;
    for (std::size_t i = 0; i < 4; ++i) {
      file[i] = static_cast<std::uint8_t>("RpmP"[i]);
      file[12 + i] = static_cast<std::uint8_t>(magic >> (8 * i));
      file[20 + i] = static_cast<std::uint8_t>(512U >> (8 * i));
      if (round % 2 == 0) file[4 + i] = 0;
    }
    file[24] = 0;
    file[25] = 8;
    file[512 + 25] = 13;
    const auto path = folder.path() / "db";
    test::write_text(path.native(), std::string(as_text(file)));
    repair::read_rpm_berkeley(path, use);
    repair::read_rpm_ndb(path, use);
    repair::read_rpm_sqlite(path, {"libz.so.1"}, use);
  }
}
