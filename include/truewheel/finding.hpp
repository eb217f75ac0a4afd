// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace truewheel {

enum class Severity { note, warning, error };

/// Something worth telling that is no failure of the program: a result, many at a time.
struct Finding {
  std::string id;  ///< stable: "dead-pattern", "driver-library", "R001"
  Severity severity = Severity::warning;
  std::string where;       ///< member, library or pattern
  std::string what;        ///< one sentence without a trailing period
  std::string hint;        ///< what to do, or empty
  std::string value = {};  ///< what the finding is about: a run-path entry, a library, a tag
};

}  // namespace truewheel
