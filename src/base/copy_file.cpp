// SPDX-License-Identifier: Apache-2.0
#include "base/copy_file.hpp"

#include "base/file_descriptor.hpp"

#include <algorithm>

namespace truewheel {
namespace {

constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;
/// One call copies at most 2^31 bytes less a page, whatever it is asked for.
constexpr std::uint64_t kMostPerCall = std::uint64_t{1} << 30;

/// True where the kernel or the file systems cannot copy by themselves: between two kinds of file
/// systems, for one.
bool is_unsupported(int error_number) {
  return error_number == EXDEV || error_number == ENOSYS || error_number == EINVAL ||
         error_number == EOPNOTSUPP || error_number == EPERM;
}

[[noreturn]] void source_is_shorter() {
  throw Error(ErrorKind::io, "input-changed", "the file became shorter while it was copied");
}

void copy_through_memory(int source, int target, std::uint64_t begin, std::uint64_t end) {
  Buffer window(static_cast<std::size_t>(std::min(kWindow, end - begin)));
  while (begin < end) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), end - begin));
    const ssize_t got = uninterrupted(
        [&] { return ::pread(source, window.data(), wanted, static_cast<off_t>(begin)); });
    if (got < 0) throw io_error("unreadable", "cannot read", errno);
    if (got == 0) source_is_shorter();
    write_at(target, begin, Bytes(window).first(static_cast<std::size_t>(got)));
    begin += static_cast<std::uint64_t>(got);
  }
}

void copy_range(int source, int target, std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    auto from = static_cast<off_t>(begin), to = from;
    const auto wanted = static_cast<std::size_t>(std::min(kMostPerCall, end - begin));
    const ssize_t copied =
        uninterrupted([&] { return ::copy_file_range(source, &from, target, &to, wanted, 0); });
    if (copied < 0) {
      if (is_unsupported(errno)) return copy_through_memory(source, target, begin, end);
      throw io_error("write", "cannot write", errno);
    }
    if (copied == 0) source_is_shorter();
    begin += static_cast<std::uint64_t>(copied);
  }
}

}  // namespace

void copy_file(int source, int target, std::uint64_t size) {
  // Where nothing is written there will be a hole.
  if (uninterrupted([&] { return ::ftruncate(target, static_cast<off_t>(size)); }) != 0)
    throw io_error("write", "cannot write", errno);
  for (std::uint64_t at = 0; at < size;) {
    off_t data = ::lseek(source, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) {  // a hole up to the end, or the end itself
      if (::lseek(source, 0, SEEK_END) < static_cast<off_t>(size)) source_is_shorter();
      return;
    }
    off_t hole = data < 0 ? data : ::lseek(source, data, SEEK_HOLE);
    if (data < 0 || hole <= data) {  // a file system that knows no holes
      data = static_cast<off_t>(at);
      hole = static_cast<off_t>(size);
    }
    const std::uint64_t end = std::min(static_cast<std::uint64_t>(hole), size);
    if (static_cast<std::uint64_t>(data) < end)
      copy_range(source, target, static_cast<std::uint64_t>(data), end);
    at = std::max(end, static_cast<std::uint64_t>(data));
  }
}

void write_at(int descriptor, std::uint64_t offset, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted([&] {
      return ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (written < 0) throw io_error("write", "cannot write", errno);
    if (written == 0) throw io_error("write", "cannot write", ENOSPC);
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace truewheel
