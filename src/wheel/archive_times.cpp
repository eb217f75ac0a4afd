// SPDX-License-Identifier: Apache-2.0
#include "wheel/archive_times.hpp"

#include "base/byte_reader.hpp"
#include "base/file_descriptor.hpp"
#include "base/mapped_file.hpp"
#include "wheel/zip_directory.hpp"

#include <cerrno>
#include <unistd.h>

namespace truewheel::wheel {
namespace {

constexpr std::uint64_t kEntryTime = 12;  // offsets of time and date in the two headers
constexpr std::uint64_t kLocalTime = 10;

void correct(int descriptor, const ByteReader& reader, std::uint64_t at, const DosTime& time) {
  if (reader.u16(at) == time.time && reader.u16(at + 2) == time.date) return;
  Buffer bytes;
  append_integer(bytes, time.time);
  append_integer(bytes, time.date);
  Bytes rest(bytes);
  while (!rest.empty()) {
    const auto where = static_cast<off_t>(at + bytes.size() - rest.size());
    const ssize_t written =
        uninterrupted([&] { return ::pwrite(descriptor, rest.data(), rest.size(), where); });
    if (written <= 0) throw io_error("write", "cannot write", written < 0 ? errno : ENOSPC);
    rest = rest.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

void correct_times(int descriptor, std::uint64_t size, const DosTime& time) try {
  const MappedFile file(descriptor);
  const Bytes archive = file.bytes().first(static_cast<std::size_t>(size));
  const ByteReader reader(archive);
  Oddities oddities;
  const EndRecords records = read_end_records(archive);
  std::uint64_t at = records.directory_offset;
  for (const auto& entry : read_directory(archive, records, oddities)) {
    correct(descriptor, reader, at + kEntryTime, time);
    correct(descriptor, reader, entry.local_offset + kLocalTime, time);
    at += kEntrySize + reader.u16(at + 28) + reader.u16(at + 30) + reader.u16(at + 32);
  }
} catch (const Error& error) {
  if (error.kind() != ErrorKind::refused) throw;
  throw Error(ErrorKind::withheld, "archive-reread",
              std::string("the archive that was just written cannot be read: ") + error.what());
}

}  // namespace truewheel::wheel
