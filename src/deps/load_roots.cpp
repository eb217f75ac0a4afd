// SPDX-License-Identifier: Apache-2.0
#include "deps/sibling.hpp"

#include <algorithm>

namespace truewheel::deps {
namespace {

bool is_program(const elf::ElfFacts& facts) {
  return facts.kind == elf::FileKind::executable ||
         (facts.kind == elf::FileKind::pie && !can_be_needed(facts));
}

bool is_extension(const elf::ElfFacts& facts) {
  return std::any_of(facts.python_exports.begin(), facts.python_exports.end(),
                     [](const std::string& name) { return name.starts_with("PyInit_"); });
}

}  // namespace

std::vector<std::size_t> load_roots(const std::vector<WheelFile>& layout) {
  const LayoutIndex index(layout);
  std::vector<std::vector<std::size_t>> needs(layout.size());
  std::vector<bool> is_needed(layout.size(), false);
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (!layout[i].facts->is_dynamic()) continue;
    // A libc that knows no filtees has no files that are opened by such a name only.
    for (const auto& dependency : dependencies(*layout[i].facts, Libc::glibc)) {
      const auto siblings = index.siblings(i, dependency.name);
      if (siblings.empty() || siblings.front() == i) continue;
      needs[i].push_back(siblings.front());
      is_needed[siblings.front()] = true;
    }
  }

  std::vector<bool> is_reached(layout.size(), false);
  const auto reach = [&](std::size_t root) {
    std::vector<std::size_t> open = {root};
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (is_reached[next]) continue;
      is_reached[next] = true;
      open.insert(open.end(), needs[next].begin(), needs[next].end());
    }
  };

  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const elf::ElfFacts& facts = *layout[i].facts;
    if (!facts.is_dynamic()) continue;
    if (is_extension(facts) || is_program(facts) || !is_needed[i]) {
      roots.push_back(i);
      reach(i);
    }
  }
  // Libraries that need each other in a ring have no head: the first of each ring stands for it.
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (is_reached[i] || !layout[i].facts->is_dynamic()) continue;
    roots.push_back(i);
    reach(i);
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

void simulate_loads(const std::vector<WheelFile>& layout, Libc libc,
                    const std::function<bool(const std::string&)>& provided,
                    const std::function<void(std::size_t, const std::vector<LoadStep>&)>& look,
                    const OutsideFiles& outside) {
  const LoadSimulator simulator(layout);
  std::vector<bool> is_reached(layout.size(), false);
  const auto load = [&](std::size_t root) {
    const auto steps = simulator.load(root, libc, provided, {}, outside);
    is_reached[root] = true;
    for (const auto& step : steps) {
      if (step.found && *step.found < layout.size()) is_reached[*step.found] = true;
    }
    look(root, steps);
  };
  for (const auto root : load_roots(layout)) load(root);
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (!is_reached[i]) load(i);
  }
}

}  // namespace truewheel::deps
