// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/repair.hpp>

#include <map>
#include <set>
#include <string>

namespace truewheel::report {

/// What repair would decide from.
[[nodiscard]] const policy::Verdict& repaired_verdict(const repair::Inspection& inspection);

/// NEEDED name -> path on this machine ("" when not found) of the libraries that the best policy
/// does not allow from the system.
[[nodiscard]] std::map<std::string, std::string> external_libraries(
    const repair::Inspection& inspection);

enum class Whose { wheel, with_grafts };
/// Library -> versions needed, by the wheel's own files or by them and what would be bundled.
[[nodiscard]] std::map<std::string, std::set<std::string>> versioned_symbols(
    const repair::Inspection& inspection, Whose whose);

}  // namespace truewheel::report
