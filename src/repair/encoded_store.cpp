// SPDX-License-Identifier: Apache-2.0
#include "repair/encoded_store.hpp"

#include "base/mapped_pages.hpp"
#include "base/pieces.hpp"

#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace truewheel::repair {
namespace {

constexpr std::uint64_t kInMemory = std::uint64_t{64} << 20U;
/// A mapping begins at a page; no system has larger ones.
constexpr std::uint64_t kAlignment = std::uint64_t{64} << 10U;

bool write_at(int file, Bytes bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const auto written = uninterrupted(
        [&] { return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace

void EncodedStore::keep(wheel::EncodedMember& member) {
  const std::uint64_t size = member.compressed.size();
  if (!member.owned || member.drop || size == 0) return;
  const auto offset = room_for(size);
  if (!offset) return;
  if (!write_at(file_.get(), member.compressed, *offset)) {
    give_up(*offset, size);
    return;
  }
  void* const start = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE,
                             file_.get(), static_cast<off_t>(*offset));
  if (start == MAP_FAILED) return;
  const auto mapped = std::make_shared<const MappedPages>(static_cast<std::uint8_t*>(start),
                                                          static_cast<std::size_t>(size));
  member.compressed = mapped->bytes();
  member.owned = mapped;
  member.drop = [mapped](Bytes piece) { mapped->drop(piece); };
}

std::optional<std::uint64_t> EncodedStore::room_for(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (in_memory_ + size <= kInMemory) {
    in_memory_ += size;
    return std::nullopt;
  }
  if (!file_.is_open() && !has_failed_) {
    file_ = FileDescriptor(uninterrupted(
        [&] { return ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }));
    has_failed_ = !file_.is_open();
  }
  if (has_failed_ || !leaves_room(size)) return std::nullopt;
  const std::uint64_t offset = end_;
  end_ += (size + kAlignment - 1) / kAlignment * kAlignment;
  return offset;
}

bool EncodedStore::leaves_room(std::uint64_t size) const {
  struct statvfs disk {};
  if (::fstatvfs(file_.get(), &disk) != 0) return false;
  const std::uint64_t wheel = copied_ + in_memory_ + end_ + size;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize >= size + wheel;
}

void EncodedStore::give_up(std::uint64_t offset, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  has_failed_ = true;
  ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(size));
}

}  // namespace truewheel::repair
