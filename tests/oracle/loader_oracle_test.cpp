// SPDX-License-Identifier: Apache-2.0
// The loaders themselves judge simulate_load: random installations are
// linked, loaded by glibc and musl under their own tracing, and each search has to end where the
// simulation says.
#include "base/text.hpp"
#include "deps/run_path.hpp"
#include "oracle/loader_layouts.hpp"
#include "oracle/loader_traces.hpp"
#include "support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

using namespace truewheel;
using namespace truewheel::oracle;
using deps::LoadStep;
using deps::Via;

namespace fs = std::filesystem;

namespace {

constexpr unsigned kGlibcLayouts = 300;
constexpr unsigned kMuslLayouts = 160;
constexpr unsigned kSeed = 20240607;

/// In a fresh process nothing has loaded these, and nothing that it loads needs them.
const std::vector<std::string> kProvided = {"libutil.so.1", "libanl.so.1", "libBrokenLocale.so.1"};

bool is_provided(const std::string& needed) {
  return std::find(kProvided.begin(), kProvided.end(), needed) != kProvided.end();
}

struct Situation {
  const std::vector<deps::WheelFile>& layout;
  const fs::path& root;
  const deps::LoaderMachine& machine;
  std::map<Via, unsigned>& seen;
  unsigned& filtees;  ///< DT_FILTER and DT_AUXILIARY that were found
};

/// A name, or a path without its detours: the loader's $ORIGIN has those of the entry that a file
/// was found by.
std::string plain(const std::string& name) {
  return name.find('/') == std::string::npos ? name : fs::path(name).lexically_normal().native();
}

/// The NEEDED text as the loader tells it, for comparing names.
std::string expanded(const Situation& at, const LoadStep& step) {
  const fs::path folder = (at.root / at.layout[step.needing].path).parent_path();
  return plain(
      deps::expand_tokens(step.needed, {folder.native(), at.machine.lib, at.machine.platform})
          .value_or(""));
}

/// Holds one step against the search that the loader told; returns what differs, or nothing.
std::string difference(const Situation& at, const LoadStep& step, const Search& search,
                       const std::set<std::size_t>& loaded) {
  if (search.needing != at.layout[step.needing].path) return "another file needs it";
  const auto tried = in_layout(at.root, search.last_tried);
  if (step.via == Via::provided) {
    return search.is_new && !tried ? "" : "the loader did not take it from the environment";
  }
  if (!step.found) {
    if (search.is_new) return "the loader found " + search.last_tried;
    if (!tried) return "";
    const auto same = std::find_if(at.layout.begin(), at.layout.end(),
                                   [&](const auto& file) { return file.path == *tried; });
    const bool is_foreign =
        same != at.layout.end() && same->facts->machine != at.layout[0].facts->machine;
    return same == at.layout.end() || is_foreign ? "" : "the loader knew " + *tried;
  }
  const std::string& path = at.layout[*step.found].path;
  if (search.is_new == loaded.contains(*step.found)) {
    return search.is_new ? "the loader loaded it anew" : "the loader did not load " + path;
  }
  return tried == path ? "" : "the loader took " + search.last_tried + ", not " + path;
}

/// Walks simulation and account side by side. `stops` : the account ends at the first library that
/// is missing.
std::string compare(const Situation& at, const std::vector<LoadStep>& steps,
                    const std::vector<Search>& searches, bool stops) {
  std::size_t next = 0;
  std::set<std::size_t> loaded = {0};
  std::set<std::string> provided;
  for (const auto& step : steps) {
    const std::string name = expanded(at, step);
    const bool has_search = next < searches.size() && plain(searches[next].needed) == name &&
                            searches[next].needing == at.layout[step.needing].path;
    const bool is_silent =
        (step.via == Via::already_loaded && !(has_search && name.find('/') != std::string::npos)) ||
        (step.via == Via::provided && !provided.insert(name).second);
    const std::string where = at.layout[step.needing].path + " needs " + step.needed + ": ";
    if (!is_silent) {
      if (!has_search) return where + "the loader did not search for it";
      const std::string wrong = difference(at, step, searches[next], loaded);
      if (!wrong.empty()) return where + wrong;
      ++next;
    }
    ++at.seen[step.via];
    if (step.found && step.tag != deps::Tag::needed) ++at.filtees;
    if (step.found) loaded.insert(*step.found);
    if (stops && step.via == Via::not_found && step.tag != deps::Tag::auxiliary) break;
  }
  return next == searches.size() ? "" : "the loader searched for " + searches[next].needed + " too";
}

std::string summary(const std::map<Via, unsigned>& seen) {
  static const std::map<Via, std::string> names = {{Via::already_loaded, "already loaded"},
                                                   {Via::rpath, "RPATH"},
                                                   {Via::inherited_rpath, "inherited"},
                                                   {Via::runpath, "RUNPATH"},
                                                   {Via::provided, "provided"},
                                                   {Via::path, "path"},
                                                   {Via::not_found, "not found"}};
  std::string text;
  for (const auto& [via, count] : seen) text += " " + names.at(via) + " " + std::to_string(count);
  return text;
}

}  // namespace

