// SPDX-License-Identifier: Apache-2.0
#include "elf/encode.hpp"

namespace truewheel::elf {

void Encoder::append_word(Buffer& out, std::uint64_t value) const {
  if (is_64_) {
    append_integer(out, value, order_);
  } else {
    append_integer(out, static_cast<std::uint32_t>(value), order_);
  }
}

Buffer Encoder::half(std::uint16_t value) const {
  Buffer out;
  append_half(out, value);
  return out;
}

Buffer Encoder::word32(std::uint32_t value) const {
  Buffer out;
  append_word32(out, value);
  return out;
}

Buffer Encoder::word(std::uint64_t value) const {
  Buffer out;
  append_word(out, value);
  return out;
}

Buffer Encoder::segments(const std::vector<Segment>& segments) const {
  Buffer out;
  for (const Segment& segment : segments) {
    append_word32(out, segment.type);
    if (is_64_) append_word32(out, segment.flags);
    append_word(out, segment.offset);
    append_word(out, segment.vaddr);
    append_word(out, segment.paddr);
    append_word(out, segment.filesz);
    append_word(out, segment.memsz);
    if (!is_64_) append_word32(out, segment.flags);
    append_word(out, segment.align);
  }
  return out;
}

Buffer Encoder::sections(const std::vector<Section>& sections) const {
  Buffer out;
  for (const Section& section : sections) {
    append_word32(out, section.name_offset);
    append_word32(out, section.type);
    append_word(out, section.flags);
    append_word(out, section.addr);
    append_word(out, section.offset);
    append_word(out, section.size);
    append_word32(out, section.link);
    append_word32(out, section.info);
    append_word(out, section.addralign);
    append_word(out, section.entsize);
  }
  return out;
}

void Encoder::append_dynamic(Buffer& out, std::int64_t tag, std::uint64_t value) const {
  append_word(out, static_cast<std::uint64_t>(tag));
  append_word(out, value);
}

}  // namespace truewheel::elf
