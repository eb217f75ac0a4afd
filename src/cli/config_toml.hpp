// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace truewheel::cli {

/// A text that toml++ took for granted to be otherwise.
class UnforeseenToml : public std::runtime_error {
 public:
  UnforeseenToml() : std::runtime_error("this is no TOML") {}
};

[[noreturn]] inline void stop_at_unforeseen_toml() { throw UnforeseenToml(); }

}  // namespace truewheel::cli

// toml++ 3.3 asserts what only the text decides (a date whose time starts with no digit,
// "1979-05-27Tx"), and without assertions lets the compiler count on it. So what it asserts is
// looked at in every build, and ends the parsing.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) \
  (static_cast<bool>(expr) ? static_cast<void>(0) : ::truewheel::cli::stop_at_unforeseen_toml())
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
