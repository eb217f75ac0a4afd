// SPDX-License-Identifier: Apache-2.0
#include "base/shared_content.hpp"

#include <truewheel/error.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace truewheel {
namespace {

constexpr std::uint64_t kCopiedUpTo = 64ULL << 20;
constexpr std::size_t kLargePage = std::size_t{2} << 20U;  // of x86-64 and of aarch64 with 4 KiB

[[noreturn]] void no_memory(const char* what) {
  throw Error(ErrorKind::io, "memory", std::string(what) + ": " + std::strerror(errno));
}

MappedPages map_pages(int descriptor, std::uint64_t size, int sharing) {
  if (size == 0) return {};
  void* pages =
      mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, sharing, descriptor, 0);
  if (pages == MAP_FAILED) no_memory("mapping memory");
  return {static_cast<std::uint8_t*>(pages), static_cast<std::size_t>(size)};
}

/// Memory of its own, in large pages where the system gives them.
MappedPages anonymous_pages(std::uint64_t wanted) {
  if (wanted == 0) return {};
  const auto size = static_cast<std::size_t>(wanted);
  const std::size_t slack = size >= kLargePage ? kLargePage : 0;  // to begin at a large page
  void* start =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) no_memory("mapping memory");
  auto* const first = static_cast<std::uint8_t*>(start);
  const auto before =
      slack == 0 ? 0
                 : (kLargePage - std::bit_cast<std::uintptr_t>(start) % kLargePage) % kLargePage;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t used = (size + page - 1) / page * page;
  if (before != 0) munmap(first, before);
  if (slack > before) munmap(first + before + used, slack - before);
  if (slack != 0) madvise(first + before, used, MADV_HUGEPAGE);  // a wish, not a need
  return {first + before, size};
}

void resize(int descriptor, std::uint64_t size) {
  while (ftruncate(descriptor, static_cast<off_t>(size)) != 0) {
    if (errno != EINTR) no_memory("making room in memory");
  }
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

SharedContent::SharedContent(std::uint64_t size, Pages pages) {
  if (pages == Pages::at_once && size <= kCopiedUpTo) {
    pages_ = anonymous_pages(size);
    return;
  }
  descriptor_ = memfd_create("truewheel-content", MFD_CLOEXEC);
  if (descriptor_ < 0) no_memory("making an anonymous file");
  try {
    resize(descriptor_, size);
    pages_ = map_pages(descriptor_, size,
                       pages == Pages::at_once ? MAP_SHARED | MAP_POPULATE : MAP_SHARED);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

SharedContent::~SharedContent() {
  if (descriptor_ >= 0) close(descriptor_);
}

SharedContent::SharedContent(SharedContent&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), pages_(std::move(other.pages_)) {}

SharedContent& SharedContent::operator=(SharedContent&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(pages_, other.pages_);
  return *this;
}

MappedPages SharedContent::version(std::uint64_t keep, Bytes tail) const {
  const std::uint64_t size = keep + tail.size();
  if (descriptor_ < 0) {
    auto copy = anonymous_pages(size);
    std::copy_n(pages_.bytes().begin(), keep, copy.bytes().begin());
    std::copy(tail.begin(), tail.end(), copy.bytes().begin() + static_cast<std::ptrdiff_t>(keep));
    return copy;
  }
  // A version may be longer than the content; the file grows, the content's own mapping does not.
  if (size > pages_.bytes().size()) resize(descriptor_, size);
  auto pages = map_pages(descriptor_, size, MAP_PRIVATE);
  std::copy(tail.begin(), tail.end(), pages.bytes().begin() + static_cast<std::ptrdiff_t>(keep));
  return pages;
}

}  // namespace truewheel
