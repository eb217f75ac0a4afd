// SPDX-License-Identifier: Apache-2.0
#include "repair/untouched_pages.hpp"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace truewheel::repair {
namespace {

/// Whole pages from `begin` to `end`: what lies on a page together with a change stays.
void drop_pages(const MappedPages& version, std::uint64_t begin, std::uint64_t end) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
  if (begin >= end) return;
  ::madvise(version.bytes().data() + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
}

}  // namespace

std::function<void(Bytes)> drop_untouched(const MappedPages& version,
                                          std::vector<ContentRange> changed) {
  std::sort(changed.begin(), changed.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return [&version, changed = std::move(changed)](Bytes piece) {
    auto at = static_cast<std::uint64_t>(piece.data() - version.bytes().data());
    const std::uint64_t end = at + piece.size();
    for (const auto& range : changed) {
      if (range.begin >= end) break;
      if (range.begin > at) drop_pages(version, at, range.begin);
      at = std::max(at, range.end);
    }
    if (at < end) drop_pages(version, at, end);
  };
}

}  // namespace truewheel::repair
