// SPDX-License-Identifier: Apache-2.0
#include "base/bit_writer.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace truewheel {
namespace {

std::vector<bool> bits_of(Bytes bytes) {
  std::vector<bool> bits;
  for (const std::uint8_t byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) bits.push_back((byte >> bit & 1U) != 0);
  }
  return bits;
}

Buffer noise(std::mt19937& random, std::size_t size) {
  Buffer bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

}  // namespace

TEST_CASE("bits fill bytes from the lowest up and the last byte is filled with zeros") {
  BitWriter out(0);
  out.put(1, 1);
  out.put(2, 2);
  CHECK(out.position() == 3);
  out.put(0xffff'fff5U, 4);
  out.put(0x1234, 16);
  CHECK(out.position() == 23);
  CHECK(out.finish() == Buffer{0x2d, 0x1a, 0x09});
  CHECK(out.position() == 0);
}

TEST_CASE("aligning fills the byte begun and leaves a byte's start alone") {
  BitWriter out(8);
  out.align();
  CHECK(out.position() == 0);
  out.put(1, 1);
  out.align();
  out.align();
  CHECK(out.position() == 8);
  out.append(Buffer{7, 8});
  CHECK(out.finish() == Buffer{1, 7, 8});
}

TEST_CASE("the bits of the unfinished byte can be taken over") {
  BitWriter out(8);
  out.append(Buffer{9});
  out.put(5, 3);
  const BitWriter::Partial partial = out.take_partial();
  CHECK(partial.value == 5);
  CHECK(partial.count == 3);
  CHECK(out.position() == 8);
  out.append(Buffer{0x85});
  CHECK(out.finish() == Buffer{9, 0x85});
}

TEST_CASE("copies of any bits to any bit are those bits, and nothing past the end is read") {
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    // The size is exact, so that a sanitizer sees a read behind the last byte.
    const Buffer source = noise(random, 1 + random() % (round % 10 == 0 ? 40000 : 40));
    const std::vector<bool> source_bits = bits_of(source);
    BitWriter out(round % 2 == 0 ? 0 : source.size() + 8);
    std::vector<bool> expected;
    for (int part = 0; part < 3; ++part) {
      const auto value = static_cast<unsigned>(random());
      const auto count = static_cast<unsigned>(random() % 17);
      out.put(value, count);
      for (unsigned bit = 0; bit < count; ++bit) expected.push_back((value >> bit & 1U) != 0);
      std::size_t first = random() % (source_bits.size() + 1);
      std::size_t end = round % 3 == 0 ? source_bits.size() : random() % (source_bits.size() + 1);
      if (first > end) std::swap(first, end);
      out.copy(source, first, end);
      for (std::size_t bit = first; bit < end; ++bit) expected.push_back(source_bits[bit]);
    }
    REQUIRE(out.position() == expected.size());
    expected.resize((expected.size() + 7) / 8 * 8, false);
    REQUIRE(bits_of(out.finish()) == expected);
  }
}

}  // namespace truewheel
