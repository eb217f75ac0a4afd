// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.hpp"
#include "elf/native_reader.hpp"
#include <truewheel/bytes.hpp>

namespace truewheel::elf {

/// A small valid ELF file that says of itself what the big one says, for LIEF to read.
///
/// LIEF 0.9.0 copies every byte and builds an object for each relocation: 3.9 s and 1.1 GB for a
/// library of 459 MB, whose distilled image has 61 KB and takes 0.8 ms. It holds, in the file's own
/// class and byte order and as the file's own records:
///
///     ELF header | program headers | interpreter | known notes | .dynsym | .gnu.version |
///     .gnu.version_r | .gnu.version_d | .dynamic | .dynstr | .shstrtab | section headers
///
/// Left out: defined symbols (but the Python entry points), relocations, hash tables, code, data.
/// Names are packed anew, so fields that hold string offsets, and the `next` fields of the version
/// records, are written anew. Addresses are file offsets: one LOAD at address 0 holds all, which
/// spares LIEF's address arithmetic, where a segment's end counts as inside it. The section table
/// is there for .dynsym alone, since LIEF counts symbols by it most reliably (0.9.0 counts 0 by
/// DT_HASH).
///
/// Parts beyond LIEF's caps or quadratic steps are left out (`kDistilled…`); then the facts of LIEF
/// are fewer than the own reader's, which decides.
[[nodiscard]] Buffer distill(const ElfImage& image, const NativeReading& reading);

inline constexpr std::size_t kDistilledDynamicEntries =
    900;  ///< LIEF keeps 1000 and drops the rest
inline constexpr std::size_t kDistilledSymbols = 50'000;
inline constexpr std::size_t kDistilledVersions = 1'000;  ///< each is compared with each symbol
inline constexpr std::size_t kDistilledNotes = 100;       ///< each is compared with each other
inline constexpr std::size_t kDistilledText = std::size_t{8} << 20;

}  // namespace truewheel::elf
