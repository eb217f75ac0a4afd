// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <doctest/doctest.h>

#include <map>

namespace truewheel::wheel {
namespace {

const std::string kHash = "sha256=" + base64url(sha256(as_bytes("x")));

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(parse_record(text));
    return "taken";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return error.id();
  }
}

std::string digest_text(std::string_view algorithm, std::string_view content) {
  Hasher hasher(algorithm);
  hasher.update(as_bytes(content));
  return std::string(algorithm) + "=" + base64url(hasher.finish());
}

// A wheel of named contents, as verify_record sees one.
struct Contents {
  std::map<std::string, std::string> files;

  std::vector<std::string> verify(const std::vector<RecordRow>& rows) const {
    std::vector<Digest> digests;
    for (const auto& [name, text] : files)
      digests.push_back({name, base64url(sha256(as_bytes(text))), text.size()});
    return verify_record(rows, digests, "p-1.dist-info/RECORD", [&](const std::string& name) {
      return Content(as_bytes(files.at(name)));
    });
  }
};

}  // namespace

TEST_CASE(
    "parse_record reads paths, hashes and sizes with either line end and without a last one") {
  for (const std::string end : {"\n", "\r\n"}) {
    const auto rows = parse_record("a.py," + kHash + ",1" + end + end + "p-1.dist-info/RECORD,,");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].path == "a.py");
    CHECK(rows[0].hash == kHash);
    CHECK(rows[0].size == 1);
    CHECK(rows[1].path == "p-1.dist-info/RECORD");
    CHECK(rows[1].hash.empty());
    CHECK(!rows[1].size);
  }
  CHECK(parse_record("").empty());
}

TEST_CASE("parse_record reads quoted fields as csv.reader does") {
  const auto rows = parse_record("\"a,b.dat\"," + kHash +
                                 ",\"1\"\n\"q\"\"uote.txt\",,\nsp ace.so,,\n\xC3\xBC.txt,,\n"
                                 "mid\"dle,,\n\"two\nlines\",,\n\"two\r\nmore\",,\n");
  REQUIRE(rows.size() == 7);
  CHECK(rows[0].path == "a,b.dat");
  CHECK(rows[0].size == 1);
  CHECK(rows[1].path == "q\"uote.txt");
  CHECK(rows[2].path == "sp ace.so");
  CHECK(rows[3].path == "\xC3\xBC.txt");
  CHECK(rows[4].path == "mid\"dle");
  CHECK(rows[5].path == "two\nlines");
  CHECK(rows[6].path == "two\r\nmore");
}

TEST_CASE("format_record and parse_record are each other's inverse") {
  std::vector<RecordRow> rows;
  for (const char* path : {"plain.py", "a,b.dat", "q\"uote", "\"", "new\nline", "cr\r\nlf",
                           " space ", "\xE4\xB8\xAD"}) {
    rows.push_back({path, kHash, 12});
  }
  rows.push_back({"p-1.dist-info/RECORD", "", std::nullopt});
  const std::string text = format_record(rows);
  CHECK(text.find("plain.py," + kHash + ",12\n") == 0);
  CHECK(text.ends_with("p-1.dist-info/RECORD,,\n"));
  const auto again = parse_record(text);
  REQUIRE(again.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(again[i].path == rows[i].path);
    CHECK(again[i].hash == rows[i].hash);
    CHECK(again[i].size == rows[i].size);
  }
}

TEST_CASE("parse_record refuses what is not RECORD's CSV") {
  CHECK(refusal("\"open") == "record-csv");
  CHECK(refusal("\"a\"b,,\n") == "record-csv");
  CHECK(refusal("a\rb,,\n") == "record-csv");
  CHECK(refusal("a,,\r") == "record-csv");
  CHECK(refusal("\"a\"\"") == "record-csv");
  CHECK(refusal("caf\xE9,,\n") == "record-encoding");
  CHECK(refusal("\xEF\xBB\xBF"
                "a,,\n") == "record-encoding");
  CHECK(refusal("a\n") == "record-columns");
  CHECK(refusal("a,\n") == "record-columns");
  CHECK(refusal("a,,,\n") == "record-columns");
  CHECK(refusal("a b c\n") == "record-columns");
}

TEST_CASE("parse_record refuses paths that reach outside") {
  for (const char* path :
       {"/etc/passwd", "../x", "a/../../x", "a/..", "a\\b", "C:/x", "c:x", "", "\"\""}) {
    CAPTURE(path);
    CHECK(refusal(std::string(path) + ",,\n") == "record-path");
  }
  CHECK(refusal(std::string("a\0b,,\n", 6)) == "record-path");
  CHECK(refusal("a..b/...,,\n") == "taken");
}

TEST_CASE("a colon behind no letter is no drive") {
  for (const std::string path : {"1:x", "_:x", "{:x", "ab:x", ":x"}) {
    CHECK(parse_record(path + ",,\n").at(0).path == path);
  }
}

