// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace truewheel::repair {

using RpmHeaderUse = std::function<void(Bytes header)>;

/// Each calls `use` with package headers of an rpm database that is there and in its form: rpm 4.16
/// and later keep SQLite (only headers of packages with a file of one of `base_names` are read),
/// SUSE "ndb", older ones a hash of Berkeley DB (all headers are read). Damaged or foreign files
/// end the reading without a word: who owns a library is a nicety. Nothing is ever written.
void read_rpm_sqlite(const std::filesystem::path& database,
                     const std::vector<std::string>& base_names, const RpmHeaderUse& use);
void read_rpm_ndb(const std::filesystem::path& database, const RpmHeaderUse& use);
void read_rpm_berkeley(const std::filesystem::path& database, const RpmHeaderUse& use);

}  // namespace truewheel::repair
