// SPDX-License-Identifier: Apache-2.0
#include "cli/program_name.hpp"

namespace truewheel::cli {

std::string program_name(const char* argv0) {
  // execve() allows a call without any name.
  const std::string path = argv0 == nullptr ? "" : argv0;
  return path.substr(path.rfind('/') + 1);
}

}  // namespace truewheel::cli
