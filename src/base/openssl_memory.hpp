// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace truewheel {

/// Once, before the first Hasher of a process: OpenSSL then reads no configuration of the machine
/// (it may name code to load), and has memory in reserve.
void prepare_openssl() noexcept;

}  // namespace truewheel
