// SPDX-License-Identifier: Apache-2.0
#include "base/background_hasher.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace truewheel {
namespace {

TEST_CASE("base: pieces hashed in the background have the hash of the whole") {
  Buffer content(3'000'017);
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  }
  for (const std::size_t step : {std::size_t{1} << 22U, std::size_t{200'000}, std::size_t{4'099}}) {
    BackgroundHasher hasher;
    for (std::size_t at = 0; at < content.size(); at += step) {
      hasher.update(Bytes(content).subspan(at, std::min(step, content.size() - at)));
    }
    CHECK(hasher.finish() == sha256(content));
    BackgroundHasher alone(BackgroundHasher::Thread::callers);
    alone.update(content);
    CHECK(alone.finish() == sha256(content));
  }
}

TEST_CASE("base: a background hasher that gets nothing, or is left alone, ends") {
  BackgroundHasher nothing;
  CHECK(nothing.finish() == sha256({}));
  BackgroundHasher abandoned;
  abandoned.update(Bytes(Buffer(100'000)));
}

}  // namespace
}  // namespace truewheel
