// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

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

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Content in memory of which changed versions can be had. A large one is not copied for that: the
/// version shares every page that it does not write to, and a library of 459 MB is edited in the
/// memory of one, not of two. A small one that is filled at once is: large pages cost so much less
/// than small ones that the copy is the cheaper way.
class SharedContent {
 public:
  /// `on_demand`: pages that are never written take no memory. `at_once`: all will be written.
  enum class Pages { on_demand, at_once };
  /// Zeros. Throws Error(io, "memory") when there is no room.
  explicit SharedContent(std::uint64_t size, Pages pages = Pages::on_demand);
  ~SharedContent();
  SharedContent(SharedContent&& other) noexcept;
  SharedContent& operator=(SharedContent&& other) noexcept;

  /// To be filled before the first version is made.
  [[nodiscard]] std::span<std::uint8_t> bytes() const { return pages_.bytes(); }

  /// The first `keep` bytes (at most the content's size) with `tail` behind them, writable, without
  /// any effect on this content or on other versions.
  [[nodiscard]] MappedPages version(std::uint64_t keep, Bytes tail) const;

  /// Gives back the memory of bytes(); versions live on.
  void forget() { pages_ = MappedPages(); }

 private:
  int descriptor_ = -1;
  MappedPages pages_;
};

}  // namespace truewheel
