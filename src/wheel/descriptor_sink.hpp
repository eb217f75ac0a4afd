// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>

namespace truewheel::wheel {

/// Buffered writing at any position of an open file. libzip writes a local header, then the data,
/// then the header again; as long as that stays within the buffer it costs no system call.
class DescriptorSink {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) { window_.reserve(kWindow); }

  void write(Bytes piece);
  void seek(std::uint64_t position) { position_ = position; }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  void flush();

 private:
  static constexpr std::size_t kWindow = 1 << 20;

  int descriptor_;
  Buffer window_;  ///< bytes not yet written, of the file from window_start_ on
  std::uint64_t window_start_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace truewheel::wheel
