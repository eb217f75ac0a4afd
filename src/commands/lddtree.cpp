// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"
#include "commands/commands.hpp"
#include "deps/load_tree.hpp"
#include "report/tree_json.hpp"

#include <memory>

namespace truewheel::commands {

void run(const TreeCommand& command) {
  with_context(command.file.string(), [&] {
    auto search = command.search;
    const MappedFile mapped(command.file);
    const auto facts = std::make_shared<const elf::ElfFacts>(elf::inspect(mapped.bytes()));
    search.libc = policy::libc_of({}, {{command.file.string(), facts}}).value_or(deps::Libc::glibc);
    write_stdout(report::tree_json(deps::load_tree(command.file, search), search.libc));
  });
}

}  // namespace truewheel::commands
