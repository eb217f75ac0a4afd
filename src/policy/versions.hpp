// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/policy.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace truewheel::policy {

/// A symbol version held against a policy's tables: its family there and the rest of its name.
struct FamilyVersion {
  std::string family;   ///< "GLIBC"
  std::string version;  ///< "2.34", "PRIVATE", "ABI_DT_RELR"
};

/// nullopt for a version of a family that the policy does not speak of: it restricts nothing
/// (auditwheel#613: ZLIB_NG_2.1.0 is no ZLIB_).
[[nodiscard]] std::optional<FamilyVersion> family_of(const Policy& policy, std::string_view name);

/// True for text such as "3.4.30".
[[nodiscard]] bool is_numeric_version(std::string_view text);

/// True for the families of libstdc++ and libgcc, which --libstdcxx=host lets be.
[[nodiscard]] bool is_libstdcxx_family(std::string_view family);

}  // namespace truewheel::policy
