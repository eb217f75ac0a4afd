// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace truewheel::elf {

/// Bytes to be put over the string table, by offset inside it.
struct StringPiece {
  std::uint64_t offset = 0;
  std::string bytes;
};

/// Where the strings of an edit go: rungs S1 and S2 of the ladder, and what has to be added at the
/// end.
struct StringPlan {
  std::map<std::string, std::uint64_t> offsets;
  std::vector<StringPiece> pieces;  ///< disjoint; those past the old size are the growth
  std::uint64_t size = 0;           ///< of the table afterwards; never smaller than before
  std::vector<std::string> steps;
};

/// Where free bytes may be used: everywhere that no user covers, or nowhere.
enum class Reclaim { unused_bytes, nothing };

/// Finds a place for each of `wanted`: as the tail of a string that is there (S1), in bytes that no
/// user's string covers (S2), else at the end. `users` are the offsets of all strings that stay in
/// use.
[[nodiscard]] StringPlan plan_strings(Bytes table, const std::vector<std::uint64_t>& users,
                                      const std::vector<std::string>& wanted, Reclaim reclaim);

}  // namespace truewheel::elf
