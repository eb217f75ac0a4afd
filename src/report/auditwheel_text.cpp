// SPDX-License-Identifier: Apache-2.0
#include "report/auditwheel_text.hpp"

#include "base/text.hpp"
#include "report/view.hpp"

#include <algorithm>
#include <set>

namespace truewheel::report {
namespace {

/// An empty line, then the words in lines of at most 70 characters; a longer word has a line of its
/// own.
void paragraph(std::string& out, const std::string& text) {
  constexpr std::size_t kWidth = 70;
  std::string line;
  out += '\n';
  for (const auto& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      out += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + printable(word);
  }
  out += line + '\n';
}

std::string quoted_list(const std::set<std::string>& items) {
  return "'" + join({items.begin(), items.end()}, "', '") + "'";
}

void write_versions(std::string& out, const repair::Inspection& inspection) {
  std::vector<std::string> libraries;
  for (const auto& [library, versions] : versioned_symbols(inspection, Whose::with_grafts)) {
    libraries.push_back(library + " with versions {" + quoted_list(versions) + "}");
  }
  paragraph(out, libraries.empty()
                     ? "The wheel references no external versioned symbols from system-provided "
                       "shared libraries."
                     : "The wheel references external versioned symbols in these system-provided "
                       "shared libraries: " +
                           join(libraries, ", "));
}

void write_libraries(std::string& out, const repair::Inspection& inspection) {
  const auto external = external_libraries(inspection);
  if (external.empty()) {
    paragraph(out, "The wheel requires no external shared libraries! :)");
    return;
  }
  paragraph(out, "The following external shared libraries are required by the wheel:");
  out += "{\n";
  std::size_t left = external.size();
  for (const auto& [needed, path] : external) {
    out += "    \"" + printable(needed) + "\": ";
    out += path.empty() ? "null" : "\"" + printable(path) + "\"";
    out += --left > 0 ? ",\n" : "\n";
  }
  out += "}\n";
}

}  // namespace

std::string auditwheel_text(const repair::Inspection& inspection) {
  std::string out;
  if (inspection.pure || !inspection.verdict) return out;
  const auto& verdict = *inspection.verdict;
  paragraph(out, inspection.input.filename().string() +
                     " is consistent with the following platform tag: \"" +
                     verdict.tag(verdict.as_is) + "\".");
  write_versions(out, inspection);
  if (verdict.by_versions > verdict.strictest) {
    paragraph(out, "This constrains the platform tag to \"" + verdict.tag(verdict.by_versions) +
                       "\". A more compatible tag needs a build on a system with earlier versions "
                       "of these libraries, such as a manylinux image.");
  }
  write_libraries(out, inspection);
  for (std::size_t i = verdict.strictest; i < verdict.as_is; ++i) {
    std::set<std::string> names;
    for (const auto id : verdict.policies[i].grafts) {
      const auto& known_as = inspection.graph.nodes[id].known_as;
      names.insert(known_as.begin(), known_as.end());
    }
    if (names.empty()) continue;
    paragraph(out, "In order to achieve the tag platform tag '" + verdict.tag(i) +
                       "' the following shared library dependencies will need to be eliminated:");
    paragraph(out, join({names.begin(), names.end()}, ", "));
  }
  return out;
}

}  // namespace truewheel::report
