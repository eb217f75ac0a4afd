// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/entry_editor.hpp"
#include "elf/wish.hpp"
#include <truewheel/elf.hpp>

#include <string>
#include <vector>

/// What an ElfEdit means for the tables of versions; parts of make_wish().
namespace truewheel::elf {

/// Symbols of these names that have a version of their own: neither local nor the global one.
void wish_unversioned_symbols(const ElfImage& image, const std::vector<std::string>& names,
                              Wish& wish);

/// .gnu.version_r follows DT_NEEDED: glibc asserts that every library it names is a needed one
/// (patchelf issues 84 and 214, `needed != NULL` in dl-version.c).
void wish_version_needs(const ElfImage& image, const ElfEdit& edit, Wish& wish);

/// New names in both tables of versions, after wish_version_needs(). Throws Error(refused,
/// "elf-version-twice") when two definitions would have one name.
void wish_version_names(const ElfImage& image, const ElfEdit& edit, Wish& wish);

/// The tags of needed versions, when some or all of them go. Throws Error(refused,
/// "elf-symbol-count") when only a tag that would go tells how many symbols there are.
void update_version_tags(const ElfImage& image, const Wish& wish, EntryEditor& entries);

}  // namespace truewheel::elf
