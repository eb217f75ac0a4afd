// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_pages.hpp"

#include "base/file_descriptor.hpp"

#include <bit>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace truewheel {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20U;  // of x86-64, and of aarch64 with 4 KiB

std::size_t whole_pages(std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

}  // namespace

MappedPages::~MappedPages() {
  if (data_ != nullptr) munmap(data_, size_);
}

MappedPages& MappedPages::operator=(MappedPages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedPages MappedPages::memory(std::uint64_t wanted) {
  if (wanted == 0) return {};
  const auto size = static_cast<std::size_t>(wanted);
  const std::size_t slack = size >= kLargePage ? kLargePage : 0;  // to begin at a large page
  void* start =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw io_error("memory", "cannot map memory", errno);
  auto* const first = static_cast<std::uint8_t*>(start);
  if (slack == 0) return {first, size};
  const std::size_t used = whole_pages(size);
  const auto before = (kLargePage - std::bit_cast<std::uintptr_t>(start) % kLargePage) % kLargePage;
  if (before != 0) munmap(first, before);
  if (slack > before) munmap(first + before + used, slack - before);
  madvise(first + before, used, MADV_HUGEPAGE);  // a wish: without it there are small pages
  return {first + before, size};
}

void MappedPages::drop(std::span<const std::uint8_t> piece) const noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto start = static_cast<std::size_t>(piece.data() - data_) / page * page;
  const auto end = static_cast<std::size_t>(piece.data() - data_) + piece.size();
  madvise(data_ + start, end - start, MADV_DONTNEED);
}

void MappedPages::resize(std::uint64_t wanted) {
  const auto size = static_cast<std::size_t>(wanted);
  if (size == 0 || size_ == 0) {
    *this = memory(wanted);
    return;
  }
  if (whole_pages(size) != whole_pages(size_)) {
    void* moved = mremap(data_, whole_pages(size_), whole_pages(size), MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) throw io_error("memory", "cannot map memory", errno);
    data_ = static_cast<std::uint8_t*>(moved);
  }
  size_ = size;
}

}  // namespace truewheel
