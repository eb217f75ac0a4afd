// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/policy.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace truewheel::policy {

/// The policy that an older name stands for: "manylinux2014" is "manylinux_2_17".
[[nodiscard]] std::optional<std::string> policy_of_alias(std::string_view alias);

/// The family of tags of a C library: "manylinux", "musllinux", "android".
[[nodiscard]] std::string_view tag_family(deps::Libc libc);
/// Its name for messages.
[[nodiscard]] std::string_view libc_name(deps::Libc libc);

/// The architecture part of a tag as Android writes it: arm64_v8a for aarch64; others as they are.
[[nodiscard]] std::string tag_architecture(deps::Libc libc, const std::string& architecture);
/// The reverse: "arm64_v8a" is aarch64, "armeabi_v7a" armv7l, "x86" i686.
[[nodiscard]] std::string baseline_architecture(std::string_view tag_architecture);

/// The platform tag of a policy's name or alias.
[[nodiscard]] std::string platform_tag(deps::Libc libc, std::string_view name,
                                       const std::string& architecture);

}  // namespace truewheel::policy
