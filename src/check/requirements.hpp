// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <truewheel/check.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace truewheel::check {

/// The one among the distributions that METADATA asks for that may install into a folder of
/// site-packages, by the folder's name: "pyqt6_qt6" for PyQt6/Qt6/lib, "nvidia_cublas_cu12" for
/// nvidia/cublas/lib. Empty if none may.
[[nodiscard]] std::string who_brings(const std::vector<std::string>& required,
                                     std::string_view folder);

/// Settles links to libraries that nothing in the subject answers, but a distribution brings that
/// METADATA asks for: the one that installs to where the run path leads (PyQt6 needs PyQt6-Qt6), or
/// the one that is called like the library, and whose own import loads it (cudf-cu12 needs
/// libcudf-cu12).
void ask_requirements(const Subject& subject, std::vector<Link>& links);

}  // namespace truewheel::check
