// SPDX-License-Identifier: Apache-2.0
#include "base/sparse_content.hpp"

#include "base/file_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace truewheel {
namespace {

/// Zeros that take no memory. A page that is only read becomes the kernel's page of zeros, which is
/// present from then on and is never swapped out, so that mincore tells it. A file in memory would
/// obey the limit on the size of files, and loses its pages to the swap.
MappedPages zeros(std::uint64_t size) {
  if (size == 0) return {};
  void* pages = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw io_error("memory", "cannot map memory", errno);
  // A large page would make its 512 small ones present at once; a kernel without them refuses.
  ::madvise(pages, static_cast<std::size_t>(size), MADV_NOHUGEPAGE);
  return {static_cast<std::uint8_t*>(pages), static_cast<std::size_t>(size)};
}

}  // namespace

SparseContent::SparseContent(std::uint64_t size)
    : content_(zeros(size)),
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

void SparseContent::add(Range range, Bytes content) {
  const std::uint64_t size = std::min<std::uint64_t>(content.size(), content_.bytes().size());
  const std::uint64_t end = std::min(range.end, size);
  for (std::uint64_t page = range.begin / page_; page * page_ < end; ++page) {
    if (wanted_[static_cast<std::size_t>(page)]) continue;
    wanted_[static_cast<std::size_t>(page)] = true;
    const std::uint64_t begin = page * page_;
    offer(begin, content.subspan(static_cast<std::size_t>(begin),
                                 static_cast<std::size_t>(std::min(page_, size - begin))));
  }
}

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
