// SPDX-License-Identifier: Apache-2.0
// rpm's lib/backend/ndb/rpmpkg.c: "Packages.db" has a page-rounded table of slots, each of which
// says in which 16-byte block a package's header begins.
#include "base/byte_reader.hpp"
#include "base/mapped_file.hpp"
#include "repair/rpm_database.hpp"

namespace truewheel::repair {
namespace {

constexpr std::uint32_t kFileMagic = 0x506d7052;  // "RpmP"
constexpr std::uint32_t kSlotMagic = 0x746f6c53;  // "Slot"
constexpr std::uint32_t kBlobMagic = 0x53626c42;  // "BlbS"
constexpr std::uint64_t kPage = 4096, kSlot = 16, kFirstSlot = 32, kBlock = 16, kBlobHead = 16;

void read_slots(const ByteReader& file, const RpmHeaderUse& use) {
  if (file.u32(0) != kFileMagic || file.u32(4) != 0) return;
  const std::uint64_t end = file.u32(12) * kPage;
  std::uint64_t budget = file.size();  // headers do not overlap, so that they fit into the file
  for (std::uint64_t slot = kFirstSlot; slot + kSlot <= end; slot += kSlot) {
    const auto package = file.u32(slot + 4);
    if (file.u32(slot) != kSlotMagic) return;
    if (package == 0) continue;  // a free slot
    const auto blob = file.u32(slot + 8) * kBlock;
    if (file.u32(blob) != kBlobMagic || file.u32(blob + 4) != package) continue;
    const auto header = file.slice(blob + kBlobHead, file.u32(blob + 12));
    if (header.size() > budget) return;
    budget -= header.size();
    use(header);
  }
}

}  // namespace

void read_rpm_ndb(const std::filesystem::path& database, const RpmHeaderUse& use) {
  try {
    const MappedFile file(database);
    read_slots(ByteReader(file.bytes(), ByteOrder::little, "Packages.db"), use);
  } catch (const Error&) {
    return;
  }
}

}  // namespace truewheel::repair
