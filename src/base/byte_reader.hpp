// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>
#include <truewheel/error.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace truewheel {

enum class ByteOrder { little, big };

/// The only place where offsets become bytes: every access is checked against the end.
///
/// A reader is a view of `bytes` with a byte order and a name for its messages
/// ("central directory", ".dynstr"); it throws Error(refused, "truncated") past the end.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes, ByteOrder order = ByteOrder::little, std::string_view name = {})
      : bytes_(bytes), order_(order), name_(name) {}

  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] Bytes all() const { return bytes_; }

  [[nodiscard]] std::uint8_t u8(std::uint64_t offset) const { return load<std::uint8_t>(offset); }
  [[nodiscard]] std::uint16_t u16(std::uint64_t offset) const {
    return load<std::uint16_t>(offset);
  }
  [[nodiscard]] std::uint32_t u32(std::uint64_t offset) const {
    return load<std::uint32_t>(offset);
  }
  [[nodiscard]] std::uint64_t u64(std::uint64_t offset) const {
    return load<std::uint64_t>(offset);
  }

  /// `length` bytes at `offset`.
  [[nodiscard]] Bytes slice(std::uint64_t offset, std::uint64_t length) const {
    require(offset, length);
    return bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
  }

  /// The NUL-terminated string at `offset`, without its NUL; no NUL before the end is a refusal.
  [[nodiscard]] std::string_view c_string(std::uint64_t offset) const;

 private:
  void require(std::uint64_t offset, std::uint64_t length) const {
    if (offset > bytes_.size() || length > bytes_.size() - offset) fail(offset, length);
  }
  [[noreturn]] void fail(std::uint64_t offset, std::uint64_t length) const;

  template <class T>
  [[nodiscard]] T load(std::uint64_t offset) const {
    require(offset, sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    if constexpr (sizeof(T) > 1) {
      constexpr bool native_is_little = std::endian::native == std::endian::little;
      if ((order_ == ByteOrder::little) != native_is_little) value = swap_bytes(value);
    }
    return value;
  }
  static std::uint16_t swap_bytes(std::uint16_t value) { return __builtin_bswap16(value); }
  static std::uint32_t swap_bytes(std::uint32_t value) { return __builtin_bswap32(value); }
  static std::uint64_t swap_bytes(std::uint64_t value) { return __builtin_bswap64(value); }

  Bytes bytes_;
  ByteOrder order_;
  std::string_view name_;
};

/// `bytes` as text; the view lives as long as the bytes.
[[nodiscard]] std::string_view as_text(Bytes bytes);
/// `text` as bytes; the view lives as long as the text.
[[nodiscard]] Bytes as_bytes(std::string_view text);

/// Appends `value` to `out` in the given byte order.
template <class T>
void append_integer(Buffer& out, T value, ByteOrder order = ByteOrder::little) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    const std::size_t shift = 8 * (order == ByteOrder::little ? i : sizeof(T) - 1 - i);
    out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> shift));
  }
}

}  // namespace truewheel
