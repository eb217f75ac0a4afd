// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/repair.hpp>

#include <map>
#include <set>
#include <string>

namespace truewheel::report {

/// What repair would decide from.
[[nodiscard]] const policy::Verdict& repaired_verdict(const repair::Inspection& inspection);

/// The policy with the fewest libraries to bundle: the newest; of a wheel for a certain Android
/// that of its level. "linux" where an architecture has no other.
[[nodiscard]] std::size_t newest_policy(const policy::Verdict& verdict);
/// The best policy that auditwheel holds a wheel against. Of musl's it takes the newest alone.
[[nodiscard]] std::size_t auditwheels_best_policy(const policy::Verdict& verdict);

/// NEEDED name -> path on this machine ("" when not found) of the libraries that a policy does not
/// allow from the system: what it would bundle or miss.
[[nodiscard]] std::map<std::string, std::string> external_libraries(
    const repair::Inspection& inspection, std::size_t policy);

/// Library -> its symbols that a policy forbids and the wheel uses.
[[nodiscard]] std::map<std::string, std::set<std::string>> forbidden_symbols(
    const policy::PolicyVerdict& policy);

/// Why a wheel is no manylinux wheel, whatever its libraries: None of the policies takes it.
struct Peculiarities {
  bool pyfpe = false;            ///< it asks for a Python built --with-fpectl (PEP 513)
  bool ucs2 = false;             ///< it asks for a Python of narrow Unicode (PEP 513)
  bool unsupported_isa = false;  ///< it asks for a newer processor
};
[[nodiscard]] Peculiarities peculiarities(const policy::Verdict& verdict);

enum class Whose { wheel, with_grafts };
/// Library -> versions needed, by the wheel's own files or by them and what would be bundled.
[[nodiscard]] std::map<std::string, std::set<std::string>> versioned_symbols(
    const repair::Inspection& inspection, Whose whose);

}  // namespace truewheel::report
