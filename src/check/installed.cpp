// SPDX-License-Identifier: Apache-2.0
#include "base/byte_reader.hpp"
#include "base/folder_names.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "check/subject.hpp"
#include "check/version_loads.hpp"
#include "deps/ld_so_cache.hpp"
#include "deps/load_tree.hpp"
#include "deps/sysroot.hpp"
#include "elf/payload.hpp"
#include "wheel/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace truewheel::check {
namespace {

namespace fs = std::filesystem;

/// The folders below `root` that match a pattern of path components with wildcards, sorted.
std::vector<fs::path> matching_folders(const fs::path& root, const std::string& pattern) {
  std::vector<fs::path> found = {root};
  for (const auto& component : split(pattern, '/')) {
    std::vector<fs::path> next;
    for (const auto& folder : found) {
      for (const auto& name : folder_names(folder).value_or(std::vector<std::string>())) {
        std::error_code ignored;
        if (glob_match(component, name) && fs::is_directory(folder / name, ignored)) {
          next.push_back(folder / name);
        }
      }
    }
    found = std::move(next);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Where interpreters below a root look for packages: Debian's, upstream's, conda's and virtual
/// environments, the root being one among them.
std::vector<fs::path> site_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const auto* pattern :
       {"lib/python3*/site-packages", "lib64/python3*/site-packages",
        "usr/local/lib/python3*/[sd]i[ts][et]-packages", "usr/lib/python3*/[sd]i[ts][et]-packages",
        "usr/local/lib64/python3*/site-packages", "usr/lib64/python3*/site-packages",
        "opt/*/lib/python3*/site-packages", "opt/python/*/lib/python3*/site-packages",
        "root/.local/lib/python3*/site-packages", "home/*/.local/lib/python3*/site-packages",
        "app/.venv/lib/python3*/site-packages", "venv/lib/python3*/site-packages"}) {
    for (auto& folder : matching_folders(root, pattern)) folders.push_back(std::move(folder));
  }
  return folders;
}

struct Installation {
  fs::path site;
  fs::path dist_info;
};

Installation find_installation(const std::string& name, const fs::path& root) {
  const auto wanted = wheel::normalized_distribution(name);
  std::error_code ignored;
  if (!fs::is_directory(root, ignored)) {
    throw Error(ErrorKind::usage, "root", "--root " + printable(root.string()) + " is no folder");
  }
  const auto sites = site_folders(root);
  for (const auto& site : sites) {
    for (const auto& folder : matching_folders(site, "*.dist-info")) {
      const auto stem = folder.filename().string();
      if (wheel::normalized_distribution(stem.substr(0, stem.find('-'))) == wanted) {
        return {site, folder};
      }
    }
  }
  throw Error(ErrorKind::usage, "not-installed",
              fmt::format("{} is not installed below {}: looked into {} site-packages folders",
                          printable(name), printable(root.string()), sites.size()),
              "--root DIR names the image or the environment");
}

/// "bin/x" of a row `../../../bin/x`: what an installer put beside site-packages, below the prefix.
std::string below_prefix(std::string_view row) {
  constexpr std::string_view kUp = "../";
  while (row.starts_with(kUp)) row.remove_prefix(kUp.size());
  return std::string(row);
}

/// The files of a distribution by its RECORD, as paths from site-packages: an installer's RECORD is
/// no wheel's and names scripts by `../../../bin/x`.
std::vector<std::string> files_of(const Installation& installation) {
  const auto record_path = installation.dist_info / "RECORD";
  const MappedFile record(record_path);
  std::vector<std::string> files;
  with_context(record_path.string(), [&] {
    const auto take = [&files](const std::string& row_path) {
      if (row_path.starts_with('/')) return;
      if (auto path = normal_path(row_path); path && !path->empty()) {
        files.push_back(std::move(*path));
      } else if (row_path.starts_with("../") && normal_path(below_prefix(row_path))) {
        files.push_back(row_path);
      }
    };
    wheel::for_each_csv_row(
        as_text(record.bytes()),
        [&](std::size_t, std::vector<std::string>& fields) { take(fields.front()); });
  });
  std::sort(files.begin(), files.end());
  return files;
}

/// What every load below the root finds, put into links.
class InstalledLinks {
 public:
  InstalledLinks(Subject& subject, fs::path site, const fs::path& root,
                 const std::vector<fs::path>& ld_library_path)
      : subject_(subject), site_(std::move(site)), sysroot_(root) {
    search_.sysroot = root == "/" ? fs::path() : root;
    search_.libc = subject.libc;
    with_variable_ = search_;
    with_variable_.ld_library_path = ld_library_path;
    if (subject.libc == deps::Libc::glibc) cache_ = deps::LdSoCache::read(sysroot_);
    for (std::size_t i = 0; i < subject.files.size(); ++i) {
      std::error_code ignored;
      const auto real = fs::canonical(site_ / subject.path_of(i), ignored);
      by_real_path_.emplace(real.string(), i);
    }
  }

