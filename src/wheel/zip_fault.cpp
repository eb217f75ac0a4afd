// SPDX-License-Identifier: Apache-2.0
#include "wheel/zip_fault.hpp"

#include <utility>

namespace truewheel::wheel {
namespace {

constexpr bool table_follows_enumeration() {
  for (std::size_t i = 0; i < kZipFaults.size(); ++i) {
    if (kZipFaults[i].fault != static_cast<ZipFault>(i)) return false;
  }
  return kZipFaults.back().fault == ZipFault::content;
}
static_assert(table_follows_enumeration());

}  // namespace

void refuse(ZipFault fault, const std::string& what, std::string hint) {
  throw Error(ErrorKind::refused, std::string(kZipFaults[static_cast<std::size_t>(fault)].id), what,
              std::move(hint));
}

}  // namespace truewheel::wheel
