// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// Writes structures in a file's own class and byte order; the counterpart of ElfImage's reading.
class Encoder {
 public:
  explicit Encoder(const Header& header) : is_64_(header.bits == 64), order_(header.order) {}

  [[nodiscard]] Buffer half(std::uint16_t value) const;
  [[nodiscard]] Buffer word32(std::uint32_t value) const;
  [[nodiscard]] Buffer word(std::uint64_t value) const;  ///< 4 or 8 bytes by class
  [[nodiscard]] Buffer segments(const std::vector<Segment>& segments) const;
  [[nodiscard]] Buffer sections(const std::vector<Section>& sections) const;
  void append_dynamic(Buffer& out, std::int64_t tag, std::uint64_t value) const;

 private:
  void append_half(Buffer& out, std::uint16_t value) const { append_integer(out, value, order_); }
  void append_word32(Buffer& out, std::uint32_t value) const { append_integer(out, value, order_); }
  void append_word(Buffer& out, std::uint64_t value) const;

  bool is_64_;
  ByteOrder order_;
};

}  // namespace truewheel::elf
