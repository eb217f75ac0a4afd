// SPDX-License-Identifier: Apache-2.0
#include <truewheel/deps.hpp>

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

}  // namespace truewheel::deps
