// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include <truewheel/policy.hpp>

#include <algorithm>

namespace truewheel::policy {
namespace {

std::string list_symbols(const std::vector<std::string>& symbols) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(symbols.size(), kShown); ++i) {
    shown.push_back(printable(symbols[i]));
  }
  std::string text = (symbols.size() == 1 ? "symbol " : "symbols ") + join(shown, ", ");
  if (symbols.size() > kShown) text += " and " + std::to_string(symbols.size() - kShown) + " more";
  return text;
}

std::string list_places(const std::vector<std::string>& places) {
  constexpr std::size_t kShown = 12;
  if (places.empty()) return {};
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    shown.push_back(printable(places[i]));
  }
  std::string text = " (searched " + join(shown, ", ");
  if (places.size() > kShown) text += " and " + std::to_string(places.size() - kShown) + " more";
  return text + ")";
}

}  // namespace

std::string Offence::sentence() const {
  const std::string who = printable(file) + (in_wheel ? "" : " (to be bundled)");
  switch (kind) {
    case Kind::version: {
      const std::string text =
          who + " needs " + printable(version) + " (" + printable(library) + ")";
      return symbols.empty() ? text : text + " for " + list_symbols(symbols);
    }
    case Kind::blacklisted_symbol:
      return who + " uses " + list_symbols(symbols) + ", which " + printable(library) +
             " has not on every system of this platform";
    case Kind::library:
      return who + " needs " + printable(library) + ", which a wheel of this platform may not need";
    case Kind::isa:
      return who + " needs a processor of level " + version;
    case Kind::python:
      return who + " uses " + list_symbols(symbols) + ", which only some builds of Python have";
    case Kind::missing_library:
      return who + " needs " + printable(library) + ", which was not found" + list_places(searched);
  }
  return who;
}

}  // namespace truewheel::policy
