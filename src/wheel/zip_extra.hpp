// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/bytes.hpp>

#include <optional>
#include <string_view>

namespace truewheel::wheel {

/// Walks an extra block: every field must fit, ZIP64 may stand once, and a Unicode path must repeat
/// `name`. Returns the content of the ZIP64 field. Other fields carry nothing that a wheel needs
/// and are passed over.
[[nodiscard]] std::optional<Bytes> zip64_field(Bytes extra, std::string_view name);

}  // namespace truewheel::wheel
