// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/sysroot.hpp"
#include <truewheel/bytes.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace truewheel::deps {

/// /etc/ld.so.cache of a system. glibc looks there and in the default folders, and never at
/// ld.so.conf itself: a folder that was added without running ldconfig finds nothing. The format of
/// glibc's sysdeps/generic/dl-cache.h ("glibc-ld.so.cache1.1", also behind the one of libc5), in
/// the byte order of the file.
class LdSoCache {
 public:
  LdSoCache() = default;
  /// nullopt when there is none; throws Error(refused, "ld-so-cache") when it is damaged.
  [[nodiscard]] static std::optional<LdSoCache> read(const Sysroot& sysroot);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// The paths that ldconfig wrote down for a library's name, best first.
  [[nodiscard]] std::vector<std::string> find(std::string_view name) const;

 private:
  Buffer file_;
  std::vector<std::pair<std::string_view, std::string_view>> entries_;  ///< in `file_`; by name
};

}  // namespace truewheel::deps
