// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/elf.hpp>

#include <string>
#include <vector>

namespace truewheel::elf {

/// The parts of check_edit(). Each appends sentences that begin with the invariant's number in
/// docs/elf-rewriting.md.
using Complaints = std::vector<std::string>;

/// What is wrong with one file by itself. Sentences name indices, never addresses, so that those of
/// the input can be taken off: an input is often not clean, and that is not the edit's fault.
[[nodiscard]] Complaints check_structure(const ElfImage& image);

/// What check_structure() finds, and whatever else one part of the file says and another one
/// denies: tables in no LOAD, hash tables of other names, relocations of symbols that do not exist,
/// loaded bytes of sections that say they are not. An edit of such a file that fails is no bug of
/// the editor's.
[[nodiscard]] Complaints find_contradictions(Bytes file);

/// I4, I9 to I11: program headers and sections that the edit had no business with.
void check_headers_kept(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                        Complaints& complaints);

/// I13, I14: every loaded byte outside the patch list is as it was, and the patches keep to what
/// may change.
void check_bytes_kept(const ElfImage& before, const ElfImage& after, const PatchList& patches,
                      const ElfEdit& edit, Unpatched unpatched, Complaints& complaints);

/// The wished state, read back, and everything in the dynamic section that was not to change.
void check_state(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                 Complaints& complaints);

/// I13: the dynamic symbols, what finds them and what refers to them.
void check_symbols(const ElfImage& before, const ElfImage& after, const ElfEdit& edit,
                   Complaints& complaints);

}  // namespace truewheel::elf
