// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace truewheel {

/// A running digest over pieces. Algorithms: sha256, sha384, sha512, sha3_256, sha3_384, sha3_512,
/// blake2b (hashlib's names). Throws Error(refused, "hash-algorithm") for others.
class Hasher {
 public:
  explicit Hasher(std::string_view algorithm = "sha256");
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  void update(Bytes piece);
  [[nodiscard]] Buffer finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] Buffer sha256(Bytes bytes);
[[nodiscard]] std::string hex(Bytes bytes);
/// Unpadded url-safe base64, as RECORD has it.
[[nodiscard]] std::string base64url(Bytes bytes);
[[nodiscard]] std::uint32_t crc32(std::uint32_t start, Bytes bytes);

}  // namespace truewheel
