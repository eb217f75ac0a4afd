// SPDX-License-Identifier: Apache-2.0
// What the archive may hold and an installer stumbles over, or a user would rather know
// (Z48, Z49 of tests/archives).
#include "base/text.hpp"
#include <truewheel/wheel.hpp>

#include <fmt/format.h>

namespace truewheel::wheel {
namespace {

constexpr std::size_t kMostOfName = 300;  // that a message needs

// As many notes as somebody reads: a small archive can hold millions.
class NoteList {
 public:
  void add(LayoutNote::About about, std::string sentence) {
    constexpr std::size_t kMost = 50;
    if (notes_.size() == kMost) {
      ++left_out_;
      return;
    }
    notes_.push_back({about, std::move(sentence)});
  }
  std::vector<LayoutNote> take() {
    if (left_out_ != 0) {
      notes_.back().sentence += fmt::format(", and {} notes of the kind are left out", left_out_);
    }
    return std::move(notes_);
  }

 private:
  std::vector<LayoutNote> notes_;
  std::size_t left_out_ = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// python, pythonw, python3, python3.13t and so on, with or without .exe: names of the interpreter
// itself, which an installer that writes scripts and data over an environment would replace.
bool is_interpreter(std::string_view name) {
  constexpr std::string_view kPython = "python";
  if (name.ends_with(".exe")) name.remove_suffix(4);
  if (!name.starts_with(kPython)) return false;
  name.remove_prefix(kPython.size());
  if (name.empty() || name == "w") return true;
  const auto skip_digits = [&name] {
    const auto before = name.size();
    while (!name.empty() && is_digit(name.front())) name.remove_prefix(1);
    return name.size() != before;
  };
  if (!skip_digits()) return false;
  if (name.starts_with('.')) {
    name.remove_prefix(1);
    if (!skip_digits()) return false;
  }
  return name.empty() || name == "t";
}

constexpr std::string_view kSpace = " \t\r";

void add_data_notes(const std::vector<Member>& members, std::string_view dist_info,
                    NoteList& notes) {
  const auto add = [&notes](std::string sentence) {
    notes.add(LayoutNote::About::data, std::move(sentence));
  };
  using Scheme = InstalledPath::Scheme;
  const auto stem = dist_info.substr(0, dist_info.size() - std::string_view(".dist-info").size());
  const std::string data = std::string(stem) + ".data/";
  for (const auto& member : members) {
    // pip takes a file of such a name for a part of the folder, too, and stops.
    if (member.name.find('/') == std::string::npos && member.name.ends_with(".data")) {
      add(fmt::format("'{}' is a file where installers look for a folder of data",
                      printable(member.name)));
    }
    if (!std::string_view(member.name).starts_with(data)) continue;
    const auto place = installed_path(member.name, dist_info);
    const std::string_view path = place.path;
    if (place.scheme == Scheme::root && path == member.name) {
      add(fmt::format("'{}' is under no key that installers know", printable(member.name)));
    }
    const bool is_script = place.scheme == Scheme::scripts;
    const bool is_program =
        place.scheme == Scheme::data && (path.starts_with("bin/") || path.starts_with("Scripts/"));
    if ((is_script || is_program) && is_interpreter(base_name(path))) {
      add(fmt::format("'{}' replaces the Python interpreter of the environment it is installed to",
                      printable(member.name)));
    }
  }
}

// entry_points.txt is an INI file; what is left of the first `=` becomes the name of a file in the
// folder of scripts.
void add_entry_point_notes(std::string_view text, NoteList& notes) {
  bool makes_scripts = false;
  while (!text.empty()) {
    const auto line = trimmed(take_piece(text, '\n'), kSpace);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      makes_scripts = line == "[console_scripts]" || line == "[gui_scripts]";
      continue;
    }
    const auto name = trimmed(line.substr(0, line.find('=')), kSpace);
    if (makes_scripts && (name.find_first_of("/\\") != std::string_view::npos || name == "..")) {
      notes.add(LayoutNote::About::entry_point,
                fmt::format("entry point '{}' names a file outside the folder of scripts",
                            printable(name.substr(0, kMostOfName))));
    }
  }
}

}  // namespace

std::vector<LayoutNote> layout_notes(const std::vector<Member>& members, std::string_view dist_info,
                                     std::string_view entry_points) {
  NoteList notes;
  add_data_notes(members, dist_info, notes);
  add_entry_point_notes(entry_points, notes);
  return notes.take();
}

}  // namespace truewheel::wheel
