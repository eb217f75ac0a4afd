// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace truewheel::cli {

/// What the process has to be before anything is opened:
/// - descriptors 0, 1 and 2 are open, so that no output file becomes one of them and gets messages;
/// - a reader that goes away and a file size limit are write errors with a message;
/// - an input that is cut short under the mapping is exit 4 with a message, not a silent death;
/// - memory that ends where no exception may pass is exit 4 with a message, too;
/// - OpenSSL is ready (base/openssl_memory.hpp).
void prepare_process();
/// The name that the messages of this file begin with instead of "truewheel": a literal, since a
/// signal handler reads it.
void name_process(const char* literal);

/// Says that there is not enough memory, taking none, and ends the process. Outputs without a name
/// go with it, and those with a temporary name are taken away.
[[noreturn]] void end_without_memory(int code) noexcept;

}  // namespace truewheel::cli
