// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace truewheel {

/// Why something failed. Each kind is one exit code (README has the table); `exit_code()`
/// maps it.
enum class ErrorKind {
  unfit,     ///< 1: the tool worked; the wheel does not pass or cannot be repaired
  usage,     ///< 2: command line, configuration, or an input that does not exist
  refused,   ///< 3: not a wheel, malformed, unsafe, or an ELF file that cannot be edited safely
  io,        ///< 4: reading or writing failed
  withheld,  ///< 5: the finished wheel failed its own verification
  internal,  ///< 70: a bug in truewheel (a broken invariant)
};

/// The one exception of the program: failures travel as Error, findings as values, absence as
/// optional.
///
/// `id` is stable and tested ("zip-duplicate-name"); `where` names the file, member or field;
/// `what()` says what is wrong, without a trailing period; `hint` is a command or option, or empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string id, const std::string& what, std::string hint = {},
        std::source_location origin = std::source_location::current());

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  [[nodiscard]] const std::source_location& origin() const noexcept { return origin_; }

  /// The names that the message speaks of, one by one, for whoever says it in other words: missing
  /// libraries, or the tag that is not met and the kinds of what is in its way.
  [[nodiscard]] const std::vector<std::string>& subjects() const noexcept { return subjects_; }
  [[nodiscard]] Error about(std::vector<std::string> subjects) &&;

  /// Puts a boundary's context in front: `"pkg/_x.so"` before `".dynamic: entry 14"`.
  /// Call it where an exception crosses that boundary, then rethrow with `throw;`.
  void add_context(std::string_view outer);

 private:
  ErrorKind kind_;
  std::string id_;
  std::string where_;
  std::string hint_;
  std::vector<std::string> subjects_;
  std::source_location origin_;
};

/// The process exit code of a kind.
[[nodiscard]] int exit_code(ErrorKind kind) noexcept;

/// Runs `body`; an Error that leaves it gains `where` in front of its context.
template <class Body>
decltype(auto) with_context(std::string_view where, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    error.add_context(where);
    throw;
  }
}

}  // namespace truewheel
