// SPDX-License-Identifier: Apache-2.0
#include "elf/string_table.hpp"

#include "base/byte_reader.hpp"

#include <doctest/doctest.h>

#include <string>

namespace truewheel::elf {
namespace {

using namespace std::string_literals;

/// The table after a plan, for comparing strings.
std::string table_after(const std::string& table, const StringPlan& plan) {
  std::string result = table;
  result.resize(static_cast<std::size_t>(plan.size));
  for (const StringPiece& piece : plan.pieces)
    result.replace(static_cast<std::size_t>(piece.offset), piece.bytes.size(), piece.bytes);
  return result;
}

StringPlan plan(const std::string& table, std::vector<std::uint64_t> users,
                const std::vector<std::string>& wanted, Reclaim reclaim = Reclaim::unused_bytes) {
  return plan_strings(as_bytes(table), users, wanted, reclaim);
}

TEST_CASE("a string that ends another one is shared") {
  const std::string table = "\0/opt/zlib\0libc.so.6\0"s;
  const StringPlan shared = plan(table, {1, 11}, {"zlib", "so.6", "", "/opt/zlib"});
  CHECK(shared.pieces.empty());
  CHECK(shared.size == table.size());
  CHECK(shared.offsets.at("zlib") == 6);
  CHECK(shared.offsets.at("so.6") == 16);
  CHECK(shared.offsets.at("/opt/zlib") == 1);
}

TEST_CASE("many strings are found where few are: whole ones and tails of others") {
  std::string table = "\0"s;
  std::vector<std::uint64_t> users;
  std::vector<std::string> wanted;
  for (int i = 0; i < 40; ++i) {
    users.push_back(table.size());
    table += "symbol_" + std::to_string(100 + i) + "\0"s;
    wanted.push_back((i % 2 == 0 ? "symbol_" : "") + std::to_string(100 + i));
  }
  const StringPlan shared = plan(table, users, wanted);
  CHECK(shared.pieces.empty());
  CHECK(shared.size == table.size());
  for (const auto& name : wanted) {
    CHECK(table.substr(static_cast<std::size_t>(shared.offsets.at(name)), name.size() + 1) ==
          name + "\0"s);
  }
}

TEST_CASE("bytes of a string are overwritten only up to where another user's begin") {
  const std::string table = "\0/opt/zzz/lib\0other\0"s;  // 'lib' at 10 is a symbol
  const StringPlan fits = plan(table, {10, 14}, {"$ORIGIN"});
  CHECK(fits.size == table.size());
  CHECK(fits.offsets.at("$ORIGIN") == 1);
  CHECK(table_after(table, fits).substr(10, 9) == "lib\0other"s);
  const StringPlan too_long = plan(table, {10, 14}, {"123456789"});
  CHECK(too_long.offsets.at("123456789") == table.size());
  CHECK(table_after(table, too_long).substr(0, table.size()) == table);
}

TEST_CASE("an empty string that points at a NUL keeps that NUL") {
  const std::string table = "\0abcdef\0x\0"s;
  const StringPlan planned = plan(table, {7, 8}, {"123456"});
  CHECK(planned.offsets.at("123456") == table.size());
}

TEST_CASE("nothing is overwritten when a user could not be read") {
  const std::string table = "\0abcdef\0"s;
  const StringPlan planned = plan(table, {}, {"12"}, Reclaim::nothing);
  CHECK(planned.offsets.at("12") == table.size());
  CHECK(table_after(table, planned).substr(0, table.size()) == table);
}

TEST_CASE("unused bytes at the end are the first to be filled") {
  const std::string table = "\0used\0"s + std::string(10, '\0');
  const StringPlan planned = plan(table, {1}, {"0123456789abcdef"});
  CHECK(planned.offsets.at("0123456789abcdef") == 6);
  CHECK(planned.size == 6 + 17);
}

TEST_CASE("new strings share among themselves, in whatever order they are wished") {
  const std::string table = "\0a\0"s;
  for (const auto& wanted :
       {std::vector<std::string>{"so.1", "libx.so.1"}, {"libx.so.1", "so.1"}}) {
    const StringPlan planned = plan(table, {1}, wanted);
    CHECK(planned.size == table.size() + 10);
    CHECK(planned.offsets.at("so.1") == planned.offsets.at("libx.so.1") + 5);
  }
}

TEST_CASE("the rest of a string that is overwritten becomes NULs") {
  const std::string table = "\0/a/very/long/path\0b\0"s;
  CHECK(table_after(table, plan(table, {19}, {"/x"})) ==
        "\0/x\0"s + std::string(15, '\0') + "b\0"s);
}

TEST_CASE("new strings of the old ones' lengths take the old ones' places, all in one edit") {
  const std::string table = "\0/opt/old/path\0libold.so.1\0kept\0"s;
  const StringPlan planned = plan(table, {27}, {"/opt/new/path", "libnew.so.1"});
  CHECK(planned.size == table.size());
  CHECK(table_after(table, planned) == "\0/opt/new/path\0libnew.so.1\0kept\0"s);
}

TEST_CASE("what is left of an overwritten string is free for the next one of the same edit") {
  const std::string table = "\0/a/very/long/path\0b\0"s;
  const StringPlan planned = plan(table, {19}, {"/longer", "/short"});
  CHECK(planned.size == table.size());
  CHECK(table_after(table, planned) == "\0/longer\0/short\0\0\0\0b\0"s);
}

TEST_CASE("many strings are shared and placed as a few are") {
  const std::string table = "\0/opt/zlib\0an_old_name_that_fell_idle\0"s;
  std::vector<std::string> wanted = {"zlib", "", "tail_7"};
  for (int i = 0; i < 40; ++i) wanted.push_back("name_with_a_tail_" + std::to_string(i));
  const StringPlan planned = plan(table, {1}, wanted);
  CHECK(planned.offsets.at("zlib") == 6);
  CHECK(planned.offsets.at("tail_7") == planned.offsets.at("name_with_a_tail_7") + 12);
  const std::string after = table_after(table, planned);
  for (const std::string& text : wanted) {
    const auto offset = static_cast<std::size_t>(planned.offsets.at(text));
    CHECK(std::string(after.c_str() + offset) == text);
  }
  CHECK(after.substr(0, 11) == table.substr(0, 11));
  // One of them lies over the idle name; none is there twice.
  CHECK(planned.size < table.size() + 40 * 20);
}

}  // namespace
}  // namespace truewheel::elf