TEST_CASE("simulated loads agree with glibc in every search") {
  if (!fs::exists("/lib64/ld-linux-x86-64.so.2")) {
    MESSAGE("skipped: not an x86-64 glibc machine");
    return;
  }
  const test::TemporaryFolder scratch;
  const fs::path home = fs::canonical(scratch.path());
  const GlibcLoader loader(home / "workshop");
  LayoutLinker linker(home / "parts");
  LayoutWishes wishes;
  wishes.machine = loader.machine();
  wishes.provided = kProvided;
  REQUIRE(wishes.machine.lib);

  std::mt19937 random(kSeed);
  std::map<Via, unsigned> seen;
  unsigned listed = 0;
  unsigned opened = 0;
  unsigned filtees = 0;
  for (unsigned number = 0; number < kGlibcLayouts; ++number) {
    const LayoutPlan plan = random_layout(random, wishes);
    const fs::path root = home / ("layout-" + std::to_string(number));
    linker.link(plan, root);
    const auto layout = read_layout(plan, root);
    const auto steps =
        deps::simulate_load(layout, 0, deps::Libc::glibc, is_provided, wishes.machine);
    const Situation situation{layout, root, wishes.machine, seen, filtees};
    INFO("layout " << number << plan.describe());
    // Listed as if it were a program, a library's own file is not known to be loaded; dlopen knows
    // it.
    const bool needs_root = std::any_of(steps.begin(), steps.end(),
                                        [](const LoadStep& step) { return step.found == 0; });
    // Nor does glibc's list of all files hold the filtee of the file that is its head.
    const bool has_filtees = !layout[0].facts->filtees.empty();
    if (!needs_root && !has_filtees) {
      CHECK(compare(situation, steps, loader.list(root, plan.files[0].path), false) == "");
      ++listed;
    }
    if (plan.files[0].kind == LibraryPlan::Kind::library) {
      CHECK(compare(situation, steps, loader.open(root, plan.files[0].path), true) == "");
      ++opened;
    }
    fs::remove_all(root);
  }
  std::cout << "glibc: " << listed << " layouts listed, " << opened
            << " opened; steps:" << summary(seen) << ", filtees " << filtees << "\n";
  CHECK(listed >= 150);
  CHECK(opened >= 100);
  // A comparison that never meets a rule says nothing of it.
  for (const auto via : {Via::already_loaded, Via::rpath, Via::inherited_rpath, Via::runpath,
                         Via::provided, Via::path, Via::not_found}) {
    CHECK(seen[via] >= 20);
  }
  CHECK(filtees >= 20);
}

TEST_CASE("simulated loads agree with musl in every library and every miss") {
  const test::TemporaryFolder scratch;
  const fs::path home = fs::canonical(scratch.path());
  const auto loader = MuslLoader::find(home / "workshop");
  if (!loader) {
    MESSAGE("skipped: musl and musl-gcc are not installed");
    return;
  }
  LayoutLinker linker(home / "parts");
  LayoutWishes wishes;
  wishes.libc = deps::Libc::musl;

  std::mt19937 random(kSeed);
  std::map<Via, unsigned> seen;
  unsigned listed = 0;
  unsigned opened = 0;
  for (unsigned number = 0; number < kMuslLayouts; ++number) {
    const LayoutPlan plan = random_layout(random, wishes);
    const fs::path root = home / ("layout-" + std::to_string(number));
    linker.link(plan, root);
    const auto layout = read_layout(plan, root);
    const auto steps = deps::simulate_load(layout, 0, deps::Libc::musl, is_provided);

    MuslTrace expected;
    std::set<std::size_t> loaded = {0};
    bool needs_root = false;
    for (const auto& step : steps) {
      ++seen[step.via];
      needs_root |= step.found == 0;
      if (step.via == Via::not_found) {
        expected.missing.emplace_back(layout[step.needing].path, step.needed);
      } else if (step.found && loaded.insert(*step.found).second) {
        expected.loaded.push_back(layout[*step.found].path);
      }
    }
    INFO("layout " << number << plan.describe());
    // Under --list musl does not know the listed file's own inode and loads it twice; dlopen knows
    // it.
    if (!needs_root) {
      const MuslTrace actual = loader->list(root, plan.files[0].path);
      CHECK(join(actual.loaded, " ") == join(expected.loaded, " "));
      CHECK((actual.missing == expected.missing));
      ++listed;
    }
    if (expected.missing.empty()) {
      CHECK(join(loader->open(root, plan.files[0].path).loaded, " ") == join(expected.loaded, " "));
      ++opened;
    }
    fs::remove_all(root);
  }
  std::cout << "musl: " << listed << " layouts listed, " << opened
            << " opened; steps:" << summary(seen) << "\n";
  CHECK(listed >= 60);
  CHECK(opened >= 10);
  for (const auto via :
       {Via::already_loaded, Via::rpath, Via::inherited_rpath, Via::runpath, Via::not_found}) {
    CHECK(seen[via] >= 20);
  }
}
