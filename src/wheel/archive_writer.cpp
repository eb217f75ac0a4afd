// SPDX-License-Identifier: Apache-2.0
// Writing through libzip. Two sources of our own stand between it and the program: one that hands a
// member's compressed bytes over as they are, and one that takes the archive and puts it into an
// open file. C code calls them, so they let no exception through: one of writing waits in the
// session and is thrown when libzip has returned; reading throws none.
#include "base/file_descriptor.hpp"
#include "base/pieces.hpp"
#include "base/text.hpp"
#include "wheel/archive_times.hpp"
#include "wheel/descriptor_sink.hpp"
#include "wheel/dos_time.hpp"
#include "wheel/libzip.hpp"
#include "wheel/zip_format.hpp"
#include <truewheel/error.hpp>
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace truewheel::wheel {
namespace {

constexpr zip_uint32_t kFileAttributes = 0100644U << 16;
constexpr zip_uint32_t kProgramAttributes = 0100755U << 16;

struct ErrorState {
  zip_error_t error;
  ErrorState() { libzip().error_init(&error); }
  ~ErrorState() { libzip().error_fini(&error); }
  ErrorState(const ErrorState&) = delete;
  ErrorState& operator=(const ErrorState&) = delete;
};

[[noreturn]] void fail(std::string_view attempt, zip_error_t* error) {
  throw Error(ErrorKind::io, "write",
              fmt::format("cannot {}: {}", attempt, libzip().error_strerror(error)));
}

// The archive that libzip writes. It may ask for what is there already: nothing.
class OutputSession {
 public:
  explicit OutputSession(int descriptor) : sink_(descriptor) {}

  static zip_int64_t callback(void* self, void* data, zip_uint64_t length,
                              zip_source_cmd_t command) noexcept {
    auto& session = *static_cast<OutputSession*>(self);
    try {
      return session.handle(data, length, command);
    } catch (...) {
      session.failure_ = std::current_exception();
      libzip().error_set(&session.state_.error, ZIP_ER_WRITE, 0);
      return -1;
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  DescriptorSink& sink() { return sink_; }

 private:
  zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        libzip().stat_init(status);
        status->size = 0;
        status->valid = ZIP_STAT_SIZE;
        return static_cast<zip_int64_t>(sizeof *status);
      }
      case ZIP_SOURCE_ERROR:
        return libzip().error_to_data(&state_.error, data, length);
      case ZIP_SOURCE_SEEK_WRITE: {
        const zip_int64_t target = libzip().source_seek_compute_offset(
            sink_.position(), sink_.size(), data, length, &state_.error);
        if (target < 0) return -1;
        sink_.seek(static_cast<std::uint64_t>(target));
        return 0;
      }
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(sink_.position());
      case ZIP_SOURCE_WRITE:
        sink_.write({static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(length)});
        return static_cast<zip_int64_t>(length);
      case ZIP_SOURCE_COMMIT_WRITE:
        sink_.flush();
        return 0;
      case ZIP_SOURCE_OPEN:
      case ZIP_SOURCE_READ:
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_SEEK:
      case ZIP_SOURCE_TELL:
      case ZIP_SOURCE_BEGIN_WRITE:
      case ZIP_SOURCE_ROLLBACK_WRITE:
      case ZIP_SOURCE_REMOVE:
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
      default:
        libzip().error_set(&state_.error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }

  DescriptorSink sink_;
  ErrorState state_;
  std::exception_ptr failure_;
};

// A member's compressed bytes. A source that reports its method, both sizes and the CRC is copied
// raw and gets its final local header at once, without a data descriptor.
class MemberSource {
 public:
  MemberSource(const EncodedMember& member, const std::function<void(Bytes)>& used)
      : member_(member), used_(used) {}

  // libzip frees a source with ZIP_SOURCE_FREE, and that is the only time it may go.
  static zip_int64_t callback(void* self, void* data, zip_uint64_t length,
                              zip_source_cmd_t command) noexcept {
    auto* source = static_cast<MemberSource*>(self);
    if (command == ZIP_SOURCE_FREE) {
      delete source;
      return 0;
    }
    return source->handle(data, length, command);
  }

 private:
  zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command) noexcept {
    switch (command) {
      case ZIP_SOURCE_OPEN:
        offset_ = 0;
        told_ = 0;
        return 0;
      case ZIP_SOURCE_READ: {
        const std::size_t count =
            std::min(static_cast<std::size_t>(length), member_.compressed.size() - offset_);
        if (count != 0) std::memcpy(data, member_.compressed.data() + offset_, count);
        offset_ += count;
        if (offset_ - told_ >= kPieceSize || count == 0) {
          const Bytes used = member_.compressed.subspan(told_, offset_ - told_);
          if (used_) used_(used);
          if (member_.drop) member_.drop(used);
          told_ = offset_;
        }
        return static_cast<zip_int64_t>(count);
      }
      case ZIP_SOURCE_CLOSE:
        return 0;
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        libzip().stat_init(status);
        status->size = member_.size;
        status->comp_size = member_.compressed.size();
        status->comp_method = member_.method;
        status->crc = member_.crc;
        status->encryption_method = ZIP_EM_NONE;
        status->valid = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC |
                        ZIP_STAT_ENCRYPTION_METHOD;
        return static_cast<zip_int64_t>(sizeof *status);
      }
      case ZIP_SOURCE_ERROR:
        return libzip().error_to_data(&state_.error, data, length);
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_READABLE;
      default:
        libzip().error_set(&state_.error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }

  const EncodedMember& member_;
  const std::function<void(Bytes)>& used_;
  std::size_t offset_ = 0;
  std::size_t told_ = 0;
  ErrorState state_;
};

struct Discard {
  void operator()(zip_t* archive) const { libzip().discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Archive open_archive(OutputSession& session) {
  ErrorState state;
  zip_source_t* target =
      libzip().source_function_create(&OutputSession::callback, &session, &state.error);
  if (target == nullptr) fail("start an archive", &state.error);
  Archive archive(libzip().open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &state.error));
  if (!archive) {
    libzip().source_free(target);
    fail("start an archive", &state.error);
  }
  return archive;
}

void add_member(zip_t* archive, const EncodedMember& member, const DosTime& time,
                const std::function<void(Bytes)>& used) {
  auto owned = std::make_unique<MemberSource>(member, used);
  ErrorState state;
  zip_source_t* source =
      libzip().source_function_create(&MemberSource::callback, owned.get(), &state.error);
  if (source == nullptr) fail("add a member", &state.error);
  static_cast<void>(owned.release());  // libzip's from here on
  const zip_int64_t index =
      libzip().file_add(archive, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    libzip().source_free(source);
    fail("add a member", libzip().get_error(archive));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  const zip_uint32_t attributes = member.executable ? kProgramAttributes : kFileAttributes;
  // Left alone, a deflated source stays as it is and a stored one is compressed. To set deflate
  // would make libzip forget the compressed size and, near 4 GiB, reserve a ZIP64 field that
  // nothing fills.
  if ((member.method == kStored &&
       libzip().set_file_compression(archive, at, ZIP_CM_STORE, 0) != 0) ||
      libzip().file_set_dostime(archive, at, time.time, time.date, 0) != 0 ||
      libzip().file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, attributes) != 0) {
    fail("describe a member", libzip().get_error(archive));
  }
}

// Cuts off what the file held behind the archive and leaves the position at the archive's end.
void end_file(int descriptor, std::uint64_t size) {
  struct stat status {};
  const auto end = static_cast<off_t>(size);
  if (::fstat(descriptor, &status) != 0 ||
      (S_ISREG(status.st_mode) &&
       uninterrupted([&] { return ::ftruncate(descriptor, end); }) != 0) ||
      ::lseek(descriptor, end, SEEK_SET) < 0) {
    throw io_error("write", "cannot end the output", errno);
  }
}

}  // namespace

void write_archive(int descriptor, const std::vector<EncodedMember>& members,
                   const ArchiveTime& time, const std::function<void(Bytes)>& used) {
  // libzip's way to write an archive without members is to write nothing; no wheel is without
  // RECORD.
  if (members.empty()) {
    throw Error(ErrorKind::internal, "empty-archive",
                "an archive without members was to be written");
  }
  OutputSession session(descriptor);
  const DosTime dos_time = to_dos_time(time);
  Archive archive = open_archive(session);
  for (const auto& member : members) {
    with_context(printable(member.name),
                 [&] { add_member(archive.get(), member, dos_time, used); });
  }
  if (libzip().close(archive.get()) != 0) {
    session.rethrow();
    fail("write the archive", libzip().get_error(archive.get()));
  }
  static_cast<void>(archive.release());  // zip_close has freed it
  end_file(descriptor, session.sink().size());
  correct_times(descriptor, session.sink().size(), dos_time);
}

}  // namespace truewheel::wheel
