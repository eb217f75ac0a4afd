// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// LOADs as loaders take them, where strip tools left others:
/// - GNU strip gives a LOAD of patchelf's that no section is in no bytes, and an offset that fits
/// no
///   page. The kernel, which maps a program, leaves out what has no bytes (elf_map in Linux's
///   fs/binfmt_elf.c): such a header of a program is an unused one. The dynamic linker refuses such
///   a library.
/// - eu-strip cuts off what no section has at the end of the file. The LOAD that it was the end of
///   becomes as long as the file, if the section headers show that nothing else is missing.
void accept_stripped_loads(const Header& header, const std::vector<Section>& sections,
                           std::uint64_t file_size, std::vector<Segment>& segments);

/// Refuses LOADs that no loader could map (E17). Real page arithmetic of loaders is checked again
/// where a LOAD is added.
void check_loads(const std::vector<Segment>& segments, std::uint64_t file_size);

/// Loaders map whole pages. A LOAD without zero-initialised memory shows the file's bytes up to the
/// end of its last page (elf_load in Linux's fs/binfmt_elf.c, _dl_map_segments in glibc's
/// elf/dl-map-segments.h, map_library in musl's ldso/dynlink.c), and programs whose tables an old
/// patchelf grew past p_filesz run for that reason. The LOAD that such a range begins in becomes as
/// long as its page, or as the bytes that no other LOAD has. With Zeros::are_padding nothing has
/// grown where only zeros follow.
enum class Zeros { are_padding, may_be_content };
void extend_over_last_page(std::vector<Segment>& segments, std::uint64_t vaddr,
                           std::uint64_t length, Bytes file, Zeros zeros);

}  // namespace truewheel::elf
