// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>
#include <string_view>

/// Records of the zip format: APPNOTE.TXT 6.3.10, section 4.3 (layout) and 4.5 (extra fields).
namespace truewheel::wheel {

inline constexpr std::uint32_t kLocalSignature = 0x04034b50;
inline constexpr std::uint32_t kDescriptorSignature = 0x08074b50;
inline constexpr std::uint32_t kEntrySignature = 0x02014b50;
inline constexpr std::uint32_t kEndSignature = 0x06054b50;
inline constexpr std::uint32_t kZip64EndSignature = 0x06064b50;
inline constexpr std::uint32_t kZip64LocatorSignature = 0x07064b50;

inline constexpr std::uint64_t kLocalSize = 30;
inline constexpr std::uint64_t kEntrySize = 46;
inline constexpr std::uint64_t kEndSize = 22;
inline constexpr std::uint64_t kZip64EndSize = 56;
inline constexpr std::uint64_t kZip64LocatorSize = 20;
inline constexpr std::uint64_t kDescriptorSize = 16;
inline constexpr std::uint64_t kZip64DescriptorSize = 24;

inline constexpr std::uint16_t kSentinel16 = 0xFFFF;
inline constexpr std::uint32_t kSentinel32 = 0xFFFFFFFF;

inline constexpr std::uint16_t kFlagEncrypted = 1U << 0;
inline constexpr std::uint16_t kFlagDeflateLevel = 3U
                                                   << 1;  ///< bits 1 and 2, a hint without effect
inline constexpr std::uint16_t kFlagDescriptor = 1U << 3;
inline constexpr std::uint16_t kFlagStrongEncryption = 1U << 6;
inline constexpr std::uint16_t kFlagUtf8 = 1U << 11;
inline constexpr std::uint16_t kFlagMaskedHeader = 1U << 13;

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflate = 8;

inline constexpr std::uint16_t kExtraZip64 = 0x0001;
inline constexpr std::uint16_t kExtraUnicodePath = 0x7075;

/// A member as the central directory describes it.
struct DirectoryEntry {
  std::string_view name;  ///< a view of the archive
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t local_offset = 0;
  std::uint32_t attributes =
      0;  ///< external: Unix mode in the upper half, DOS attributes in the lower
  bool has_comment = false;

  [[nodiscard]] bool is_folder() const { return name.ends_with('/'); }
};

}  // namespace truewheel::wheel
