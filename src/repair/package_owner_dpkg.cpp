// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "repair/package_databases.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace truewheel::repair {
namespace {

namespace fs = std::filesystem;

/// A file that a package brings under one name and has under another, because a second package
/// diverted it (dpkg-divert(1)). Libraries are diverted by drivers' packages (libGL of
/// glx-diversions).
struct Diversion {
  std::string to;
  std::string by;  ///< the package whose own file keeps the name; ":" for the administrator
};

/// dpkg keeps one list of files a package, "zlib1g:amd64.list" or "tzdata.list", and the versions
/// in "status". Images without a package manager have one folder "status.d" instead, with a stanza
/// and an md5sums file a package.
class Dpkg {
  /// File that was asked for, and a package whose list has it.
  using Candidates = std::vector<std::pair<std::string, PackageOwner>>;

 public:
  Dpkg(const deps::Sysroot& system, const WantedFiles& wanted, unsigned jobs)
      : system_(system), wanted_(wanted), jobs_(jobs) {}

  [[nodiscard]] Owners owners() && {
    read_diversions();
    note_lengths();
    read_lists();
    read_status_folder();
    for (auto& [file, owner] : found_) {
      // Debian's policy, 12.5: every package has its copyright there.
      owner.licence_files = {"/usr/share/doc/" + owner.name + "/copyright"};
    }
    return std::move(found_);
  }

 private:
  void read_diversions() {
    std::vector<std::string> lines;
    read_lines(at("diversions"), [&](std::string_view line) { lines.emplace_back(line); });
    for (std::size_t i = 0; i + 2 < lines.size(); i += 3) {
      diversions_[lines[i]] = {lines[i + 1], lines[i + 2]};
    }
  }

  /// Most lines of most lists are told from the wanted ones by their length alone.
  void note_lengths() {
    const auto note = [&](const std::string& path) {
      if (path.size() >= is_wanted_length_.size()) is_wanted_length_.resize(path.size() + 1);
      is_wanted_length_[path.size()] = true;
    };
    for (const auto& [path, file] : wanted_) note(path);
    for (const auto& [path, diversion] : diversions_) note(path);
  }

  /// A file a package, thousands, and a file is in one package. libssl.so.3 is in "libssl3:amd64"
  /// and most other libraries in packages of such names; the rest of them in other packages
  /// "lib…:amd64", whose lists are a third of all and short. Each part is read when those before do
  /// not tell.
  void read_lists() {
    auto lists = files_in(at("info"));
    std::erase_if(lists, [](const auto& file) { return file.extension() != ".list"; });
    std::set<std::string_view> files;
    for (const auto& [path, file] : wanted_) files.insert(file);
    const auto stems = package_stems();
    const auto is_likely = [&](const fs::path& list) {
      const auto name = list.stem().string();
      return std::any_of(stems.begin(), stems.end(),
                         [&](const auto& stem) { return name.starts_with(stem); });
    };
    const auto rest = std::stable_partition(lists.begin(), lists.end(), is_likely);
    const auto others = std::stable_partition(rest, lists.end(), is_library_list);
    read_installed({lists.begin(), rest});
    if (found_.size() < files.size()) read_installed({rest, others});
    if (found_.size() < files.size()) read_installed({others, lists.end()});
  }

  /// What the names of wanted files say before ".so", as Debian's packages spell it: "libx11" of
  /// "libX11.so.6", "libfoo-bar" of "libfoo_bar.so".
  [[nodiscard]] std::set<std::string> package_stems() const {
    std::set<std::string> stems;
    for (const auto& [path, file] : wanted_) {
      auto name = fs::path(path).filename().string();
      name.erase(std::min(name.find(".so"), name.size()));
      for (char& c : name) c = c == '_' ? '-' : ascii_lower(c);
      if (!name.empty()) stems.insert(name);
    }
    return stems;
  }

  /// What dpkg's status does not know as installed was left behind of a package that is gone: the
  /// owner is the first that it knows.
  void read_installed(std::span<const fs::path> lists) {
    auto candidates = read_lists(lists);
    if (candidates.empty()) return;
    add_versions(candidates);
    for (auto& [file, owner] : candidates) {
      if (!owner.version.empty()) found_.emplace(std::move(file), std::move(owner));
    }
  }

