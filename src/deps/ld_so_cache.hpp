// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/sysroot.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::deps {

/// /etc/ld.so.cache of a system: library name -> the paths that ldconfig wrote down, best first.
/// glibc looks there and in the default folders, and never at ld.so.conf itself: a folder that was
/// added without running ldconfig finds nothing. The format of glibc's sysdeps/generic/dl-cache.h
/// ("glibc-ld.so.cache1.1", also behind the one of libc5), in the byte order of the file. nullopt
/// when there is none; Error(refused, "ld-so-cache") when it is damaged.
[[nodiscard]] std::optional<std::map<std::string, std::vector<std::string>>> read_ld_so_cache(
    const Sysroot& sysroot);

}  // namespace truewheel::deps
