// SPDX-License-Identifier: Apache-2.0
#include "base/sparse_content.hpp"

#include <doctest/doctest.h>

#include <numeric>

namespace truewheel {

TEST_CASE("what is read of a sparse content and was never kept is told, page by page") {
  constexpr std::size_t kPage = 4096;
  Buffer content(100 * kPage - 10);
  std::iota(content.begin(), content.end(), std::uint8_t{1});
  SparseContent sparse(content.size());
  sparse.want({0, 1});
  sparse.want({50 * kPage + 7, 52 * kPage + 1});
  sparse.want({99 * kPage, 1'000'000'000});
  const auto offer_all = [&] {
    for (std::size_t at = 0; at < content.size(); at += 7777) {
      sparse.offer(at,
                   Bytes(content).subspan(at, std::min<std::size_t>(7777, content.size() - at)));
    }
  };
  offer_all();
  CHECK(sparse.missed().empty());
  const Bytes kept = sparse.bytes();
  for (const std::size_t at :
       {std::size_t{0}, kPage - 1, 50 * kPage, 52 * kPage, 53 * kPage - 1, content.size() - 1}) {
    CHECK(kept[at] == content[at]);
  }
  CHECK(sparse.missed().empty());

  // Neighbours of what is kept, and one far from all.
  const unsigned sum = kept[kPage] + kept[53 * kPage] + kept[54 * kPage] + kept[70 * kPage + 5];
  CHECK(sum == 0);
  const auto missed = sparse.missed();
  REQUIRE(missed.size() == 3);
  CHECK(missed[0].begin == kPage);
  CHECK(missed[1].begin == 53 * kPage);
  CHECK(missed[1].end == 55 * kPage);
  CHECK(missed[2].begin == 70 * kPage);
  for (const auto& range : missed) sparse.want(range);
  offer_all();
  CHECK(sparse.missed().empty());
  CHECK(kept[kPage] == content[kPage]);
  CHECK(kept[70 * kPage + 5] == content[70 * kPage + 5]);
}

TEST_CASE("what is added to a sparse content later leaves alone what it has") {
  constexpr std::size_t kPage = 4096;
  const Buffer old_content(10 * kPage + 5, 1);
  const Buffer new_content(11 * kPage, 2);
  SparseContent sparse(old_content.size());
  sparse.want({3 * kPage, 4 * kPage});
  sparse.offer(0, old_content);
  sparse.add({2 * kPage + 1, 5 * kPage}, new_content);
  sparse.add({10 * kPage, 20 * kPage}, new_content);
  const Bytes kept = sparse.bytes();
  CHECK(kept[2 * kPage] == 2);
  CHECK(kept[3 * kPage] == 1);
  CHECK(kept[4 * kPage] == 2);
  CHECK(kept[10 * kPage + 4] == 2);
  CHECK(sparse.missed().empty());
  CHECK(kept[6 * kPage] == 0);
  CHECK(sparse.missed().size() == 1);
}

TEST_CASE("a sparse content may be empty") {
  SparseContent sparse(0);
  sparse.want({0, 10});
  CHECK(sparse.bytes().empty());
  CHECK(sparse.missed().empty());
}

}  // namespace truewheel
