// SPDX-License-Identifier: Apache-2.0
#include "deps/ld_so_cache.hpp"

#include "base/byte_reader.hpp"
#include "base/mapped_file.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace truewheel::deps {
namespace {

constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kHeaderSize = 48;  // struct cache_file_new
constexpr std::size_t kEntrySize = 24;   // struct file_entry_new

[[noreturn]] void damaged() {
  throw Error(ErrorKind::refused, "ld-so-cache", "/etc/ld.so.cache is damaged", "run ldconfig");
}

std::uint32_t number_at(std::string_view text, std::size_t at, bool is_big) {
  if (at + 4 > text.size()) damaged();
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[at + (is_big ? i : 3 - i)]);
    value = value << 8 | byte;
  }
  return value;
}

std::string_view text_at(std::string_view text, std::size_t at) {
  const auto end = at < text.size() ? text.find('\0', at) : std::string_view::npos;
  if (end == std::string_view::npos) damaged();
  return text.substr(at, end - at);
}

}  // namespace

std::optional<LdSoCache> LdSoCache::read(const Sysroot& sysroot) {
  const std::filesystem::path path = sysroot.inside("/etc/ld.so.cache");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  LdSoCache cache;
  {
    const MappedFile file(path);
    cache.file_.assign(file.bytes().begin(), file.bytes().end());
  }
  std::string_view text = as_text(cache.file_);
  // ldconfig -c compat puts the new format behind the old one; offsets count from its own start.
  const auto begin = text.find(kMagic);
  if (begin == std::string_view::npos) damaged();
  text.remove_prefix(begin);
  if (text.size() < kHeaderSize) damaged();
  // The flags' low bits: 2 little endian, 3 big endian, 0 written by a glibc before 2.33.
  const bool is_big = (static_cast<std::uint8_t>(text[28]) & 3U) == 3U;
  const std::uint32_t count = number_at(text, 20, is_big);
  if (count > (text.size() - kHeaderSize) / kEntrySize) damaged();
  cache.entries_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto at = kHeaderSize + i * kEntrySize;
    cache.entries_.emplace_back(text_at(text, number_at(text, at + 4, is_big)),
                                text_at(text, number_at(text, at + 8, is_big)));
  }
  std::stable_sort(cache.entries_.begin(), cache.entries_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return cache;
}

std::vector<std::string> LdSoCache::find(std::string_view name) const {
  std::vector<std::string> paths;
  const auto first =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  for (auto at = first; at != entries_.end() && at->first == name; ++at) {
    paths.emplace_back(at->second);
  }
  return paths;
}

}  // namespace truewheel::deps
