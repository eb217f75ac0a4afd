// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repair/plan.hpp"
#include <truewheel/error.hpp>

#include <optional>
#include <vector>

namespace truewheel::repair {

/// Error(unfit, "missing-library") with every library that nothing has, who needs it and where it
/// was searched. The newest policy is asked, since it leaves most to the system: what it misses is
/// missing under every other one, too.
[[nodiscard]] std::optional<Error> missing_libraries(const Examined& examined,
                                                     const std::filesystem::path& sysroot);

/// Lists what was left out of `kept` nodes' needs, and warns of drivers' libraries among it.
void note_exclusions(const deps::Graph& graph, const std::vector<deps::NodeId>& kept, Plan& plan);

/// The platform "linux" promises nothing and bundles nothing: warns of what `kept` nodes need from
/// the user's machine beyond what any policy leaves to it.
void note_left_to_machine(const Examined& examined, const std::vector<deps::NodeId>& kept,
                          Plan& plan);

/// A pattern that matched nothing is how 890 MB of BLAS got into a wheel (aiter#5318): a warning,
/// or Error(unfit, "dead-pattern") where the options say so (--verify=strict).
void note_dead_patterns(const deps::Graph& graph, const Options& options, Plan& plan);

}  // namespace truewheel::repair
