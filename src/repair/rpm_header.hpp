// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::repair {

/// A package of an rpm database, as far as the question who owns a file asks.
struct RpmPackage {
  std::string name;
  std::string version;  ///< "epoch:version-release", without what is not there
  std::string architecture;
  std::string licence;
  struct File {
    std::string path;
    bool is_licence = false;  ///< %license in the spec file
  };
  std::vector<File> files;
};

/// Reads a header as the databases keep it: the format of rpm's "header blob" (rpm's
/// docs/manual/format_header.md, lib/rpmtag.h), big-endian, without the magic of package files.
/// Every offset and count is checked; nullopt for what is no such header.
[[nodiscard]] std::optional<RpmPackage> parse_rpm_header(Bytes blob);

}  // namespace truewheel::repair
