// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include <truewheel/deps.hpp>

#include <utility>

namespace truewheel::deps {

std::vector<Dependency> dependencies(const elf::ElfFacts& facts, Libc libc) {
  std::vector<Dependency> result;
  result.reserve(facts.needed.size());
  auto filtee = facts.filtees.begin();
  const auto end = libc == Libc::glibc ? facts.filtees.end() : filtee;
  for (std::size_t i = 0; i <= facts.needed.size(); ++i) {
    for (; filtee != end && filtee->needed_before <= i; ++filtee) {
      result.push_back({filtee->name, filtee->is_required ? Tag::filter : Tag::auxiliary});
    }
    if (i < facts.needed.size()) result.push_back({facts.needed[i], Tag::needed});
  }
  return result;
}

std::vector<std::string> auditors_that_load(const elf::ElfFacts& facts, Libc libc) {
  const bool is_program =
      facts.kind == elf::FileKind::pie || facts.kind == elf::FileKind::executable;
  std::vector<std::string> names;
  if (libc != Libc::glibc || !is_program) return names;
  for (const auto& list : facts.auditors) {
    for (auto& name : split(list, ':')) {
      if (!name.empty()) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace truewheel::deps
