// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"

#include "base/file_descriptor.hpp"
#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace truewheel {
namespace {

std::string quoted(const std::filesystem::path& path) {
  return "'" + printable(path.native()) + "'";
}

FileStamp stamp_of(const struct stat& status) {
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer; a regular file does not care.
  FileDescriptor file(
      uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (!file.is_open()) {
    const int why = errno;
    if (why == ENOENT || why == ENOTDIR) {
      throw Error(ErrorKind::usage, "absent-input", quoted(path) + " does not exist")
          .about({path.string()});
    }
    throw io_error("unreadable", "cannot open " + quoted(path), why);
  }
  map(file.get());
  descriptor_ = file.release();
}

MappedFile::MappedFile(int descriptor) {
  FileDescriptor file(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (!file.is_open()) throw io_error("unreadable", "cannot use an open file", errno);
  map(file.get());
  descriptor_ = file.release();
}

void MappedFile::map(int descriptor) {
  const std::string name = path_.empty() ? "an open file" : quoted(path_);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw io_error("unreadable", "cannot stat " + name, errno);
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::io, "unreadable", name + " is a folder, not a file");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::io, "unreadable", name + " is not a regular file");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > std::numeric_limits<std::size_t>::max() / 2) {
    throw Error(ErrorKind::io, "unreadable", name + " is too large to map");
  }
  if (size != 0) {
    void* start =
        ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (start == MAP_FAILED) throw io_error("unreadable", "cannot map " + name, errno);
    data_ = static_cast<const std::uint8_t*>(start);
    size_ = static_cast<std::size_t>(size);
  }
  stamp_ = stamp_of(status);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      stamp_(other.stamp_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(descriptor_, other.descriptor_);
    stamp_ = other.stamp_;
    path_ = other.path_;
  }
  return *this;
}

MappedPages MappedFile::version(std::uint64_t keep, Bytes tail) const {
  const auto size = static_cast<std::size_t>(keep) + tail.size();
  if (size == 0) return {};
  // Zeros that take no memory, with the file's pages over their front.
  void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw io_error("memory", "cannot map memory", errno);
  MappedPages pages(static_cast<std::uint8_t*>(start), size);
  if (keep != 0 && ::mmap(start, static_cast<std::size_t>(keep), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, descriptor_, 0) == MAP_FAILED) {
    throw io_error("memory", "cannot map " + quoted(path_), errno);
  }
  std::copy(tail.begin(), tail.end(), pages.bytes().begin() + static_cast<std::ptrdiff_t>(keep));
  return pages;
}

bool MappedFile::unchanged() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return false;
  // The inode changes also when the file loses its name, and keeps its content.
  FileStamp now = stamp_of(status);
  now.changed = stamp_.changed;
  return now == stamp_;
}

bool MappedFile::is_same_file(const std::filesystem::path& path) const {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_dev == stamp_.device &&
         status.st_ino == stamp_.inode;
}

void MappedFile::drop(Bytes piece) const noexcept {
  if (piece.empty() || piece.data() < data_ ||
      piece.data() - data_ > static_cast<std::ptrdiff_t>(size_))
    return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto start = static_cast<std::size_t>(piece.data() - data_) / page * page;
  const auto end = std::min(static_cast<std::size_t>(piece.data() - data_) + piece.size(), size_);
  // The mapping is private and never written, so the kernel reads the same bytes again if they are
  // asked for again.
  ::madvise(const_cast<std::uint8_t*>(data_) + start, end - start, MADV_DONTNEED);
}

namespace {

/// `dropped` is told each pair of pieces that is done with.
template <class Dropped>
bool same_pieces(Bytes part, Bytes other_part, const Dropped& dropped) {
  constexpr std::size_t kStep = std::size_t{1} << 20U;
  constexpr std::size_t kWorthDropping = std::size_t{64} << 10U;
  if (part.size() != other_part.size()) return false;
  while (!part.empty()) {
    const Bytes piece = part.first(std::min(kStep, part.size()));
    const Bytes other_piece = other_part.first(piece.size());
    if (std::memcmp(piece.data(), other_piece.data(), piece.size()) != 0) return false;
    // A small one is one of many that share pages.
    if (piece.size() >= kWorthDropping) dropped(piece, other_piece);
    part = part.subspan(piece.size());
    other_part = other_part.subspan(piece.size());
  }
  return true;
}

}  // namespace

bool same_bytes(const MappedFile& file, Bytes part, const MappedFile& other_file,
                Bytes other_part) {
  return same_pieces(part, other_part, [&](Bytes piece, Bytes other_piece) {
    file.drop(piece);
    other_file.drop(other_piece);
  });
}

bool same_bytes(const MappedFile& file, Bytes part, Bytes expected,
                const std::function<void(Bytes)>& compared) {
  return same_pieces(part, expected, [&](Bytes piece, Bytes other_piece) {
    file.drop(piece);
    if (compared) compared(other_piece);
  });
}

}  // namespace truewheel
