// SPDX-License-Identifier: Apache-2.0
#include "repair/host_library.hpp"

#include "base/text.hpp"
#include <truewheel/error.hpp>

namespace truewheel::repair {

MappedFile open_library(const std::string& path, const FileStamp& stamp) {
  try {
    MappedFile file(path);
    if (file.stamp() == stamp) return file;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // it is gone
  }
  fail_changed_library(path);
}

void fail_changed_library(const std::string& path) {
  throw Error(ErrorKind::io, "input-changed",
              "'" + printable(path) + "' changed while it was bundled",
              "repair again when nothing writes to it any more");
}

}  // namespace truewheel::repair
