// SPDX-License-Identifier: Apache-2.0
#include "check/requirements.hpp"

#include "base/text.hpp"
#include "deps/sibling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace truewheel::check {
namespace {

/// "Requires-Dist pyqt6_qt6 through $ORIGIN/Qt6/lib"; empty when no run path leads to one.
std::string brought_through(const Subject& subject, const Link& link,
                            const deps::LayoutIndex& index) {
  for (const auto file : {link.file, link.root.value_or(link.file)}) {
    const auto run_path = subject.layout[file].facts->run_path();
    if (!run_path) continue;
    const bool is_inherited =
        run_path->kind == elf::RunPathKind::rpath && !subject.layout[link.file].facts->runpath;
    if (file != link.file && !is_inherited) continue;
    for (const auto& entry : deps::run_path_entries(run_path->value)) {
      const auto place =
          deps::place_entry(entry, subject.layout[file].path, *subject.layout[file].facts);
      if (place.kind != deps::EntryPlace::Kind::inside || index.has_folder(place.folder)) continue;
      const auto who = who_brings(subject.requires_dist, place.folder);
      if (!who.empty()) return fmt::format("Requires-Dist {} through {}", who, entry);
    }
  }
  return {};
}

/// "libcudf_cu12" for libcudf.so, "shiboken6" for libshiboken6.abi3.so.6.12.
std::string named_like(const std::vector<std::string>& required, const std::string& needed) {
  std::string_view stem = base_name(needed);
  stem = stem.substr(0, stem.find('.'));
  auto who = who_brings(required, stem);
  constexpr std::string_view kLib = "lib";
  if (who.empty() && stem.starts_with(kLib)) {
    who = who_brings(required, stem.substr(kLib.size()));
  }
  return who;
}

}  // namespace

std::string who_brings(const std::vector<std::string>& required, std::string_view folder) {
  auto top = wheel::normalized_distribution(folder.substr(0, folder.find('/')));
  while (top.starts_with('_')) top.erase(0, 1);
  const auto family = top.substr(0, top.find('_'));
  if (family.empty()) return {};
  const auto is_of_family = [&](const std::string& name) {
    return name == family || name.starts_with(family + "_");
  };
  const auto found = std::find_if(required.begin(), required.end(), is_of_family);
  return found == required.end() ? std::string() : *found;
}

void ask_requirements(const Subject& subject, std::vector<Link>& links) {
  if (subject.requires_dist.empty()) return;
  const deps::LayoutIndex index(subject.layout);
  for (auto& link : links) {
    if (link.reach != Reach::nowhere || link.target) continue;
    if (auto through = brought_through(subject, link, index); !through.empty()) {
      link.reach = Reach::outside;
      link.provider = Provider::declared;
      link.provided_by = std::move(through);
    } else if (const auto who = named_like(subject.requires_dist, link.needed); !who.empty()) {
      link.reach = Reach::luck;
      link.provided_by = fmt::format(
          "an import of {}, which METADATA asks for, may have it loaded: no run path leads there",
          who);
    }
  }
}

}  // namespace truewheel::check
