// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/check.hpp>

#include <string>

namespace truewheel::report {

/// The subject's dependency graph as an SVG element: a column a distance from the files that a
/// loader starts from, what is outside in the last one. Each node is a link to `#<prefix>-file-<n>`
/// or `#<prefix>-outside-<n>`, each edge has the class of its reach. Libraries that every system of
/// the platform tag has are left out. Empty if there is nothing to draw.
[[nodiscard]] std::string graph_svg(const check::Subject& subject, const std::string& prefix);

/// How a library is found, in one word for reports and their readers.
[[nodiscard]] const char* reach_name(check::Reach reach);

/// "own-path", "inherited", "luck", "outside" or "missing": class of an edge and of a row.
[[nodiscard]] std::string reach_class(const check::Link& link);

/// The libraries outside the subject that the graph shows, sorted; the number of a node is the
/// place here.
[[nodiscard]] std::vector<std::string> outside_libraries(const check::Subject& subject);

}  // namespace truewheel::report
