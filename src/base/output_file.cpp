// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.hpp"

#include "base/file_descriptor.hpp"
#include "base/text.hpp"
#include <truewheel/error.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <utility>
#include <vector>

namespace truewheel {
namespace {

constexpr mode_t kFileMode = 0644;  // less the umask, which open() takes away
constexpr mode_t kFolderMode = 0777;

std::string quoted(const std::filesystem::path& path) {
  return "'" + printable(path.native()) + "'";
}

std::string hidden_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) {
    throw io_error("output-temporary", "cannot get random bytes", errno);
  }
  return fmt::format(".truewheel-{:016x}.tmp", random);
}

std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

// Opens a new, hidden file in `folder`; O_EXCL instead of mkostemp so that the mode follows the
// umask by itself. An interruption takes the file away, from its first moment on.
FileDescriptor open_hidden(int folder, const std::filesystem::path& folder_path, mode_t mode,
                           std::string& name, std::optional<RemovedOnInterruption>& removed) {
  for (;;) {
    name = hidden_name();
    removed.emplace(folder_path / name);
    FileDescriptor file(
        ::openat(folder, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.is_open()) return file;
    if (errno == EEXIST || errno == EINTR) continue;
    const int why = errno;
    removed.reset();
    name.clear();
    throw io_error("output-temporary", "cannot create a file in " + quoted(folder_path), why);
  }
}

int open_folder(const std::filesystem::path& path) {
  return uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
}

void sync_or_throw(int descriptor, std::string_view what) {
  if (uninterrupted([&] { return ::fsync(descriptor); }) != 0) {
    throw io_error("output-sync", fmt::format("cannot sync {}", what), errno);
  }
}

// Some file systems have no fsync for folders and say EINVAL; there is nothing more to do on those.
bool sync_folder(int folder) {
  if (uninterrupted([&] { return ::fsync(folder); }) == 0) return true;
  return errno == EINVAL || errno == ENOTSUP;
}

bool is_folder(int folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& target) : target_(target) {
  const std::filesystem::path folder_path = folder_of(target);
  if (!target.has_filename()) {
    throw Error(ErrorKind::io, "output-is-folder", quoted(target) + " names a folder, not a file");
  }
  // If anything below throws, the destructor of a half-built object does not run: undo() does its
  // work.
  try {
    make_folders(folder_path);
    folder_ = open_folder(folder_path);
    if (folder_ < 0)
      throw io_error("output-folder", "cannot open folder " + quoted(folder_path), errno);
    if (is_folder(folder_, target.filename())) {
      throw Error(ErrorKind::io, "output-is-folder", quoted(target) + " is a folder");
    }
    descriptor_ = uninterrupted(
        [&] { return ::openat(folder_, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kFileMode); });
    if (descriptor_ >= 0) {
      // Without /proc a nameless file could never get a name.
      if (::access(own_link().c_str(), F_OK) == 0) return;
      ::close(std::exchange(descriptor_, -1));
    }
    // Whatever O_TMPFILE failed with (EOPNOTSUPP, EISDIR, EINVAL by file system), a named file is
    // tried; its error is then the one that matters.
    descriptor_ =
        open_hidden(folder_, folder_path, kFileMode, hidden_name_, removed_file_).release();
  } catch (...) {
    undo();
    throw;
  }
}

OutputFile::~OutputFile() { undo(); }

OutputFile::OutputFile(OutputFile&& other) noexcept
    : target_(std::move(other.target_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      folder_(std::exchange(other.folder_, -1)),
      synced_(other.synced_),
      hidden_name_(std::exchange(other.hidden_name_, {})),
      made_folders_(std::exchange(other.made_folders_, {})),
      removed_(std::exchange(other.removed_, {})),
      removed_file_(std::exchange(other.removed_file_, std::nullopt)) {}

void OutputFile::make_folders(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> missing;
  for (auto at = folder; !at.empty(); at = at.parent_path()) {
    struct stat status {};
    if (::stat(at.c_str(), &status) == 0 || errno != ENOENT) break;
    missing.push_back(at);
    if (at == at.parent_path()) break;
  }
  for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
    if (::mkdir(at->c_str(), kFolderMode) == 0) {
      made_folders_.push_back(*at);
      removed_.emplace_back(*at);
    } else if (errno != EEXIST) {
      throw io_error("output-folder", "cannot make folder " + quoted(*at), errno);
    }
  }
}

void OutputFile::undo() noexcept {
  if (!hidden_name_.empty()) ::unlinkat(folder_, hidden_name_.c_str(), 0);
  hidden_name_.clear();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (folder_ >= 0) ::close(std::exchange(folder_, -1));
  // rmdir takes a folder away only while it is empty, so nobody else's file can be lost.
  for (auto at = made_folders_.rbegin(); at != made_folders_.rend(); ++at) ::rmdir(at->c_str());
  made_folders_.clear();
  removed_.clear();
  removed_file_.reset();
}

std::string OutputFile::own_link() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

void OutputFile::sync() {
  sync_or_throw(descriptor_, quoted(target_));
  synced_ = true;
}

bool OutputFile::link_as(const std::string& name) const {
  const int failed =
      hidden_name_.empty()
          ? ::linkat(AT_FDCWD, own_link().c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW)
          : ::renameat2(folder_, hidden_name_.c_str(), folder_, name.c_str(), RENAME_NOREPLACE);
  if (failed == 0) return true;
  if (errno == EEXIST) return false;
  if (!hidden_name_.empty() && (errno == EINVAL || errno == ENOSYS)) {
    // A file system without RENAME_NOREPLACE (NFS, for one): a hard link refuses an existing name
    // as well.
    if (::linkat(folder_, hidden_name_.c_str(), folder_, name.c_str(), 0) == 0) {
      ::unlinkat(folder_, hidden_name_.c_str(), 0);
      return true;
    }
    if (errno == EEXIST) return false;
  }
  throw io_error("output-publish", "cannot publish " + quoted(target_), errno);
}

void OutputFile::publish(Existing existing) {
  const std::string name = target_.filename();
  if (!synced_) sync();
  const bool is_new = link_as(name);
  if (is_new) {
    hidden_name_.clear();
  } else if (is_folder(folder_, name)) {
    throw Error(ErrorKind::io, "output-is-folder", quoted(target_) + " is a folder");
  } else if (existing == Existing::refuse) {
    throw Error(ErrorKind::io, "output-exists", quoted(target_) + " exists already");
  } else {
    replace_existing(name);
  }
  // The file has its name. From here on made folders stay, and a failing folder sync takes a new
  // name back, so that a failure never leaves an output behind that was not there before.
  if (!sync_folder(folder_)) {
    const int why = errno;
    if (is_new) ::unlinkat(folder_, name.c_str(), 0);
    throw io_error("output-sync", "cannot sync the folder of " + quoted(target_), why);
  }
  made_folders_.clear();
  removed_.clear();
  removed_file_.reset();
}

void OutputFile::replace_existing(const std::string& name) {
  while (hidden_name_.empty()) {
    const std::string candidate = hidden_name();
    removed_file_.emplace(folder_of(target_) / candidate);
    if (link_as(candidate)) hidden_name_ = candidate;  // the destructor removes it from here on
  }
  if (::renameat(folder_, hidden_name_.c_str(), folder_, name.c_str()) != 0) {
    const int why = errno;
    ::unlinkat(folder_, hidden_name_.c_str(), 0);
    hidden_name_.clear();
    if (why == EISDIR) {
      throw Error(ErrorKind::io, "output-is-folder", quoted(target_) + " is a folder");
    }
    throw io_error("output-publish", "cannot replace " + quoted(target_), why);
  }
  hidden_name_.clear();
}

void write_fully(int descriptor, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t written = uninterrupted([&] { return ::write(descriptor, next, size); });
    if (written < 0) throw io_error("write", "cannot write", errno);
    if (written == 0) throw io_error("write", "cannot write", ENOSPC);
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

namespace {

/// /dev/null, a pipe or a terminal takes the content and stays what it is: a rename would put a
/// file in a device's place. True when `path` was one. What else is no file is refused.
bool write_to_special(const std::filesystem::path& path, const FillOutput& fill) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  // /dev/stdout and its like name what is open already, which may be a file with more to come.
  struct stat standard {};
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!path.native().starts_with("/dev/") && !path.native().starts_with("/proc/self/fd/")) break;
    if (::fstat(descriptor, &standard) == 0 && standard.st_dev == status.st_dev &&
        standard.st_ino == status.st_ino) {
      fill(descriptor, OutputKind::stream);
      return true;
    }
  }
  if (S_ISREG(status.st_mode)) return false;
  if (!S_ISCHR(status.st_mode) && !S_ISFIFO(status.st_mode))
    throw Error(ErrorKind::io, "output-no-file", quoted(path) + " is no file that can be written");
  const FileDescriptor special(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!special.is_open()) throw io_error("output-open", "cannot open " + quoted(path), errno);
  fill(special.get(), OutputKind::stream);
  return true;
}

/// Attributes of the user's and access lists. Signatures of the content do not outlive a write, nor
/// do capabilities by themselves (capabilities(7)); others are the system's to give.
bool outlives_a_write(std::string_view attribute, Capabilities capabilities) {
  if (attribute == "security.capability") return capabilities == Capabilities::keep;
  return attribute.starts_with("user.") || attribute.starts_with("system.posix_acl_") ||
         attribute == "security.selinux";
}

/// As many as the file system and the user's rights allow.
void copy_attributes(const std::filesystem::path& from, int to, Capabilities capabilities) {
  std::vector<char> names(64 << 10);
  const ssize_t length = ::listxattr(from.c_str(), names.data(), names.size());
  for (std::size_t at = 0; length > 0 && at < static_cast<std::size_t>(length);) {
    const std::string name(names.data() + at);
    at += name.size() + 1;
    if (!outlives_a_write(name, capabilities)) continue;
    std::vector<char> value(64 << 10);
    const ssize_t size = ::getxattr(from.c_str(), name.c_str(), value.data(), value.size());
    if (size >= 0) ::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(size), 0);
  }
  errno = 0;
}

}  // namespace

