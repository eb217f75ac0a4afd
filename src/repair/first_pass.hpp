// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/loaded_wheel.hpp"
#include <truewheel/error.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace truewheel::repair {

/// What one look at a member's content told.
struct FirstPass {
  std::string sha256;
  bool is_elf = false;
  std::optional<elf::Identity> identity;
  std::shared_ptr<const elf::ElfFacts> facts;
  std::optional<Error> elf_error;  ///< decided about later, when the wheel's architecture is known
  std::shared_ptr<HeldContent> held;
};

/// Bytes that contents which are kept may take together; many threads ask it.
class HoldBudget {
 public:
  explicit HoldBudget(std::uint64_t bytes) : is_given_(bytes != 0), left_(bytes) {}
  /// Whether anything is to be kept at all.
  [[nodiscard]] bool is_given() const { return is_given_; }
  /// Whether it is worth while to ask; another thread may be quicker.
  [[nodiscard]] bool has(std::uint64_t bytes) const {
    const std::lock_guard lock(mutex_);
    return bytes <= left_;
  }
  bool take(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  const bool is_given_;
  mutable std::mutex mutex_;
  std::uint64_t left_;
};

/// Inflates a member once, checks its size and CRC, hashes it and inspects it if it is an ELF file.
/// A large ELF content is kept while `budget` lasts; other large members pass by in pieces, of
/// which the map is kept where there is a budget. `jobs`: 1 forbids a second thread. Throws
/// Error(refused, "zip-content").
[[nodiscard]] FirstPass first_pass(const MappedFile& file, const wheel::Member& member,
                                   HoldBudget& budget, unsigned jobs);

/// Bytes of memory that first_pass is likely to take for a member, those not counted that it keeps.
[[nodiscard]] std::uint64_t first_pass_cost(const wheel::Member& member);

}  // namespace truewheel::repair
