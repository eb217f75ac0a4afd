// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "commands/patchelf.hpp"
#include <truewheel/error.hpp>

#include <algorithm>
#include <set>

namespace truewheel::commands {
namespace {

/// Would the loader take this file for a library that `facts` needs?
bool is_library_for(const elf::ElfFacts& facts, const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    const MappedFile file(path);
    const auto identity = elf::identify(file.bytes());
    return identity && identity->bits == facts.bits && identity->machine == facts.machine &&
           identity->little_endian == facts.little_endian;
  } catch (const Error&) {
    return false;
  }
}

bool is_allowed(const std::string& folder, const std::vector<std::string>& prefixes) {
  return prefixes.empty() || std::ranges::any_of(prefixes, [&](const std::string& prefix) {
           return folder.starts_with(prefix);
         });
}

/// Only folders in which the loader would find a needed library that no earlier one has. What is
/// not absolute ($ORIGIN, for one) depends on where the file will be, and stays.
std::string shrunk(const std::string& run_path, const elf::ElfFacts& facts,
                   const std::vector<std::string>& prefixes) {
  std::set<std::string> missing(facts.needed.begin(), facts.needed.end());
  std::vector<std::string> kept;
  for (const std::string& folder : split(run_path, ':')) {
    if (!folder.starts_with('/')) {
      kept.push_back(folder);
      continue;
    }
    if (!is_allowed(folder, prefixes)) continue;
    const auto found = std::erase_if(missing, [&](const std::string& name) {
      return is_library_for(facts, std::filesystem::path(folder) / name);
    });
    if (found != 0) kept.push_back(folder);
  }
  return join(kept, ":");
}

}  // namespace

std::optional<std::optional<elf::RunPath>> wished_run_path(const elf::ElfFacts& facts,
                                                           const RunPathWish& wish) {
  if (wish.empty()) return std::nullopt;
  std::optional<std::optional<elf::RunPath>> none(std::in_place, std::nullopt);
  if (wish.remove) return none;
  const auto old = facts.run_path();
  // Nothing to shrink, and no folder to search.
  const bool says_nothing = wish.set.value_or("").empty() &&
                            std::all_of(wish.added.begin(), wish.added.end(),
                                        [](const std::string& path) { return path.empty(); });
  if (says_nothing && !old) return std::nullopt;
  elf::RunPath result = old.value_or(elf::RunPath{elf::RunPathKind::runpath, ""});
  if (wish.set) result = {elf::RunPathKind::runpath, *wish.set};
  if (wish.force_rpath) result.kind = elf::RunPathKind::rpath;
  for (const std::string& added : wish.added)
    result.value += (result.value.empty() ? "" : ":") + added;
  if (wish.shrink) result.value = shrunk(result.value, facts, wish.allowed_prefixes);
  if (wish.shrink && !old && result.value.empty()) return std::nullopt;
  return result;
}

}  // namespace truewheel::commands
