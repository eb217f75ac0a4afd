// SPDX-License-Identifier: Apache-2.0
#include "repair/musl_notes.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace truewheel::repair {
namespace {

/// What glibc's headers make of ordinary calls, and what its C++ runtime expects; musl has none.
bool is_of_glibc(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"__cxa_thread_atexit_impl",
                                                      "__libc_single_threaded", "__register_atfork",
                                                      "gnu_get_libc_version"};
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  // _FORTIFY_SOURCE (__memcpy_chk) and C23's numbers (__isoc23_strtol).
  return (name.starts_with("__") && name.ends_with("_chk")) || name.starts_with("__isoc23_");
}

}  // namespace

void note_glibc_symbols(Plan& plan) {
  for (const auto& file : plan.files) {
    const auto& needed = file.facts.needed;
    const bool has_compatibility_library =
        std::any_of(needed.begin(), needed.end(),
                    [](const std::string& name) { return name.starts_with("libgcompat.so"); });
    if (has_compatibility_library) continue;
    std::vector<std::string> names;
    for (const auto& symbol : file.facts.imports) {
      if (!symbol.weak && is_of_glibc(symbol.name)) names.push_back(symbol.name);
    }
    if (names.empty()) continue;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    plan.findings.push_back(
        {"glibc-symbol", Severity::warning, file.path,
         fmt::format("needs {}, which glibc has and musl has not", printable(join(names, ", "))),
         "build it, and the static libraries in it, on a musl system"});
  }
}

}  // namespace truewheel::repair
