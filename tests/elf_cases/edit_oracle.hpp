// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/elf.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

/// What must hold of any edit of any bytes, for the fuzzer and the sweeps over malformed files.
namespace truewheel::elf::oracle {

/// One edit, chosen by a number: below kSingleWishes each wish of ElfEdit alone, in short and long
/// forms; above it two to four of them together.
constexpr std::uint8_t kSingleWishes = 29;
struct Operation {
  ElfEdit edit;
  EditOptions options;
};
[[nodiscard]] Operation operation(std::uint8_t number, const ElfFacts& facts);

/// Something that must never happen; `what()` says what did.
class Broken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// LIEF reads each file twice more, which takes most of the time of a small one.
enum class Witness { lief, none };

/// Edits `file` and throws Broken unless it is refused, or the result
/// - reads back like any other file, with the wishes in force and all invariants kept,
/// - takes the same edit again without a patch,
/// - has the old bytes at the old addresses, but for the patches.
struct Outcome {
  std::string refusal;  ///< the id of the refusal; empty for an edit that was done
  Buffer bytes;         ///< the edited file
};
[[nodiscard]] Outcome judge(Bytes file, std::uint8_t number, Witness witness);

}  // namespace truewheel::elf::oracle