unsigned file_mode_mask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

void replace_file(const std::filesystem::path& path, unsigned mode, const FillOutput& fill,
                  Capabilities capabilities) {
  if (write_to_special(path, fill)) return;
  // An edit through a symlink edits the file behind it, as every editor of files in place does.
  std::error_code ignored;
  std::filesystem::path target = std::filesystem::canonical(path, ignored);
  if (target.empty()) target = path;
  const std::filesystem::path folder_path = folder_of(target);
  const FileDescriptor folder(open_folder(folder_path));
  if (!folder.is_open())
    throw io_error("output-folder", "cannot open folder " + quoted(folder_path), errno);

  std::string temporary;
  std::optional<RemovedOnInterruption> removed;
  const FileDescriptor file = open_hidden(folder.get(), folder_path, 0600, temporary, removed);
  try {
    fill(file.get(), OutputKind::file);
    struct stat status {};
    if (::stat(target.c_str(), &status) == 0 &&
        (status.st_uid != ::geteuid() || status.st_gid != ::getegid())) {
      // Only root can give a file away; everybody else keeps an edited file of their own.
      if (::fchown(file.get(), status.st_uid, status.st_gid) != 0) errno = 0;
    }
    copy_attributes(target, file.get(), capabilities);  // behind fchown(), which drops some
    if (::fchmod(file.get(), static_cast<mode_t>(mode & 07777)) != 0) {
      throw io_error("output-mode", "cannot set the mode of " + quoted(target), errno);
    }
    sync_or_throw(file.get(), quoted(target));
    if (::renameat(folder.get(), temporary.c_str(), folder.get(), target.filename().c_str()) != 0) {
      // A file that a container has mounted cannot be replaced, only written.
      const char* hint = errno == EBUSY ? "it is a mount point; --output writes elsewhere" : "";
      throw io_error("output-publish", "cannot replace " + quoted(target), errno, hint);
    }
  } catch (...) {
    ::unlinkat(folder.get(), temporary.c_str(), 0);
    throw;
  }
  if (!sync_folder(folder.get())) {
    throw io_error("output-sync", "cannot sync the folder of " + quoted(target), errno);
  }
}

}  // namespace truewheel
