// SPDX-License-Identifier: Apache-2.0
#include "repair/encoded_store.hpp"

#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <vector>

namespace truewheel::repair {
namespace {

constexpr std::size_t kSize = std::size_t{24} << 20U;

wheel::EncodedMember member_of(std::uint8_t byte) {
  wheel::EncodedMember member;
  Buffer bytes(kSize, byte);
  bytes.back() = 0xFF;
  member.own(std::move(bytes));
  return member;
}

bool holds(const wheel::EncodedMember& member, std::uint8_t byte) {
  const Bytes bytes = member.compressed;
  return bytes.size() == kSize && bytes[0] == byte && bytes[kSize / 2] == byte &&
         bytes[kSize - 2] == byte && bytes[kSize - 1] == 0xFF;
}

std::vector<wheel::EncodedMember> kept(const std::filesystem::path& folder,
                                       std::uint64_t copied = 0) {
  EncodedStore store(folder, copied);
  std::vector<wheel::EncodedMember> members;
  for (std::uint8_t i = 0; i < 5; ++i) {
    members.push_back(member_of(i));
    store.keep(members.back());
  }
  return members;  // the store is gone from here on
}

}  // namespace

TEST_CASE("what is encoded beyond 64 MiB is put aside and comes back from the disk") {
  const test::TemporaryFolder folder;
  const auto members = kept(folder.path());
  CHECK(std::filesystem::is_empty(folder.path()));  // the file has no name
  std::size_t aside = 0;
  for (std::uint8_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    CHECK(holds(members[i], i));
    if (!members[i].drop) continue;
    ++aside;
    members[i].drop(members[i].compressed);
    CHECK(holds(members[i], i));
  }
  CHECK(aside == 3);
}

TEST_CASE("where nothing can be put aside, or the wheel would have no room, all stays in memory") {
  const test::TemporaryFolder folder;
  std::vector<wheel::EncodedMember> members;
  SUBCASE("no folder") { members = kept(folder / "absent"); }
  SUBCASE("a wheel larger than the disk") {
    members = kept(folder.path(), std::uint64_t{1} << 60U);
  }
  REQUIRE(members.size() == 5);
  for (std::uint8_t i = 0; i < 5; ++i) {
    CHECK(holds(members[i], i));
    CHECK(!members[i].drop);
  }
}

}  // namespace truewheel::repair