  void build() {
    const auto roots = deps::load_roots(subject_.layout);
    for (const auto root : roots) {
      subject_.files[root].is_root = true;
      trees_.push_back(deps::load_tree(site_ / subject_.path_of(root), search_));
    }
    std::erase_if(subject_.version_faults, [](const VersionFault& one) { return !one.loaded; });
    for (std::size_t i = 0; i < subject_.files.size(); ++i) add_links_of(i);
    for (const auto& tree : trees_) note_system_faults(tree);
  }

 private:
  void add_links_of(std::size_t file) {
    const auto& facts = *subject_.files[file].facts;
    if (!facts.is_dynamic()) return;
    const auto path = site_ / subject_.path_of(file);
    const auto own = deps::load_tree(path, search_);
    std::optional<deps::LoadTree> with_variable;
    std::set<std::string> told;
    for (const auto& dependency : deps::dependencies(facts, search_.libc)) {
      const auto& needed = dependency.name;
      if (!told.insert(needed).second) continue;
      Link link;
      link.file = file;
      link.needed = needed;
      const auto* found = find(own, needed);
      if (found != nullptr) {
        take(link, *found, Reach::own_path);
      } else if (const auto* elsewhere = find_in_roots(needed, own.real_path)) {
        const bool inherits = !facts.runpath && elsewhere->how.starts_with("RPATH");
        take(link, *elsewhere, inherits ? Reach::inherited : Reach::luck);
      } else if (dependency.tag == deps::Tag::auxiliary) {
        continue;  // the loader goes on without it
      } else if (deps::is_libpython(needed)) {
        link.reach = Reach::outside;
        link.provider = Provider::python;
        link.provided_by = "the interpreter";
      } else {
        if (!with_variable && !with_variable_.ld_library_path.empty()) {
          with_variable = deps::load_tree(path, with_variable_);
        }
        const auto* by_variable = with_variable ? find(*with_variable, needed) : nullptr;
        if (by_variable != nullptr) {
          link.reach = Reach::luck;
          link.provided_by = "LD_LIBRARY_PATH finds it: " + by_variable->path;
        } else if (const auto lies_at = facts.kind == elf::FileKind::shared_object
                                            ? find_in_site(needed)
                                            : std::string();
                   !lies_at.empty()) {
          // A program is a process of its own: nothing was imported there before.
          link.reach = Reach::luck;
          link.provided_by = "an earlier import has it loaded: it lies at " + lies_at +
                             ", where no run path leads";
        }
      }
      subject_.links.push_back(std::move(link));
    }
    if (subject_.libc == deps::Libc::glibc) add_version_faults(file, own);
  }

  /// Names in version needs that nothing loads here bears.
  void add_version_faults(std::size_t file, const deps::LoadTree& own) {
    const auto& facts = *subject_.files[file].facts;
    for (const auto& need : facts.version_needs) {
      if (contains(facts.needed, need.file) || is_in_every_process(need.file) ||
          find(own, need.file) != nullptr || find_in_roots(need.file, own.real_path) != nullptr) {
        continue;
      }
      subject_.version_faults.push_back({file, need.file, std::nullopt, {}, std::nullopt});
    }
  }

  void take(Link& link, const deps::TreeLibrary& found, Reach reach) {
    const auto own = by_real_path_.find(found.real_path);
    const auto space = found.how.find(' ');
    if (own != by_real_path_.end()) {
      link.reach = reach;
      link.target = own->second;
      if (found.how.find("PATH ") != std::string::npos) link.entry = found.how.substr(space + 1);
      return;
    }
    link.reach = Reach::outside;
    link.provider = Provider::declared;
    link.provided_by = fmt::format("{} ({})", found.path, found.how);
    note_stale_cache(link, found);
  }

  /// A folder of ld.so.conf counts only once ldconfig has run.
  void note_stale_cache(const Link& link, const deps::TreeLibrary& found) {
    if (!cache_ || found.how.find("ld.so.conf") == std::string::npos) return;
    if (!cache_->find(link.needed).empty()) return;
    subject_.load_faults.push_back(
        {"R005", Severity::error, subject_.path_of(link.file),
         fmt::format("needs {}, which lies at {}, but ld.so.cache does not have it: run ldconfig",
                     printable(link.needed), printable(found.path)),
         "ldconfig", link.needed});
  }

