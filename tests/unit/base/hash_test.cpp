// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"

#include "base/byte_reader.hpp"
#include <truewheel/error.hpp>

#include <doctest/doctest.h>

namespace truewheel {
namespace {

std::string digest(std::string_view algorithm, std::string_view text) {
  Hasher hasher(algorithm);
  hasher.update(as_bytes(text));
  return hex(hasher.finish());
}

}  // namespace

TEST_CASE("digests are those of the standards' test vectors") {
  CHECK(digest("sha256", "abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest("sha384", "abc").starts_with("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163"));
  CHECK(digest("sha512", "abc").starts_with("ddaf35a193617abacc417349ae204131"));
  CHECK(digest("sha3_256", "abc") ==
        "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
  CHECK(digest("sha3_384", "abc").starts_with("ec01498288516fc926459f58e2c6ad8d"));
  CHECK(digest("sha3_512", "abc").starts_with("b751850b1a57168a5693cd924b6b096e"));
  CHECK(digest("blake2b", "abc").starts_with("ba80a53f981c4d0d6a2797b69f12f6e9"));
  CHECK(digest("blake2b", "abc").size() == 128);
}

TEST_CASE("a digest over pieces is that of the whole") {
  Hasher hasher;
  for (const char* piece : {"", "a", "b", "", "c"}) hasher.update(as_bytes(piece));
  Hasher moved = std::move(hasher);
  CHECK(hex(moved.finish()) == hex(sha256(as_bytes("abc"))));
}

TEST_CASE("an algorithm that is not known is refused") {
  for (const char* name : {"md5", "sha1", "SHA256", "", "sha-256"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(Hasher{name}, Error);
  }
}

TEST_CASE("base64url has the url-safe alphabet and no padding") {
  CHECK(base64url({}).empty());
  CHECK(base64url(as_bytes("f")) == "Zg");
  CHECK(base64url(as_bytes("fo")) == "Zm8");
  CHECK(base64url(as_bytes("foo")) == "Zm9v");
  CHECK(base64url(as_bytes("foobar")) == "Zm9vYmFy");
  CHECK(base64url(as_bytes("\xFB\xFF\xFE")) == "-__-");
  CHECK(base64url(sha256({})) == "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
}

TEST_CASE("crc32 goes on where it stopped") {
  CHECK(crc32(0, as_bytes("123456789")) == 0xCBF43926);
  CHECK(crc32(crc32(0, as_bytes("1234")), as_bytes("56789")) == 0xCBF43926);
  CHECK(crc32(0xCBF43926, {}) == 0xCBF43926);
  CHECK(crc32(0, {}) == 0);
}

}  // namespace truewheel
