// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "report/check_graph.hpp"
#include "report/check_reports.hpp"
#include "report/check_text.hpp"
#include <truewheel/version.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace truewheel::report {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --text: #1d2430; --soft: #5b6675; --line: #c9d0d9; --back: #fff;
  --box: #f3f5f8; --bad: #c3191f; --warn: #9a5b00; --good: #2c6e49; --focus: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --soft: #a3adba; --line: #3a4350;
  --back: #14181e; --box: #1f252d; --bad: #ff7b72; --warn: #e3b341; --good: #6fcf97; --focus: #8ab4f8; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
  max-width: 76rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
.findings :is(th, td):nth-child(-n+2) { white-space: nowrap; overflow-wrap: normal; }
code { font: 13px ui-monospace, monospace; }
.error, .missing { color: var(--bad); font-weight: 600; } .warning, .luck { color: var(--warn); }
.hint { color: var(--soft); }
.picture { overflow: auto; max-height: 80vh; border: 1px solid var(--line); border-radius: 6px; }
.graph .edge { fill: none; stroke: var(--soft); stroke-opacity: .55; }
.graph .inherited { stroke-dasharray: 6 3; } .graph .outside.edge { stroke-dasharray: 2 3; }
.graph .luck { stroke: var(--warn); stroke-dasharray: 6 3; }
.graph .missing { stroke: var(--bad); stroke-width: 2; stroke-opacity: 1; }
.graph rect { fill: var(--box); stroke: var(--line); }
.graph .outside rect { stroke-dasharray: 3 2; } .graph .broken rect { stroke: var(--bad); stroke-width: 2; }
.graph text { fill: var(--text); font: 12px ui-monospace, monospace; }
.graph a { outline: none; } .graph a:focus rect { stroke: var(--focus); stroke-width: 3; }
.graph .lit { stroke: var(--focus); stroke-opacity: 1; stroke-width: 2; }
:target { background: var(--box); } a { color: var(--focus); } :focus-visible { outline: 2px solid var(--focus); }
)";

// Lights the edges of the node that has the focus or the pointer; up and down move within a column.
constexpr std::string_view kScript = R"(
for (const graph of document.querySelectorAll('svg.graph')) {
  const nodes = [...graph.querySelectorAll('a.node')];
  const light = (node, on) => { for (const edge of graph.querySelectorAll(
    `[data-from="${node.dataset.node}"],[data-to="${node.dataset.node}"]`)) edge.classList.toggle('lit', on); };
  const at = (node, side) => Number(node.querySelector('rect').getAttribute(side));
  for (const node of nodes) {
    for (const event of ['focus', 'mouseenter']) node.addEventListener(event, () => light(node, true));
    for (const event of ['blur', 'mouseleave']) node.addEventListener(event, () => light(node, false));
    node.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const column = nodes.filter((other) => at(other, 'x') === at(node, 'x'))
        .sort((a, b) => at(a, 'y') - at(b, 'y'));
      column[column.indexOf(node) + step]?.focus();
    });
  }
}
)";

std::string code(std::string_view text) { return "<code>" + escape_markup(text) + "</code>"; }

std::string findings_html(const check::Outcome& outcome) {
  if (outcome.findings.empty()) return "<p>Nothing found.</p>\n";
  std::string out =
      "<table "
      "class=\"findings\"><thead><tr><th>rule</th><th>severity</th><th>member</th><th>finding</"
      "th></tr>"
      "</thead><tbody>\n";
  for (const auto& finding : outcome.findings) {
    out += fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td><td>{}{}</td></tr>\n",
                       escape_markup(finding.id), severity_name(finding.severity),
                       severity_name(finding.severity), code(finding.where),
                       escape_markup(finding.what),
                       finding.hint.empty()
                           ? ""
                           : "<br><span class=\"hint\">" + escape_markup(finding.hint) + "</span>");
  }
  return out + "</tbody></table>\n";
}

std::string found_where(const check::Subject& subject, const check::Link& link) {
  if (link.target && link.reach != check::Reach::nowhere) {
    std::string text = code(subject.path_of(*link.target));
    if (!link.entry.empty()) {
      text += " through " + code(link.entry);
      if (link.entry_owner && *link.entry_owner != link.file) {
        text += " of " + code(subject.path_of(*link.entry_owner));
      }
    }
    if (link.reach == check::Reach::luck) text += ", loaded before by luck";
    return text;
  }
  if (link.target) return "not found, though " + code(subject.path_of(*link.target)) + " is there";
  if (!link.provided_by.empty()) return "outside: " + escape_markup(link.provided_by);
  return link.reach == check::Reach::nowhere ? "not found" : "outside";
}

