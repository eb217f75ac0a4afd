// SPDX-License-Identifier: Apache-2.0
#include "base/sparse_content.hpp"

#include "base/file_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace truewheel {

SparseContent::SparseContent(std::uint64_t size)
    : content_(size),
      page_(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))),
      wanted_(static_cast<std::size_t>((size + page_ - 1) / page_)) {}

void SparseContent::want(Range range) {
  const std::uint64_t end = std::min<std::uint64_t>(range.end, content_.bytes().size());
  for (std::uint64_t page = range.begin / page_; page * page_ < end; ++page) {
    wanted_[static_cast<std::size_t>(page)] = true;
  }
}

void SparseContent::offer(std::uint64_t offset, Bytes piece) {
  while (!piece.empty()) {
    const std::uint64_t page = offset / page_;
    const auto length = static_cast<std::size_t>(
        std::min<std::uint64_t>((page + 1) * page_ - offset, piece.size()));
    if (wanted_[static_cast<std::size_t>(page)]) {
      std::copy_n(piece.begin(), length,
                  content_.bytes().begin() + static_cast<std::ptrdiff_t>(offset));
    }
    offset += length;
    piece = piece.subspan(length);
  }
}

// A page of an anonymous file comes into being when it is first read or written, and stays: the
// file is in memory only.
std::vector<SparseContent::Range> SparseContent::missed() const {
  std::vector<Range> ranges;
  std::vector<unsigned char> resident(wanted_.size());
  const auto bytes = content_.bytes();
  if (bytes.empty()) return ranges;
  if (::mincore(bytes.data(), bytes.size(), resident.data()) != 0) {
    throw io_error("memory", "cannot tell which pages are in memory", errno);
  }
  for (std::size_t page = 0; page < resident.size(); ++page) {
    if ((resident[page] & 1U) == 0 || wanted_[page]) continue;
    const std::uint64_t begin = page * page_;
    if (ranges.empty() || ranges.back().end != begin) ranges.push_back({begin, begin});
    ranges.back().end = begin + page_;
  }
  return ranges;
}

}  // namespace truewheel
