// SPDX-License-Identifier: Apache-2.0
#include "report/auditwheel_text.hpp"

#include "base/text.hpp"
#include "report/view.hpp"

#include <algorithm>
#include <optional>
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
  const auto external = external_libraries(inspection, newest_policy(*inspection.verdict));
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

/// What keeps the wheel from one policy, apart from versions.
void write_upgrade(std::string& out, const repair::Inspection& inspection, std::size_t policy) {
  const auto& verdict = *inspection.verdict;
  const auto tag = "In order to achieve the tag platform tag '" + verdict.tag(policy) + "' ";
  std::vector<std::string> libraries;
  for (const auto& [needed, path] : external_libraries(inspection, policy)) {
    libraries.push_back(needed);
  }
  if (!libraries.empty()) {
    paragraph(out, tag + "the following shared library dependencies will need to be eliminated:");
    paragraph(out, join(libraries, ", "));
  }
  const auto forbidden = forbidden_symbols(verdict.policies[policy]);
  if (forbidden.empty()) return;
  paragraph(out,
            tag + "the following black-listed symbol dependencies will need to be eliminated:");
  for (const auto& [library, symbols] : forbidden) {
    paragraph(out, "From " + library + ": " + join({symbols.begin(), symbols.end()}, ", "));
  }
}

/// The wish's place among the policies, if it names one.
std::optional<std::size_t> place_of(const std::string& wish, const policy::Verdict& verdict) {
  const auto wished = policy::parse_platform_wish(wish, verdict.libc, verdict.architecture);
  for (std::size_t i = 0; i < verdict.policies.size(); ++i) {
    if (!wished.automatic && verdict.policies[i].policy->name == wished.policy) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> auditwheel_tag_notes(const repair::Report& report,
                                              const repair::Options& options) {
  std::vector<std::string> notes;
  const auto& verdict = report.verdict;
  const auto wished = place_of(options.platform, verdict);
  for (std::size_t i = 0; wished && i < *wished; ++i) {
    if (verdict.policies[i].policy->name != report.policy) continue;
    notes.push_back("Wheel is eligible for a higher priority tag. You requested " +
                    verdict.tag(*wished) + " but I have found this wheel is eligible for " +
                    verdict.tag(i) + ".");
  }
  if (options.tag_update == policy::TagUpdate::none) return notes;
  const auto before = wheel::parse_wheel_name(report.input.filename().string()).platform_tags;
  const auto after = wheel::parse_wheel_name(report.output_name).platform_tags;
  notes.push_back("Previous filename tags: " + join(before, ", "));
  notes.push_back(before == after ? "No filename tags change needed."
                                  : "New filename tags: " + join(after, ", "));
  return notes;
}

std::string auditwheel_text(const repair::Inspection& inspection, Detail detail) {
  std::string out;
  if (inspection.pure || !inspection.verdict) return out;
  const auto& verdict = *inspection.verdict;
  const bool is_brief = detail != Detail::full;
  paragraph(out, inspection.input.filename().string() +
                     " is consistent with the following platform tag: \"" +
                     verdict.tag(verdict.as_is) + "\".");
  const auto peculiar = peculiarities(verdict);
  if (peculiar.pyfpe) {
    paragraph(out,
              "This wheel uses the PyFPE_jbuf function, which is not compatible with the "
              "manylinux/musllinux tags. (see https://www.python.org/dev/peps/pep-0513/"
              "#fpectl-builds-vs-no-fpectl-builds)");
    if (is_brief) return out;
  }
  if (peculiar.ucs2) {
    paragraph(out,
              "This wheel is compiled against a narrow unicode (UCS2) version of Python, which is "
              "not compatible with the manylinux/musllinux tags.");
    if (is_brief) return out;
  }
  if (peculiar.unsupported_isa) {
    paragraph(out, "This wheel depends on unsupported ISA extensions.");
    if (is_brief) return out;
  }
  write_versions(out, inspection);
  const auto best = auditwheels_best_policy(verdict);
  if (verdict.by_versions > best) {
    paragraph(out, "This constrains the platform tag to \"" + verdict.tag(verdict.by_versions) +
                       "\". In order to achieve a more compatible tag, you would need to recompile "
                       "a new wheel from source on a system with earlier versions of these "
                       "libraries, such as a recent manylinux image.");
    if (is_brief) return out;
  }
  write_libraries(out, inspection);
  // From the newest policy to the oldest, as auditwheel has them.
  const auto end = std::min(verdict.as_is, newest_policy(verdict) + 1);
  for (auto policy = end; policy-- > best;) write_upgrade(out, inspection, policy);
  return out;
}

}  // namespace truewheel::report
