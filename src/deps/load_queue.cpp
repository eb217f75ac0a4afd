// SPDX-License-Identifier: Apache-2.0
#include "deps/load_queue.hpp"

#include <algorithm>

namespace truewheel::deps {

std::optional<std::size_t> LoadQueue::next() {
  if (dealt_with_ == files_.size()) return std::nullopt;
  filtees_end_ = dealt_with_ + 1;
  return files_[dealt_with_++];
}

void LoadQueue::push_filtee(std::size_t file) {
  const auto place = files_.begin() + static_cast<std::ptrdiff_t>(filtees_end_);
  const auto known = std::find(files_.begin(), files_.end(), file);
  if (known == files_.end()) {
    files_.insert(place, file);
  } else if (known >= place) {
    std::rotate(place, known, known + 1);
  } else {
    return;  // dealt with, or a filtee already
  }
  ++filtees_end_;
}

}  // namespace truewheel::deps
