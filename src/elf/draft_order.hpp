// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/tables.hpp"

#include <cstdint>
#include <optional>

namespace truewheel::elf {

/// Order inside a new LOAD: what no header points at comes first; .dynstr last, so that it can grow
/// there.
[[nodiscard]] inline int rank(TableKind kind) {
  switch (kind) {
    case TableKind::notes:
      return 1;
    case TableKind::interpreter:
      return 2;
    case TableKind::dynamic:
      return 3;
    case TableKind::strings:
      return 4;
    default:
      return 0;
  }
}

[[nodiscard]] inline std::optional<std::uint64_t> phase_of(const Table& table) {
  return table.keep_phase ? std::optional(table.offset) : std::nullopt;
}

}  // namespace truewheel::elf
