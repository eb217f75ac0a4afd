// SPDX-License-Identifier: Apache-2.0
#include "repair/rpm_header.hpp"

#include "base/byte_reader.hpp"

#include <map>

namespace truewheel::repair {
namespace {

// rpmTag and rpmTagType
constexpr std::uint32_t kName = 1000, kVersion = 1001, kRelease = 1002, kEpoch = 1003;
constexpr std::uint32_t kLicence = 1014, kArchitecture = 1022, kFileFlags = 1037;
constexpr std::uint32_t kDirIndexes = 1116, kBaseNames = 1117, kDirNames = 1118;
constexpr std::uint32_t kInt32 = 4, kString = 6, kStringArray = 8, kI18nString = 9;
constexpr std::uint32_t kFileIsLicence = 1U << 7;
constexpr std::uint64_t kEntrySize = 16;

class Header {
 public:
  explicit Header(Bytes blob) : reader_(blob, ByteOrder::big, "rpm header") {
    const std::uint64_t entries = reader_.u32(0);
    data_start_ = 8 + entries * kEntrySize;
    data_ = reader_.slice(data_start_, reader_.u32(4));
    for (std::uint64_t i = 0; i < entries; ++i) {
      const auto at = 8 + i * kEntrySize;
      entries_[reader_.u32(at)] = {reader_.u32(at + 4), reader_.u32(at + 8), reader_.u32(at + 12)};
    }
  }

  [[nodiscard]] std::string text(std::uint32_t tag) const {
    const auto* entry = find(tag);
    if (entry == nullptr || (entry->type != kString && entry->type != kI18nString)) return {};
    return std::string(data().c_string(entry->offset));
  }

  [[nodiscard]] std::vector<std::uint32_t> numbers(std::uint32_t tag) const {
    const auto* entry = find(tag);
    if (entry == nullptr || entry->type != kInt32) return {};
    const ByteReader bytes(data().slice(entry->offset, 4ULL * entry->count), ByteOrder::big);
    std::vector<std::uint32_t> values;
    for (std::uint64_t i = 0; i < entry->count; ++i) values.push_back(bytes.u32(4 * i));
    return values;
  }

  [[nodiscard]] std::vector<std::string> texts(std::uint32_t tag) const {
    const auto* entry = find(tag);
    if (entry == nullptr || entry->type != kStringArray) return {};
    std::vector<std::string> values;
    std::uint64_t at = entry->offset;
    for (std::uint64_t i = 0; i < entry->count; ++i) {
      values.emplace_back(data().c_string(at));
      at += values.back().size() + 1;
    }
    return values;
  }

 private:
  struct Entry {
    std::uint32_t type = 0, offset = 0, count = 0;
  };

  [[nodiscard]] const Entry* find(std::uint32_t tag) const {
    const auto found = entries_.find(tag);
    return found == entries_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] ByteReader data() const { return ByteReader(data_, ByteOrder::big, "rpm header"); }

  ByteReader reader_;
  std::uint64_t data_start_ = 0;
  Bytes data_;
  std::map<std::uint32_t, Entry> entries_;
};

}  // namespace

std::optional<RpmPackage> parse_rpm_header(Bytes blob) {
  try {
    const Header header(blob);
    RpmPackage package;
    package.name = header.text(kName);
    package.version = header.text(kVersion);
    if (package.name.empty() || package.version.empty()) return std::nullopt;
    if (const auto release = header.text(kRelease); !release.empty()) {
      package.version += "-" + release;
    }
    if (const auto epoch = header.numbers(kEpoch); !epoch.empty()) {
      package.version = std::to_string(epoch.front()) + ":" + package.version;
    }
    package.architecture = header.text(kArchitecture);
    package.licence = header.text(kLicence);

    const auto names = header.texts(kBaseNames);
    const auto folders = header.texts(kDirNames);
    const auto indexes = header.numbers(kDirIndexes);
    const auto flags = header.numbers(kFileFlags);
    for (std::size_t i = 0; i < names.size() && i < indexes.size(); ++i) {
      if (indexes[i] >= folders.size()) return std::nullopt;
      const bool is_licence = i < flags.size() && (flags[i] & kFileIsLicence) != 0;
      package.files.push_back({folders[indexes[i]] + names[i], is_licence});
    }
    return package;
  } catch (const Error&) {
    return std::nullopt;  // a damaged database is no reason to withhold a wheel
  }
}

}  // namespace truewheel::repair
