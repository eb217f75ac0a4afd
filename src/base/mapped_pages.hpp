// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace truewheel {

/// Pages that are mapped, given back when the owner goes.
class MappedPages {
 public:
  MappedPages() = default;
  MappedPages(std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  ~MappedPages();
  MappedPages(MappedPages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedPages& operator=(MappedPages&& other) noexcept;
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {data_, size_}; }

  /// Memory for contents too large for the heap, zeros; in large pages where the system gives them,
  /// which take a tenth of the time to come by. Throws Error(io, "memory") when there is no room.
  [[nodiscard]] static MappedPages memory(std::uint64_t size);
  /// Of pages mapped from a file and never written: tells the kernel that `piece`, a part of
  /// bytes(), need not stay in memory; reading it again costs a read.
  void drop(std::span<const std::uint8_t> piece) const noexcept;
  /// Makes memory() longer, by anything, or shorter. The bytes may be elsewhere afterwards.
  void resize(std::uint64_t size);

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace truewheel
