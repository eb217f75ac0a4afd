// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include <truewheel/bytes.hpp>

#include <cstdint>
#include <vector>

namespace truewheel::elf {

/// Refuses LOADs that no loader could map (E17). Real page arithmetic of loaders is checked again
/// where a LOAD is added.
void check_loads(const std::vector<Segment>& segments, std::uint64_t file_size);

/// Loaders map whole pages. A LOAD without zero-initialised memory shows the file's bytes up to the
/// end of its last page (elf_load in Linux's fs/binfmt_elf.c, _dl_map_segments in glibc's
/// elf/dl-map-segments.h, map_library in musl's ldso/dynlink.c), and programs whose tables an old
/// patchelf grew past p_filesz run for that reason. The LOAD that such a range begins in becomes as
/// long as its page, or as the bytes that no other LOAD has. Where only zeros follow they are
/// padding, and nothing has grown.
void extend_over_last_page(std::vector<Segment>& segments, std::uint64_t vaddr,
                           std::uint64_t length, Bytes file);

}  // namespace truewheel::elf