std::string links_html(const check::Subject& subject, std::size_t file) {
  std::string out;
  for (const auto& link : subject.links) {
    if (link.file != file) continue;
    out += fmt::format("<li class=\"{}\">{}: {}</li>", reach_class(link), code(link.needed),
                       found_where(subject, link));
  }
  return out.empty() ? "nothing" : "<ul>" + out + "</ul>";
}

std::string run_path_html(const elf::ElfFacts& facts) {
  std::string out;
  if (facts.rpath) out += "RPATH " + code(*facts.rpath);
  if (facts.runpath) out += (out.empty() ? "" : "<br>") + ("RUNPATH " + code(*facts.runpath));
  return out.empty() ? "none" : out;
}

std::string files_html(const check::Subject& subject, const std::string& prefix) {
  std::string out =
      "<table><thead><tr><th>file</th><th>run path</th><th>needs</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < subject.files.size(); ++i) {
    out += fmt::format(
        "<tr id=\"{}-file-{}\" tabindex=\"-1\"><td>{}</td><td>{}</td><td>{}</td></tr>\n", prefix, i,
        code(subject.path_of(i)), run_path_html(*subject.files[i].facts), links_html(subject, i));
  }
  return out + "</tbody></table>\n";
}

std::string outside_html(const check::Subject& subject, const std::string& prefix) {
  const auto libraries = outside_libraries(subject);
  if (libraries.empty()) return {};
  std::string out =
      "<h3>Libraries outside</h3>\n<table><thead><tr><th>library</th><th>who has it</th>"
      "<th>needed by</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    std::string needers;
    std::string provider;
    for (const auto& link : subject.links) {
      if (link.needed != libraries[i] || link.target) continue;
      if (!needers.empty()) needers += "<br>";
      needers += code(subject.path_of(link.file));
      provider = found_where(subject, link);
    }
    out += fmt::format(
        "<tr id=\"{}-outside-{}\" tabindex=\"-1\"><td>{}</td><td>{}</td><td>{}</td></tr>\n", prefix,
        i, code(libraries[i]), provider, needers);
  }
  return out + "</tbody></table>\n";
}

std::string subject_html(const check::Outcome& outcome, std::size_t number) {
  const std::string prefix = fmt::format("s{}", number);
  std::string out = fmt::format("<section>\n<h2>{}</h2>\n{}", escape_markup(subject_name(outcome)),
                                findings_html(outcome));
  if (!outcome.subject || outcome.subject->files.empty()) return out + "</section>\n";
  const auto& subject = *outcome.subject;
  if (const auto svg = graph_svg(subject, prefix); !svg.empty()) {
    out +=
        "<h3>Who needs what</h3>\n<p>Files that a loader starts from stand on the left, what is "
        "outside on the right; red is not found, amber is found by luck, dashed through another "
        "file's run path. Libraries of every system of the platform tag are left out. Tab and "
        "the up and down keys move, Enter leads to the details.</p>\n<div class=\"picture\">\n" +
        svg + "</div>\n";
  }
  out += "<h3>Files</h3>\n" + files_html(subject, prefix) + outside_html(subject, prefix);
  return out + "</section>\n";
}

}  // namespace

std::string check_html(const std::vector<check::Outcome>& outcomes) {
  std::string body;
  for (std::size_t i = 0; i < outcomes.size(); ++i) body += subject_html(outcomes[i], i);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n<title>truewheel check</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<h1>truewheel check</h1>\n{}<p class=\"hint\">truewheel "
      "{}</p>\n<script>{}</script>\n</body>\n</html>\n",
      kStyle, body, kVersion, kScript);
}

std::string subject_name(const check::Outcome& outcome) {
  if (outcome.subject) return outcome.subject->name;
  return outcome.path.empty() ? "all" : outcome.path.filename().string();
}

std::string escape_markup(std::string_view text) {
  std::string out;
  bool is_first = true;
  for (const auto& line : split(text, '\n')) {
    if (!is_first) out += '\n';
    is_first = false;
    for (const char c : printable(line)) {
      switch (c) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '"':
          out += "&quot;";
          break;
        case '\'':
          out += "&#39;";
          break;
        default:
          out += c;
      }
    }
  }
  return out;
}

}  // namespace truewheel::report
