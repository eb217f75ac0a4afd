// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// LOADs as loaders take them, where strip tools left others:
/// GNU strip gives a LOAD of patchelf's that no section is in no bytes, and an offset that fits no
/// page. The kernel, which maps a program, leaves out what has no bytes (elf_map in Linux's
/// fs/binfmt_elf.c): such a header of a program is an unused one. The dynamic linker refuses such a
/// library.
///
/// eu-strip cuts off what no section has at the end of the file. The LOAD that it was the end of
/// becomes as long as the file, if the section headers show that nothing else is missing.
void accept_stripped_loads(const Header& header, const std::vector<Section>& sections,
                           std::uint64_t file_size, std::vector<Segment>& segments);

/// Refuses LOADs that no loader could map (E17). Real page arithmetic of loaders is checked again
/// where a LOAD is added.
void check_loads(const std::vector<Segment>& segments, std::uint64_t file_size);

/// True if a LOAD with PF_W has that address.
[[nodiscard]] bool is_writable(const std::vector<Segment>& segments, std::uint64_t vaddr);

/// Loaders map whole pages. A LOAD shows the file's bytes from the begin of its first page, and one
/// without zero-initialised memory up to the end of its last one (elf_load in Linux's
/// fs/binfmt_elf.c, _dl_map_segments in glibc's elf/dl-map-segments.h, map_library in musl's
/// ldso/dynlink.c). Programs whose tables an old patchelf put there run for that reason. The LOADs
/// that such a range is in become as long as their pages, or as the bytes that no other LOAD has.
/// With Zeros::are_padding nothing has grown where there are only zeros.
void extend_over_pages(std::vector<Segment>& segments, std::uint64_t vaddr, std::uint64_t length,
                       Bytes file, Zeros zeros);

/// Old patchelf puts a table across two LOADs that touch in the file and in memory, and strip tools
/// cut it in two. With the same flags they are one LOAD, and a header is unused.
void join_loads(std::vector<Segment>& segments, std::uint64_t vaddr, std::uint64_t length);

}  // namespace truewheel::elf