  static bool is_library_list(const fs::path& list) {
    const auto name = list.stem().string();
    return name.starts_with("lib") && name.find(':') != std::string::npos &&
           name.find("-dev:") == std::string::npos;
  }

  /// On all cores, the answers in the order of the lists.
  [[nodiscard]] Candidates read_lists(std::span<const fs::path> lists) const {
    std::vector<Owners> found(lists.size());
    parallel_for(
        lists.size(), jobs_, lists.size(), [](std::size_t) { return 1; },
        [&](std::size_t i) { found[i] = read_list(lists[i]); });
    Candidates all;
    for (auto& owners : found) std::move(owners.begin(), owners.end(), std::back_inserter(all));
    return all;
  }

  [[nodiscard]] Owners read_list(const fs::path& list) const {
    const auto parts = split(list.stem().string(), ':');
    PackageOwner owner;
    owner.type = "deb";
    owner.name = parts.front();
    if (parts.size() > 1) owner.architecture = parts[1];
    Owners found;
    if (owner.name.empty()) return found;
    read_lines(list, [&](std::string_view line) {
      if (line.size() >= is_wanted_length_.size() || !is_wanted_length_[line.size()]) return;
      const auto diverted = diversions_.find(line);
      const bool elsewhere = diverted != diversions_.end() && diverted->second.by != owner.name;
      take(elsewhere ? std::string_view(diverted->second.to) : line, owner, found);
    });
    return found;
  }

  void take(std::string_view path, const PackageOwner& owner, Owners& found) const {
    const auto file = wanted_.find(path);
    if (file != wanted_.end()) found.emplace(file->second, owner);
  }

  void add_versions(Candidates& candidates) const {
    PackageOwner package;
    bool has_files = true;
    const auto end_stanza = [&] {
      if (!std::exchange(has_files, true)) package = {};
      for (auto& [file, owner] : candidates) {
        const bool fits = owner.architecture.empty() || owner.architecture == package.architecture;
        if (owner.name != package.name || !fits || !owner.version.empty()) continue;
        owner.version = package.version;
        owner.architecture = package.architecture;
      }
      package = {};
    };
    read_lines(at("status"), [&](std::string_view line) {
      if (line.empty()) end_stanza();
      // dpkg(1): a package that waits for its configuration or a trigger has its files already.
      if (auto value = value_of(line, "Status: ")) {
        has_files = !value->ends_with(" not-installed") && !value->ends_with(" config-files");
      }
      if (auto value = value_of(line, "Package: ")) package.name = std::move(*value);
      if (auto value = value_of(line, "Architecture: ")) package.architecture = std::move(*value);
      if (auto value = value_of(line, "Version: ")) package.version = std::move(*value);
    });
    end_stanza();
  }

  /// "status.d/libssl3" holds the stanza, "status.d/libssl3.md5sums" a line "<digest>  usr/lib/…" a
  /// file.
  void read_status_folder() {
    for (const auto& stanza : files_in(at("status.d"))) {
      if (stanza.extension() == ".md5sums") continue;
      PackageOwner owner;
      owner.type = "deb";
      read_lines(stanza, [&](std::string_view line) {
        if (auto value = value_of(line, "Package: ")) owner.name = std::move(*value);
        if (auto value = value_of(line, "Architecture: ")) owner.architecture = std::move(*value);
        if (auto value = value_of(line, "Version: ")) owner.version = std::move(*value);
      });
      if (owner.name.empty() || owner.version.empty()) continue;
      read_lines(stanza.string() + ".md5sums", [&](std::string_view line) {
        const auto gap = line.find("  ");
        if (gap != std::string_view::npos)
          take("/" + std::string(line.substr(gap + 2)), owner, found_);
      });
    }
  }

  [[nodiscard]] fs::path at(const std::string& name) const {
    return place(system_, "/var/lib/dpkg/" + name);
  }

  const deps::Sysroot& system_;
  const WantedFiles& wanted_;
  unsigned jobs_;
  std::map<std::string, Diversion, std::less<>> diversions_;
  std::vector<bool> is_wanted_length_;
  Owners found_;
};

}  // namespace

Owners dpkg_owners(const deps::Sysroot& system, const WantedFiles& wanted, unsigned jobs) {
  return Dpkg(system, wanted, jobs).owners();
}

}  // namespace truewheel::repair
