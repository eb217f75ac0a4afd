// SPDX-License-Identifier: Apache-2.0
#include "wheel/descriptor_sink.hpp"

#include "base/file_descriptor.hpp"
#include "base/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace truewheel::wheel {

void DescriptorSink::write(Bytes piece) {
  while (!piece.empty()) {
    if (position_ < window_start_ || position_ > window_start_ + window_.size() ||
        position_ == window_start_ + kWindow) {
      flush();
      window_start_ = position_;
    }
    const auto at = static_cast<std::size_t>(position_ - window_start_);
    const std::size_t length = std::min(piece.size(), kWindow - at);
    if (at + length > window_.size()) window_.resize(at + length);
    std::copy_n(piece.begin(), length, window_.begin() + static_cast<std::ptrdiff_t>(at));
    position_ += length;
    piece = piece.subspan(length);
  }
  size_ = std::max(size_, position_);
}

void DescriptorSink::flush() {
  if (window_.empty()) return;
  if (::lseek(descriptor_, static_cast<off_t>(window_start_), SEEK_SET) < 0) {
    throw io_error("write", "cannot seek in the output", errno);
  }
  write_fully(descriptor_, window_.data(), window_.size());
  // The disk begins now and not at the fsync, so that it works while the archive is verified. Only
  // a wish: a pipe has no such thing, and what goes wrong on the disk fsync tells.
  ::sync_file_range(descriptor_, static_cast<off_t>(window_start_),
                    static_cast<off_t>(window_.size()), SYNC_FILE_RANGE_WRITE);
  window_start_ += window_.size();
  window_.clear();
}

}  // namespace truewheel::wheel
