// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.hpp"

#include "base/hash.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>

namespace truewheel {
namespace {

constexpr std::string_view kDamaged = "the deflate stream is damaged";
constexpr std::string_view kTooLong = "the content is longer than the size it is given";
constexpr std::string_view kTooShort = "the content is shorter than the size it is given";
constexpr std::string_view kTrailing = "data follows the end of the deflate stream";

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* at) const { libdeflate_free_decompressor(at); }
};
struct FreeCompressor {
  void operator()(libdeflate_compressor* at) const { libdeflate_free_compressor(at); }
};

}  // namespace

std::optional<std::string_view> inflate_exactly(Bytes compressed, std::span<std::uint8_t> content) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  std::uint8_t nothing = 0;  // libdeflate wants a place to point at even for empty content
  std::size_t consumed = 0;
  std::size_t produced = 0;
  const libdeflate_result result = libdeflate_deflate_decompress_ex(
      decompressor.get(), compressed.data(), compressed.size(),
      content.empty() ? &nothing : content.data(), content.size(), &consumed, &produced);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return kTooLong;
  if (result != LIBDEFLATE_SUCCESS) return kDamaged;
  if (consumed != compressed.size()) return kTrailing;
  if (produced != content.size()) return kTooShort;
  return std::nullopt;
}

std::size_t deflate_into(std::span<std::uint8_t> room, Bytes content, int level) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(level));
  if (!compressor) throw std::bad_alloc();
  return libdeflate_deflate_compress(compressor.get(), content.data(), content.size(), room.data(),
                                     room.size());
}

std::size_t deflate_bound(std::size_t size) {
  return libdeflate_deflate_compress_bound(nullptr, size);
}

std::optional<Buffer> deflate_smaller(Bytes content, int level) {
  if (content.empty()) return std::nullopt;
  // Room for one byte less than the content: what does not fit is not smaller. The room is not
  // cleared, so its unused part costs no memory; the result is a copy of exactly its length.
  const std::size_t room = content.size() - 1;
  const auto out = std::make_unique_for_overwrite<std::uint8_t[]>(std::max<std::size_t>(room, 1));
  const std::size_t length = deflate_into({out.get(), room}, content, level);
  if (length == 0) return std::nullopt;
  return Buffer(out.get(), out.get() + length);
}

// Here and not in hash.cpp since libdeflate's is several times as fast as zlib's, and this file
// knows libdeflate.
std::uint32_t crc32(std::uint32_t start, Bytes bytes) {
  // With no buffer libdeflate answers the start value of an empty CRC, whatever was asked to go on
  // from.
  return bytes.empty() ? start : libdeflate_crc32(start, bytes.data(), bytes.size());
}

}  // namespace truewheel