  static const deps::TreeLibrary* find(const deps::LoadTree& tree, const std::string& needed) {
    for (const auto& library : tree.libraries) {
      if (library.name == needed && library.facts) return &library;
    }
    // Under another name it may be loaded already: a SONAME.
    for (const auto& library : tree.libraries) {
      if (library.facts && library.facts->soname == needed) return &library;
    }
    return nullptr;
  }

  const deps::TreeLibrary* find_in_roots(const std::string& needed, const std::string& file) const {
    for (const auto& tree : trees_) {
      const bool reaches = tree.real_path == file ||
                           std::any_of(tree.libraries.begin(), tree.libraries.end(),
                                       [&](const auto& one) { return one.real_path == file; });
      if (!reaches) continue;
      if (const auto* found = find(tree, needed)) return found;
    }
    return nullptr;
  }

  /// A library of this name anywhere in site-packages.
  std::string find_in_site(const std::string& needed) {
    if (!site_names_) {
      site_names_.emplace();
      std::error_code error;
      using Walk = fs::recursive_directory_iterator;
      for (Walk at(site_, fs::directory_options::skip_permission_denied, error), end;
           !error && at != end; at.increment(error)) {
        const auto name = at->path().filename().string();
        if (name.find(".so") != std::string::npos) {
          site_names_->emplace(name, at->path().lexically_relative(site_).string());
        }
      }
    }
    const auto found = site_names_->find(needed);
    return found == site_names_->end() ? std::string() : found->second;
  }

  /// Libraries of the system that are found, but lack something themselves.
  void note_system_faults(const deps::LoadTree& tree) {
    for (const auto& library : tree.libraries) {
      if (library.facts || by_real_path_.contains(library.needed_by)) continue;
      if (!told_system_faults_.insert(library.needed_by + library.name).second) continue;
      subject_.load_faults.push_back(
          {"R005",
           Severity::error,
           library.needed_by,
           fmt::format("is loaded with {} and needs {}, which no loader finds here",
                       printable(std::string(base_name(tree.path))), printable(library.name)),
           {},
           library.name});
    }
  }

  Subject& subject_;
  fs::path site_;
  deps::Sysroot sysroot_;
  deps::SearchOptions search_;
  deps::SearchOptions with_variable_;
  std::optional<deps::LdSoCache> cache_;
  std::map<std::string, std::size_t> by_real_path_;
  std::vector<deps::LoadTree> trees_;
  std::optional<std::map<std::string, std::string>> site_names_;
  std::set<std::string> told_system_faults_;
};

}  // namespace

Subject open_installed(const std::string& distribution, const fs::path& root,
                       const std::vector<fs::path>& ld_library_path, const Options& options) {
  const auto installation = find_installation(distribution, fs::absolute(root).lexically_normal());
  Subject subject;
  subject.kind = Subject::Kind::installed;
  subject.path = installation.site;
  subject.name = fmt::format("{} in {}", distribution, installation.site.string());
  const auto names = files_of(installation);
  auto inspected = inspect_all(
      names.size(), options.jobs, [](std::size_t) { return std::uint64_t{0}; },
      [&](std::size_t i) {
        Inspected one;
        one.member.path = names[i];
        if (names[i].starts_with("../")) {
          one.place =
              installation.dist_info.stem().string() + ".data/data/" + below_prefix(names[i]);
          one.tree = "prefix";
        }
        std::error_code ignored;
        const auto path = installation.site / names[i];
        if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) < 4) return one;
        const MappedFile file(path);
        one.member.size = file.bytes().size();
        if (elf::has_elf_magic(file.bytes())) inspect_content(file.bytes(), options, one);
        file.drop(file.bytes());
        return one;
      });
  for (const auto& file : inspected) subject.size += file.member.size;
  settle(subject, std::move(inspected));
  tell_copies_apart(subject, [&](std::size_t i) {
    return elf::payload_digest(MappedFile(installation.site / names[i]).bytes());
  });
  examine(subject, options);
  subject.links.clear();
  // A virtual environment has packages of its own, and the system is the machine's.
  std::error_code ignored;
  const bool is_environment = fs::exists(root / "pyvenv.cfg", ignored);
  InstalledLinks(subject, installation.site, is_environment ? fs::path("/") : root, ld_library_path)
      .build();
  return subject;
}

}  // namespace truewheel::check
