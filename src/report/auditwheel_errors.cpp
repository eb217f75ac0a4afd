// SPDX-License-Identifier: Apache-2.0
#include "report/auditwheel_errors.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace truewheel::report {
namespace {

/// In the order in which auditwheel looks for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kReasons = {{
    {"version",
     "of the presence of too-recent versioned symbols. You'll need to compile the wheel on an "
     "older toolchain."},
    {"ucs2",
     "it was compiled against a UCS2 build of Python. You'll need to compile the wheel against a "
     "wide-unicode build of Python."},
    {"blacklisted-symbol", "it depends on black-listed symbols."},
    {"isa", "it depends on unsupported ISA extensions."},
}};

std::string not_met(const Error& error) {
  const auto& subjects = error.subjects();
  if (subjects.empty()) return {};
  for (const auto& [kind, reason] : kReasons) {
    if (std::find(subjects.begin() + 1, subjects.end(), kind) == subjects.end()) continue;
    return fmt::format("cannot repair \"{}\" to \"{}\" ABI because {}", printable(error.where()),
                       printable(subjects.front()), reason);
  }
  return {};
}

std::string under_purelib(const Error& error) {
  std::string text =
      "Invalid binary wheel, found the following shared library/libraries in purelib folder:\n";
  for (const auto& path : error.subjects()) text += "  " + std::string(base_name(path)) + "\n";
  return text + "The wheel has to be platlib compliant in order to be repaired by auditwheel.";
}

}  // namespace

std::string auditwheels_words(const Error& error) {
  const auto& subjects = error.subjects();
  if (error.id() == "pure-wheel") return std::string(kNoPlatformWheel);
  if (error.id() == "platform-not-met") return not_met(error);
  if (subjects.empty()) return {};
  if (error.id() == "absent-input" || error.id() == "folder-for-wheel") {
    return fmt::format("cannot access {}. No such file", printable(subjects.front()));
  }
  if (error.id() == "missing-library") {
    return fmt::format("Cannot repair wheel, because required library \"{}\" could not be located",
                       printable(subjects.front()));
  }
  if (error.id() == "elf-under-purelib") return under_purelib(error);
  return {};
}

}  // namespace truewheel::report
