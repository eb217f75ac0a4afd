// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/error.hpp>

#include <cstdint>
#include <source_location>

namespace truewheel {

/// Unsigned 64-bit arithmetic on numbers that come from files: a wrap is a refusal, never a small
/// number.
inline std::uint64_t checked_add(std::uint64_t a, std::uint64_t b,
                                 std::source_location at = std::source_location::current()) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw Error(ErrorKind::refused, "number-overflow", "a size or offset wraps around 2^64", {},
                at);
  }
  return sum;
}

inline std::uint64_t checked_mul(std::uint64_t a, std::uint64_t b,
                                 std::source_location at = std::source_location::current()) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw Error(ErrorKind::refused, "number-overflow", "a size or offset wraps around 2^64", {},
                at);
  }
  return product;
}

/// `value` rounded up to a multiple of `alignment`, a power of two.
inline std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment,
                              std::source_location at = std::source_location::current()) {
  return checked_add(value, alignment - 1, at) & ~(alignment - 1);
}

inline constexpr std::uint64_t align_down(std::uint64_t value, std::uint64_t alignment) {
  return value & ~(alignment - 1);
}

inline constexpr bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace truewheel
