// SPDX-License-Identifier: Apache-2.0
#include "deps/build_copy.hpp"

#include "base/hash.hpp"
#include "base/mapped_file.hpp"
#include <truewheel/error.hpp>

#include <unordered_set>

namespace truewheel::deps {

bool is_same_library(const WheelFile& file, const HostFile& build) {
  const auto& own_id = file.facts->build_id;
  const auto& build_id = build.facts->build_id;
  if (own_id && build_id) return *own_id == *build_id;
  if (file.size != build.size) return false;
  try {
    return crc32(0, MappedFile(build.real_path).bytes()) == file.crc;
  } catch (const Error&) {
    return false;  // it went, or cannot be read any more
  }
}

std::vector<std::string> symbols_of_build_alone(
    const elf::ElfFacts& needing, std::string_view needed, const elf::ElfFacts& file,
    const elf::ElfFacts& build, const std::function<bool(std::uint32_t hash)>& is_elsewhere) {
  std::vector<std::string> symbols;
  if (!file.export_hashes || !build.export_hashes) return symbols;
  std::unordered_set<std::uint32_t> of_build_alone(build.export_hashes->begin(),
                                                   build.export_hashes->end());
  for (const auto hash : *file.export_hashes) of_build_alone.erase(hash);
  if (of_build_alone.empty()) return symbols;
  for (const auto& import : needing.imports) {
    if (import.weak || (!import.file.empty() && import.file != needed)) continue;
    const auto hash = elf::export_hash(import.name);
    if (!of_build_alone.contains(hash)) continue;
    if (import.file.empty() && is_elsewhere(hash)) continue;
    symbols.push_back(import.name);
  }
  return symbols;
}

}  // namespace truewheel::deps