TEST_CASE("parse_record refuses weak, unknown and malformed hashes") {
  CHECK(refusal("a,md5=1B2M2Y8AsgTpgAmY7PhCfg,0\n") == "record-weak-hash");
  CHECK(refusal("a,sha1=2jmj7l5rSw0yVb_vlWAYkK_YBwk,0\n") == "record-weak-hash");
  CHECK(refusal("a,sha224=abc,0\n") == "record-hash");
  CHECK(refusal("a,crc32=abc,0\n") == "record-hash");
  CHECK(refusal("a,sha256,0\n") == "record-hash");
  CHECK(refusal("a,sha256=,0\n") == "record-hash");
  CHECK(refusal("a," + kHash + "=,0\n") == "record-hash");
  CHECK(refusal("a," + kHash.substr(0, kHash.size() - 1) + ",0\n") == "record-hash");
  CHECK(refusal("a," + kHash.substr(0, kHash.size() - 1) + "+,0\n") == "record-hash");
  CHECK(refusal("a,SHA256=" + kHash.substr(7) + ",0\n") == "record-hash");
  for (const char* algorithm :
       {"sha256", "sha384", "sha512", "sha3_256", "sha3_384", "sha3_512", "blake2b"}) {
    CAPTURE(algorithm);
    CHECK(refusal("a," + digest_text(algorithm, "x") + ",1\n") == "taken");
  }
}

TEST_CASE("parse_record refuses sizes that are not numbers, and two rows for one path") {
  for (const char* size : {"-1", "+1", "1.0", " 1", "1 ", "0x1", "one", "99999999999999999999"}) {
    CAPTURE(size);
    CHECK(refusal("a," + kHash + "," + size + "\n") == "record-size");
  }
  CHECK(refusal("a,,\na,,\n") == "record-duplicate");
  CHECK(refusal("a,,\n\"a\",,\n") == "record-duplicate");
}

TEST_CASE("rows and columns without end are refused before they take memory") {
  std::string text;
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + ",,\n";
  CHECK(parse_record(text, 10).size() == 10);
  CHECK_THROWS_AS(static_cast<void>(parse_record(text, 9)), Error);
  CHECK(refusal(std::string(1000, ',')) == "record-csv");
  CHECK(refusal("a,,,,\n") == "record-columns");
}

TEST_CASE("a refusal names the line") {
  try {
    static_cast<void>(parse_record("\"a\nb\",,\n\nc,,\n/d,,\n"));
    FAIL("the text was taken");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("line 5") != std::string::npos);
  }
}

TEST_CASE("verify_record finds nothing wrong with a true RECORD") {
  const Contents wheel{
      {{"a.py", "x"}, {"b.py", ""}, {"c.so", "lib"}, {"p-1.dist-info/RECORD", "itself"}}};
  const std::vector<RecordRow> rows = {{"a.py", digest_text("sha256", "x"), 1},
                                       {"b.py", digest_text("sha512", ""), 0},
                                       {"c.so", digest_text("blake2b", "lib"), std::nullopt},
                                       {"p-1.dist-info/RECORD", "", std::nullopt}};
  CHECK(wheel.verify(rows).empty());
  CHECK(wheel.verify({rows.begin(), rows.end() - 1}).empty());
}

TEST_CASE("verify_record says one sentence a mismatch") {
  const Contents wheel{{{"a.py", "x"}, {"p-1.dist-info/RECORD", "itself"}}};
  const auto good = digest_text("sha256", "x");
  const auto count = [&](const std::vector<RecordRow>& rows, std::string_view word) {
    const auto sentences = wheel.verify(rows);
    REQUIRE(sentences.size() == 1);
    CAPTURE(sentences[0]);
    CHECK(sentences[0].find(word) != std::string::npos);
  };
  count({{"a.py", digest_text("sha256", "y"), 1}}, "the hash of 'a.py'");
  count({{"a.py", digest_text("sha3_512", "y"), 1}}, "the hash of 'a.py'");
  count({{"a.py", good, 2}}, "size of 2");
  count({{"a.py", "", 1}}, "no hash for 'a.py'");
  count({}, "'a.py' is not in RECORD");
  count({{"a.py", good, 1}, {"gone.py", good, 1}}, "lists 'gone.py'");
  count({{"a.py", good, 1}, {"a.py", good, 1}}, "more than one row for 'a.py'");
  count({{"a.py", good, 1}, {"pkg/", "", std::nullopt}}, "lists 'pkg/'");
  count({{"a.py", good, 1}, {"p-1.dist-info/RECORD", good, std::nullopt}},
        "'p-1.dist-info/RECORD' itself");
  count({{"a.py", good, 1}, {"p-1.dist-info/RECORD", "", 99}}, "size of 99");
  CHECK(wheel.verify({{"a.py", digest_text("sha256", "y"), 5}}).size() == 2);
}

TEST_CASE("signatures of RECORD may have a row or none, but not a wrong one") {
  const Contents wheel{{{"p-1.dist-info/RECORD", ""},
                        {"p-1.dist-info/RECORD.jws", "{}"},
                        {"p-1.dist-info/RECORD.p7s", ""}}};
  CHECK(wheel.verify({}).empty());
  CHECK(wheel.verify({{"p-1.dist-info/RECORD.jws", "", std::nullopt}}).empty());
  CHECK(wheel.verify({{"p-1.dist-info/RECORD.jws", digest_text("sha256", "{}"), 2}}).empty());
  CHECK(wheel.verify({{"p-1.dist-info/RECORD.jws", digest_text("sha256", "no"), 2}}).size() == 1);
}

}  // namespace truewheel::wheel
