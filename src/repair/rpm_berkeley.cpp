// SPDX-License-Identifier: Apache-2.0
// The hash access method of Berkeley DB as files hold it (db_page.h of db 5.3), as far as the
// Packages file of rpm before 4.16 uses it: headers are larger than a page and lie on chains of
// overflow pages; numbers have the byte order of the machine that wrote them.
#include "base/byte_reader.hpp"
#include "base/mapped_file.hpp"
#include "repair/rpm_database.hpp"

#include <optional>

namespace truewheel::repair {
namespace {

constexpr std::uint32_t kHashMagic = 0x061561;
constexpr std::uint8_t kHashMeta = 8, kHashUnsorted = 2, kHash = 13, kOverflow = 7;
constexpr std::uint8_t kKeyData = 1, kOffPage = 3;
constexpr std::uint64_t kPageHead = 26;

class HashFile {
 public:
  HashFile(Bytes bytes, ByteOrder order)
      : order_(order), file_(bytes, order, "Packages"), page_size_(file_.u32(20)) {}

  [[nodiscard]] bool is_plain() const {
    const bool is_power =
        page_size_ >= 512 && page_size_ <= 65536 && (page_size_ & (page_size_ - 1)) == 0;
    return is_power && file_.u8(24) == 0 && file_.u8(25) == kHashMeta;  // not encrypted
  }

  void read(const RpmHeaderUse& use) {
    const std::uint64_t pages = file_.size() / page_size_;
    for (std::uint64_t number = 1; number < pages; ++number) {
      const auto page = page_at(number);
      const auto type = page.u8(25);
      if (type != kHash && type != kHashUnsorted) continue;
      // Keys and values take turns; the values are the headers.
      for (std::uint64_t item = 1; item < page.u16(20); item += 2) read_item(page, item, use);
    }
  }

 private:
  [[nodiscard]] ByteReader page_at(std::uint64_t number) const {
    return ByteReader(file_.slice(number * page_size_, page_size_), order_, "Packages");
  }

  /// Items grow from the end of a page towards its front.
  void read_item(const ByteReader& page, std::uint64_t item, const RpmHeaderUse& use) {
    const auto place = [&](std::uint64_t i) { return page.u16(kPageHead + 2 * i); };
    const std::uint64_t start = place(item);
    const std::uint64_t end = place(item - 1);
    if (start >= end) return;
    if (page.u8(start) == kKeyData) {
      use(page.slice(start + 1, end - start - 1));
    } else if (page.u8(start) == kOffPage) {
      const auto content = chain(page.u32(start + 4), page.u32(start + 8));
      if (content) use(*content);
    }
  }

  [[nodiscard]] std::optional<Buffer> chain(std::uint64_t number, std::uint64_t length) {
    if (length > budget_) return std::nullopt;
    budget_ -= length;
    Buffer content;
    content.reserve(static_cast<std::size_t>(length));
    while (number != 0 && content.size() < length) {
      const auto page = page_at(number);
      const auto piece = page.u16(22);
      if (page.u8(25) != kOverflow || piece == 0) return std::nullopt;
      const auto bytes = page.slice(kPageHead, piece);
      content.insert(content.end(), bytes.begin(), bytes.end());
      number = page.u32(16);
    }
    if (content.size() != length) return std::nullopt;
    return content;
  }

  ByteOrder order_;
  ByteReader file_;
  std::uint64_t page_size_;
  std::uint64_t budget_ = file_.size();  ///< chains do not share pages: all fit into the file
};

}  // namespace

void read_rpm_berkeley(const std::filesystem::path& database, const RpmHeaderUse& use) {
  try {
    const MappedFile file(database);
    for (const auto order : {ByteOrder::little, ByteOrder::big}) {
      if (ByteReader(file.bytes(), order).u32(12) != kHashMagic) continue;
      HashFile hash(file.bytes(), order);
      if (hash.is_plain()) hash.read(use);
      return;
    }
  } catch (const Error&) {
    return;
  }
}

}  // namespace truewheel::repair
