// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wheel/zip_format.hpp"
#include "wheel/zip_notes.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace truewheel::wheel {

/// Refuses names that can leave the installation folder, mean different files to different readers,
/// or deceive whoever reads a message (Z30-Z37, Z53).
void check_member_name(std::string_view name, std::uint16_t flags, Oddities& oddities);

/// Refuses a name that stands twice or is a file and a folder at once (Z01, Z39); notes names that
/// become one on a file system that folds case or normalises (Z38).
void check_collisions(const std::vector<DirectoryEntry>& entries, Oddities& oddities);

}  // namespace truewheel::wheel
