// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deps/sysroot.hpp"

#include <string>
#include <vector>

namespace truewheel::deps {

/// The folders that /etc/ld.so.conf and what it includes name, in order and without repetition, as
/// that system writes them (not yet below the sysroot). No such file: none. Rules of glibc's
/// ldconfig (elf/ldconfig.c, parse_conf): "#" comments, "include" with glob patterns relative to
/// the including file, "hwcap" lines ignored, and a "=type" behind a folder dropped.
[[nodiscard]] std::vector<std::string> ld_so_conf_folders(const Sysroot& sysroot);

/// The folders of /etc/ld-musl-<arch>.path, which colons and line ends part, or musl's built-in
/// ones.
[[nodiscard]] std::vector<std::string> musl_folders(const Sysroot& sysroot,
                                                    const std::string& musl_arch);

}  // namespace truewheel::deps
