// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace truewheel::wheel {

/// Counts one kind of oddity, so that a hundred thousand odd members still make one sentence.
class Oddity {
 public:
  void see(std::string_view member) {
    if (count_++ == 0) first_ = member;
  }
  /// "2 members <what>, first 'a.py'", or nothing when there was none.
  [[nodiscard]] std::optional<std::string> sentence(std::string_view one,
                                                    std::string_view many) const;

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

/// What the scanner tolerates and the output does not repeat (tests/archives/run.py --list has the
/// rows).
struct Oddities {
  Oddity descriptor;      // Z10
  Oddity entry_comment;   // Z16
  Oddity special_mode;    // Z41
  Oddity windows_name;    // Z32: a component that ends in a dot or a space
  Oddity name_collision;  // Z38
};

}  // namespace truewheel::wheel
