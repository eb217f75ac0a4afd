// SPDX-License-Identifier: Apache-2.0
#include "repair/library_code.hpp"

#include "base/byte_reader.hpp"
#include "elf/format.hpp"
#include "elf/image.hpp"

#include <string>

namespace truewheel::repair {
namespace {

std::string code_of(Bytes file) {
  const elf::ElfImage image(file);
  std::string code;
  for (const auto& section : image.sections()) {
    if ((section.flags & elf::shf::kExecinstr) == 0 || section.type == elf::sht::kNobits) continue;
    code += as_text(image.reader().slice(section.offset, section.size));
  }
  return code;
}

}  // namespace

bool same_code(Bytes one, Bytes other) {
  const auto code = code_of(one);
  return !code.empty() && code == code_of(other);
}

}  // namespace truewheel::repair
