// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

namespace truewheel::wheel {

/// Loads what write_archive() needs (libzip.hpp) in a thread of its own, while a wheel is read that
/// will be written later. What goes wrong write_archive() tells.
[[nodiscard]] std::jthread load_writer_ahead();

}  // namespace truewheel::wheel
