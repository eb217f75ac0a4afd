// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.hpp"
#include <truewheel/bytes.hpp>

#include <functional>
#include <memory>
#include <string>

namespace truewheel::repair {

/// While one lives, SIGINT, SIGTERM and SIGHUP wait, so that a temporary folder of strip is never
/// left behind: a Ctrl-C ends the system's strip, which ends the repair; then the signal arrives.
/// Made before threads are started, which inherit it.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  struct Saved;
  std::unique_ptr<Saved> saved_;
};

/// Whether there is a symbol table or a debugging section, which nothing at run time needs. A file
/// without is not given to strip, which would lay it out anew: a second repair with --strip changes
/// nothing.
[[nodiscard]] bool has_symbols(Bytes file);

/// The file without its symbol table and debugging sections, by the system's strip: a file without
/// a name any more. `used` is told what of `file` is done with. Throws Error(io, "strip-…").
[[nodiscard]] MappedFile strip_symbols(Bytes file, const std::function<void(Bytes)>& used);

/// The file without them, and a debug file that holds them, by the system's objcopy. A
/// .gnu_debuglink leads from one to the other: the name `debug_name`, which debuggers look for
/// beside the file.
struct SplitFile {
  MappedFile stripped;
  std::shared_ptr<const MappedFile> debug;  ///< without a name any more; null: split off before
};
[[nodiscard]] SplitFile split_symbols(Bytes file, const std::string& debug_name,
                                      const std::function<void(Bytes)>& used);

}  // namespace truewheel::repair
