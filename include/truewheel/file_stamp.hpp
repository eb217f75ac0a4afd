// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace truewheel {

/// Which file it is, and in which state (stat(2)): a change of its content, or another file under
/// its name, has another stamp.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< nanoseconds since 1970
  std::int64_t changed = 0;   ///< the same of the inode: tells where the time above was set back

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

}  // namespace truewheel
